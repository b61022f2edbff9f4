//! ReferenceGrants: which kinds of a namespace may refer to what in another one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::gateway_api::{ReferenceGrantFrom, ReferenceGrantSpec, ReferenceGrantTo};

/// The API group of the Gateway API.
pub const GROUP: &str = "gateway.networking.k8s.io";

/// A reference from a resource of the Gateway API into another namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference<'r> {
    /// The kind that refers.
    pub from_kind: &'r str,
    /// Its namespace.
    pub from_namespace: &'r str,
    /// The group of what it refers to.
    pub group: &'r str,
    /// The kind of what it refers to.
    pub kind: &'r str,
    /// The namespace that it refers into.
    pub namespace: &'r str,
}

#[derive(Debug, Default)]
struct Granted<'m> {
    all: bool,
    names: FxHashSet<&'m str>,
}

/// All ReferenceGrants.
#[derive(Debug, Default)]
pub struct Grants<'m> {
    by_reference: FxHashMap<Reference<'m>, Granted<'m>>,
}

impl<'m> Grants<'m> {
    /// Indexes the grants of a mesh.
    pub fn new(mesh: &'m Mesh<'_>) -> Self {
        let mut grants = Self::default();
        for object in mesh.all::<ReferenceGrantSpec<'_>>() {
            let pairs = (object.body.from.iter()).flat_map(|from| object.body.to.iter().map(move |to| (from, to)));
            for (from, to) in pairs.filter(|(from, _)| text(from.group.as_ref()) == GROUP) {
                grants.add(from, to, object.header.namespace.as_str());
            }
        }
        grants
    }

    fn add(&mut self, from: &ReferenceGrantFrom<'m>, to: &ReferenceGrantTo<'m>, namespace: &'m str) {
        let reference = Reference {
            from_kind: text(from.kind.as_ref()),
            from_namespace: text(from.namespace.as_ref()),
            group: text(to.group.as_ref()),
            kind: text(to.kind.as_ref()),
            namespace,
        };
        let granted = self.by_reference.entry(reference).or_default();
        match text(to.name.as_ref()) {
            "" => granted.all = true,
            name => _ = granted.names.insert(name),
        }
    }

    /// Whether a reference to an object of this name is granted. One within a namespace always is.
    pub fn admit(&self, reference: &Reference<'_>, name: &str) -> bool {
        reference.from_namespace == reference.namespace
            || (self.by_reference.get(reference)).is_some_and(|granted| granted.all || granted.names.contains(name))
    }
}

/// A text, empty where it is missing.
fn text<'a>(text: Option<&Text<'a>>) -> &'a str {
    text.map_or("", |text| text.as_str())
}
