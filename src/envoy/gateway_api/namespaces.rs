//! The namespaces whose routes a listener admits.

use crate::mesh::Mesh;
use crate::model::gateway_api::{AllowedRoutes, LabelSelector, LabelSelectorRequirement};
use crate::model::{Labels, Namespace, Text};

/// The label by which every namespace can be selected.
const NAME: &str = "kubernetes.io/metadata.name";

/// The namespaces from which a listener in `own` takes routes, sorted; `*` is all of them.
pub fn allowed<'m>(mesh: &'m Mesh<'_>, routes: Option<&'m AllowedRoutes<'_>>, own: &'m str) -> Vec<&'m str> {
    let namespaces = routes.and_then(|routes| routes.namespaces.as_deref());
    match namespaces
        .and_then(|namespaces| namespaces.from.as_ref())
        .map_or("Same", |from| from.as_str())
    {
        "Same" => vec![own],
        "All" => vec!["*"],
        "Selector" => match namespaces.and_then(|namespaces| namespaces.selector.as_deref()) {
            Some(selector) => selected(mesh, selector),
            None => vec!["*"],
        },
        _ => Vec::new(),
    }
}

fn selected<'m>(mesh: &'m Mesh<'_>, selector: &LabelSelector<'_>) -> Vec<&'m str> {
    let namespaces = mesh.all::<Namespace<'_>>();
    let chosen =
        namespaces.filter(|namespace| selects(selector, &namespace.header.labels, namespace.body.name.as_str()));
    let mut names: Vec<&str> = chosen.map(|namespace| namespace.body.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn selects(selector: &LabelSelector<'_>, labels: &Labels<'_>, name: &str) -> bool {
    let value = |key: &str| match key {
        NAME => Some(name),
        _ => labels.get(key).map(Text::as_str),
    };
    let all_labels = (selector.match_labels.iter()).all(|(key, wanted)| value(key) == Some(wanted));
    all_labels && (selector.match_expressions.iter()).all(|requirement| meets(requirement, value))
}

fn meets<'l>(requirement: &LabelSelectorRequirement<'_>, value: impl Fn(&str) -> Option<&'l str>) -> bool {
    let value = value(requirement.key.map_or("", |key| key.as_str()));
    let listed = value.is_some_and(|value| requirement.values.iter().any(|wanted| wanted.as_str() == value));
    match requirement.operator.map_or("", |operator| operator.as_str()) {
        "In" => listed,
        "NotIn" => !listed,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}
