//! The mesh configuration and what the user said on the command line.

use std::collections::BTreeMap;

use super::Mesh;
use crate::model::kubernetes::ConfigMap;
use crate::model::mesh_config::{embedded, revision_of};
use crate::model::{Fields, MeshConfig, MeshNetworks, Text};
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
    /// `--istiod-env`: settings of istiod by their names.
    pub istiod_env: BTreeMap<String, String>,
}

/// Settings that shape the meaning of resources, with Istio's defaults filled in.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
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
    /// Settings of istiod that the arguments give.
    pub istiod_env: BTreeMap<String, String>,
    /// The mesh configuration as it is written; empty where there is none.
    pub config: MeshConfig<'a>,
    /// The networks of the mesh.
    pub networks: MeshNetworks<'a>,
}

impl<'a> Settings<'a> {
    /// The settings of a run: Istio's defaults, then the mesh configuration, then the arguments.
    pub fn new(
        given: &Given,
        words: &'a Words,
        mesh_config: Option<&SourceFile>,
        mesh_networks: Option<&SourceFile>,
    ) -> Self {
        let config = decode(mesh_config, words, MeshConfig::decode);
        let root_namespace = config.root_namespace.map(|namespace| namespace.to_string());
        Self {
            complete: given.complete,
            cluster_domain: given.cluster_domain.clone().unwrap_or_else(|| "cluster.local".into()),
            root_namespace: (given.root_namespace.clone().or(root_namespace)).unwrap_or_else(|| "istio-system".into()),
            service_export_to: owned(&config.default_service_export_to),
            virtual_service_export_to: owned(&config.default_virtual_service_export_to),
            destination_rule_export_to: owned(&config.default_destination_rule_export_to),
            istiod_env: given.istiod_env.clone(),
            config,
            networks: decode(mesh_networks, words, MeshNetworks::decode),
        }
    }
}

fn decode<'a, T: Default>(file: Option<&SourceFile>, words: &'a Words, decode: fn(Fields<'_, 'a>) -> T) -> T {
    let documents = file.map(yaml::parse).unwrap_or_default();
    let root = documents.iter().find_map(|document| document.tree.root());
    root.map(|root| decode(Fields::new(root, &Interner::new(words))))
        .unwrap_or_default()
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
