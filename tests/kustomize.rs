//! Kustomizations: the namespace they set, the patches that are no resources, what is applied together.

#![allow(missing_docs)]

use meshlint::lint::{self, Options};
use meshlint::mesh::{Given, Mesh, Settings};
use meshlint::model::{self, ReadOptions};
use meshlint::source::{Sources, Words};

fn said(files: &[(&str, &str)]) -> Vec<String> {
    let mut sources = Sources::from_texts(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let read = ReadOptions::default();
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &read);
    let mesh = Mesh::index(
        &sources,
        manifests,
        Settings::new(&Given::default(), &words, None, None),
    );
    let outcome = lint::run(&mesh, &Options::default());
    let line = |reported: &lint::Reported| {
        let name = reported
            .resource
            .as_ref()
            .map(|name| format!("{}/{}", name.namespace, name.name))
            .unwrap_or_default();
        format!("{} {name}", reported.finding.rule)
    };
    outcome.findings.iter().map(line).collect()
}

const SERVICE: &str =
    "apiVersion: v1\nkind: Service\nmetadata: {name: reviews}\nspec:\n  ports: [{name: http, port: 80}]\n";
const ROUTE: &str = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: r}\nspec:\n  hosts: [reviews]\n  http:\n  - route:\n    - destination: {host: ratings.shop.svc.cluster.local}\n";

#[test]
fn the_outermost_namespace_counts() {
    let files = [
        (
            "base/kustomization.yaml",
            "namespace: inner\nresources: [service.yaml, route.yaml]\n",
        ),
        ("base/service.yaml", SERVICE),
        ("base/route.yaml", ROUTE),
        ("overlay/kustomization.yaml", "namespace: shop\nresources: [../base]\n"),
    ];
    assert_eq!(said(&files), ["unknown-destination-host shop/r"]);
    assert_eq!(
        said(&files[..3]),
        [""; 0],
        "in `inner` nothing is known of namespace `shop`"
    );
}

#[test]
fn two_overlays_leave_the_namespace_open() {
    let files = [
        ("base/kustomization.yaml", "resources: [service.yaml, route.yaml]\n"),
        ("base/service.yaml", SERVICE),
        ("base/route.yaml", ROUTE),
        ("one/kustomization.yaml", "namespace: shop\nresources: [../base]\n"),
        ("two/kustomization.yaml", "namespace: shop-two\nresources: [../base]\n"),
    ];
    assert_eq!(said(&files), [""; 0]);
}

#[test]
fn duplicates_are_judged_by_what_is_applied_together() {
    let apart = [("a/service.yaml", SERVICE), ("b/service.yaml", SERVICE)];
    assert_eq!(said(&apart), [""; 0], "the files may be alternatives");
    let together = [
        (
            "kustomization.yaml",
            "namespace: shop\nresources: [a/service.yaml, b/service.yaml]\n",
        ),
        ("a/service.yaml", SERVICE),
        ("b/service.yaml", SERVICE),
    ];
    assert_eq!(said(&together), ["duplicate-resource shop/reviews"]);
}

#[test]
fn circles_end() {
    let files = [
        ("a/kustomization.yaml", "namespace: shop\nresources: [../b]\n"),
        ("b/kustomization.yaml", "resources: [../a, service.yaml]\n"),
        ("b/service.yaml", SERVICE),
    ];
    assert_eq!(said(&files), [""; 0]);
}
