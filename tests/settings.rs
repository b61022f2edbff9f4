//! The mesh configuration: from a file, from the ConfigMaps of the input, and what the arguments override.

#![allow(missing_docs)]

use meshlint::mesh::{DataPlane, Given, HostName, Lookup, Mesh, Settings};
use meshlint::model::{self, ReadOptions, Spanned};
use meshlint::source::{Interner, SourceFile, Sources, Words};

fn file(text: &str) -> SourceFile {
    SourceFile::new("mesh.yaml".into(), text.as_bytes().to_vec(), true, 0)
}

#[test]
fn defaults_then_the_file_then_the_arguments() {
    let words = Words::default();
    let plain = Settings::new(&Given::default(), &words, None, None);
    assert_eq!(
        (plain.cluster_domain.as_str(), plain.root_namespace.as_str()),
        ("cluster.local", "istio-system")
    );
    let config = file("rootNamespace: infra\ndefaultServiceExportTo: ['.']\n");
    let read = Settings::new(&Given::default(), &words, Some(&config), None);
    assert_eq!(read.root_namespace, "infra");
    assert_eq!(read.service_export_to, ["."]);
    let given = Given {
        root_namespace: Some("root".into()),
        cluster_domain: Some("corp".into()),
        complete: true,
        ..Given::default()
    };
    let overridden = Settings::new(&given, &words, Some(&config), None);
    assert_eq!(
        (overridden.cluster_domain.as_str(), overridden.root_namespace.as_str()),
        ("corp", "root")
    );
    assert!(overridden.complete);
}

#[test]
fn config_maps_hold_one_configuration_per_revision() {
    let map = |name: &str, root: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: istio-system}}\ndata:\n  mesh: |\n    rootNamespace: {root}\n"
        )
    };
    let text = [map("istio", "one"), map("istio-1-31-0", "two"), map("other", "three")].join("---\n");
    let mut sources = Sources::from_texts([("maps.yaml", text)]);
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &ReadOptions::default());
    let found = model::embed(&sources, &manifests);
    let found: Vec<_> = found
        .iter()
        .map(|(revision, file)| {
            (
                revision.as_str(),
                Settings::new(&Given::default(), &words, Some(file), None).root_namespace,
            )
        })
        .collect();
    assert_eq!(found, [("default", "one".to_owned()), ("1-31-0", "two".to_owned())]);
}

#[test]
fn settings_are_checked_where_they_stand() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio, namespace: istio-system}\ndata:\n  mesh: |-\n    rootNamespace: x\n    acessLogFile: /dev/stdout\n";
    let mut sources = Sources::from_texts([("map.yaml", map)]);
    let named = SourceFile::new("mesh.yaml".into(), b"enableAutoMtls: 1\n".to_vec(), true, 0);
    sources
        .add(named.of_configuration("MeshConfig"))
        .expect("there is room");
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &ReadOptions::default());
    let places: Vec<&str> = manifests
        .violations
        .iter()
        .map(|violation| sources.text(violation.span))
        .collect();
    assert_eq!(places, ["acessLogFile", "1"]);
}

const WORLD: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {istio.io/rev: prod}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, annotations: {networking.istio.io/exportTo: '.'}}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: istio-revision-tag-prod, labels: {istio.io/tag: prod, istio.io/rev: 1-30-1}}
";

#[test]
fn the_index_answers_what_istiod_asks() {
    let mut sources = Sources::from_texts([("world.yaml", WORLD)]);
    let read = ReadOptions::default();
    let given = Given {
        cluster_domain: Some("corp".into()),
        ..Given::default()
    };
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &read);
    let mesh = Mesh::index(&sources, manifests, Settings::new(&given, &words, None, None));
    let web = mesh.header(1);
    let interner = Interner::new(&words);
    let host = |text| Spanned {
        value: interner.word(text),
        span: sources.files[0].span(0, 1),
    };
    let Lookup::Found(found) = mesh.host(&host("web.shop.svc.corp"), web) else {
        panic!("the Service is there")
    };
    assert_eq!(
        found.name,
        HostName::Service {
            name: "web",
            namespace: "shop"
        }
    );
    assert_eq!(mesh.ports_of(&found), [80]);
    assert!(mesh.is_visible(found.providers[0], "shop") && !mesh.is_visible(found.providers[0], "pay"));
    assert!(matches!(mesh.host(&host("wep"), web), Lookup::Absent { nearest: Some(near) } if near == "web"));
    let workload = mesh.workloads_in("shop")[0];
    let attachment = mesh.attachment(workload);
    assert_eq!(
        (attachment.data_plane, attachment.revision),
        (DataPlane::Sidecar, Some("prod"))
    );
    assert_eq!(mesh.tag("prod"), Some("1-30-1"));
    assert_eq!(mesh.scope("shop").received, 1);
    assert_eq!(mesh.scope("pay").received, 0, "the Service is private");
}
