//! `Kustomization` and `Component`: which files are applied together, and into which namespace.

use thin_vec::ThinVec;

use super::record::record;
use super::{Fields, Labels, Spanned, Text};

record! {
    /// A kustomization, as far as it says what belongs together.
    Kustomization<'a> {
        namespace: Option<Text<'a>> = text("namespace");
        name_prefix: Option<Text<'a>> = text("namePrefix");
        name_suffix: Option<Text<'a>> = text("nameSuffix");
        resources: ThinVec<Text<'a>> = texts("resources");
        bases: ThinVec<Text<'a>> = texts("bases");
        common_labels: Labels<'a> = labels("commonLabels");
        labels: ThinVec<Patch<'a>> = list("labels", Patch::decode);
        components: ThinVec<Text<'a>> = texts("components");
        patches: ThinVec<Patch<'a>> = list("patches", Patch::decode);
        patches_json6902: ThinVec<Patch<'a>> = list("patchesJson6902", Patch::decode);
        patches_strategic_merge: ThinVec<Text<'a>> = texts("patchesStrategicMerge");
        transformers: ThinVec<Text<'a>> = texts("transformers");
        generators: ThinVec<Text<'a>> = texts("generators");
        helm_charts: ThinVec<Patch<'a>> = list("helmCharts", Patch::decode);
        configurations: ThinVec<Text<'a>> = texts("configurations");
        replacements: ThinVec<Patch<'a>> = list("replacements", Patch::decode);
        crds: ThinVec<Text<'a>> = texts("crds");
    }
    /// A change to resources, in a file of its own or written out.
    Patch<'a> {
        path: Option<Text<'a>> = text("path");
    }
}

impl<'a> Kustomization<'a> {
    /// Files and folders whose resources it applies.
    pub fn members(&self) -> impl Iterator<Item = &Text<'a>> {
        self.resources.iter().chain(&self.bases).chain(&self.components)
    }

    /// Whether it changes the resources it applies.
    pub fn changes(&self) -> bool {
        let patched =
            !self.patches.is_empty() || !self.patches_json6902.is_empty() || !self.patches_strategic_merge.is_empty();
        let labelled = !self.labels.is_empty() || !self.common_labels.is_empty();
        patched
            || labelled
            || !self.components.is_empty()
            || !self.replacements.is_empty()
            || !self.transformers.is_empty()
    }

    /// Whether it gives resources other names.
    pub fn renames(&self) -> bool {
        self.name_prefix.is_some() || self.name_suffix.is_some()
    }

    /// Whether it makes resources that no file shows.
    pub fn makes(&self) -> bool {
        !self.helm_charts.is_empty() || !self.generators.is_empty()
    }

    /// Files that change resources and are none themselves.
    pub fn patch_files(&self) -> impl Iterator<Item = &Text<'a>> {
        let named = self
            .patches
            .iter()
            .chain(&self.patches_json6902)
            .chain(&self.replacements);
        let tools = self
            .transformers
            .iter()
            .chain(&self.generators)
            .chain(&self.configurations);
        named
            .filter_map(|patch| patch.path.as_ref())
            .chain(&self.patches_strategic_merge)
            .chain(tools)
    }
}

/// Whether a file of this name is a kustomization whatever it says of itself.
pub fn is_kustomization(file_name: &str) -> bool {
    matches!(file_name, "kustomization.yaml" | "kustomization.yml" | "Kustomization")
}

/// A file of this name has no need to name its kind.
pub(super) fn decode<'a>(root: Fields<'_, 'a>) -> (Kustomization<'a>, Text<'a>) {
    let kind = root.text("kind").unwrap_or(Spanned {
        value: root.word("Kustomization"),
        span: root.span(),
    });
    (Kustomization::decode(root), kind)
}
