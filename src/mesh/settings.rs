//! The mesh configuration and what the user said on the command line.

use super::Mesh;
use crate::model::kubernetes::ConfigMap;
use crate::model::mesh_config::{embedded, revision_of};
use crate::model::{Fields, MeshConfig, Text};
use crate::source::{Interner, SourceFile, Words};
use crate::yaml;

/// What the arguments of a run say about the mesh.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// What is not in the input does not exist.
    pub complete: bool,
    /// `--cluster-domain`.
    pub cluster_domain: Option<String>,
    /// `--root-namespace`.
    pub root_namespace: Option<String>,
}

/// Settings that shape the meaning of resources, with Istio's defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is not in the input does not exist.
    pub complete: bool,
    /// The suffix of Service names, `cluster.local` by default.
    pub cluster_domain: String,
    /// The namespace whose policies hold for the whole mesh, `istio-system` by default.
    pub root_namespace: String,
    /// `defaultServiceExportTo`; empty means everyone.
    pub service_export_to: Vec<String>,
    /// `defaultVirtualServiceExportTo`; empty means everyone.
    pub virtual_service_export_to: Vec<String>,
    /// `defaultDestinationRuleExportTo`; empty means everyone.
    pub destination_rule_export_to: Vec<String>,
}

impl Settings {
    /// The settings of a run: Istio's defaults, then the mesh configuration, then the arguments.
    pub fn new(given: &Given, mesh_config: Option<&SourceFile>) -> Self {
        let mut settings = Self {
            complete: given.complete,
            cluster_domain: "cluster.local".into(),
            root_namespace: "istio-system".into(),
            service_export_to: Vec::new(),
            virtual_service_export_to: Vec::new(),
            destination_rule_export_to: Vec::new(),
        };
        if let Some(file) = mesh_config {
            settings.read(file);
        }
        if let Some(domain) = &given.cluster_domain {
            settings.cluster_domain.clone_from(domain);
        }
        if let Some(namespace) = &given.root_namespace {
            settings.root_namespace.clone_from(namespace);
        }
        settings
    }

    fn read(&mut self, file: &SourceFile) {
        let documents = yaml::parse(file);
        let Some(root) = documents.iter().find_map(|document| document.tree.root()) else {
            return;
        };
        let words = Words::default();
        let config = MeshConfig::decode(Fields::new(root, &Interner::new(&words)));
        if let Some(namespace) = config.root_namespace {
            namespace.as_str().clone_into(&mut self.root_namespace);
        }
        self.service_export_to = owned(&config.default_service_export_to);
        self.virtual_service_export_to = owned(&config.default_virtual_service_export_to);
        self.destination_rule_export_to = owned(&config.default_destination_rule_export_to);
    }
}

impl Mesh<'_> {
    /// Shows every mesh configuration of the input: those in the ConfigMaps of istiod, with their places in the file. One
    /// that is not written as a literal block has none, and is left out.
    pub fn mesh_configs(&self, mut show: impl FnMut(&MeshConfig<'_>)) {
        for map in self.all::<ConfigMap<'_>>() {
            let name = map.header.name.as_str();
            let block = map.body.data.get("mesh").filter(|_| revision_of(name).is_some());
            let Some(file) = block.and_then(|block| embedded(self.sources.file(block.span), block.span)) else {
                continue;
            };
            let documents = yaml::parse(&file);
            if let Some(root) = documents.iter().find_map(|document| document.tree.root()) {
                let words = Words::default();
                show(&MeshConfig::decode(Fields::new(root, &Interner::new(&words))));
            }
        }
    }
}

fn owned(texts: &[Text<'_>]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}
