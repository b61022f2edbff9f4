//! How long each stage takes on a synthetic mesh of 50,000 resources, or on the folder in `MESH`.
//!
//! `cargo bench`; the best of five runs counts.

#![allow(missing_docs, clippy::print_stdout)]

use std::fmt::Write;
use std::time::{Duration, Instant};

use meshlint::envoy::World;
use meshlint::envoy::fleet::Fleet;
use meshlint::lint::{self, Options};
use meshlint::mesh::{Given, Mesh, Settings};
use meshlint::model::{self, ReadOptions};
use meshlint::source::{self, Input, Sources, Words};
use meshlint::yaml;
use rayon::prelude::*;

const STAGES: [&str; 7] = [
    "load",
    "yaml alone",
    "yaml, schema and model",
    "mesh",
    "compiler, its indexes",
    "compiler, all proxies",
    "rules, compiler included",
];

fn main() {
    let load = || match std::env::var("MESH") {
        Ok(path) => source::discover(&[Input {
            path: path.into(),
            cluster: String::new(),
        }])
        .expect("MESH names a folder"),
        Err(_) => synthetic(500, 20),
    };
    let mut best = [Duration::MAX; STAGES.len()];
    let mut bytes = 0;
    for _ in 0..5 {
        let mut laps = Laps::default();
        let mut sources = load();
        laps.lap();
        sources.files.par_iter().for_each(|file| drop(yaml::parse(file)));
        laps.lap();
        let read = ReadOptions::default();
        let words = Words::default();
        let manifests = model::read(&mut sources, &words, &read);
        laps.lap();
        let mesh = Mesh::index(
            &sources,
            manifests,
            Settings::new(&Given::default(), &words, None, None),
        );
        laps.lap();
        let world = World::new(&mesh);
        laps.lap();
        Fleet::compile(&world, usize::MAX);
        laps.lap();
        lint::run(&mesh, &Options::default());
        laps.lap();
        best.iter_mut()
            .zip(laps.times)
            .for_each(|(best, time)| *best = time.min(*best));
        bytes = sources.files.iter().map(|file| file.text().len()).sum();
    }
    println!("{bytes} bytes");
    for (stage, time) in STAGES.iter().zip(best) {
        println!("{stage:24} {:8.1} ms", time.as_secs_f64() * 1e3);
    }
}

struct Laps {
    since: Instant,
    times: Vec<Duration>,
}

impl Default for Laps {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            times: Vec::new(),
        }
    }
}

impl Laps {
    fn lap(&mut self) {
        self.times.push(self.since.elapsed());
        self.since = Instant::now();
    }
}

fn synthetic(namespaces: usize, applications: usize) -> Sources {
    let files =
        (0..namespaces).flat_map(|namespace| (0..applications).map(move |application| file(namespace, application)));
    Sources::from_texts(files)
}

fn file(namespace: usize, application: usize) -> (String, String) {
    let (space, app) = (format!("team-{namespace}"), format!("app-{application}"));
    let mut text = format!(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {app}\n  namespace: {space}\nspec:\n  selector: {{app: {app}}}\n  ports:\n  - name: http\n    port: 80\n---\n"
    );
    write!(
        text,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {app}\n  namespace: {space}\nspec:\n  selector:\n    matchLabels: {{app: {app}}}\n  template:\n    metadata:\n      labels:\n        app: {app}\n        version: v1\n    spec:\n      containers:\n      - name: app\n        image: registry.example.com/{app}:1\n---\n"
    )
    .expect("a string takes all text");
    write!(
        text,
        "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata:\n  name: {app}\n  namespace: {space}\nspec:\n  hosts:\n  - {app}\n  http:\n  - match:\n    - uri:\n        prefix: /v1/\n    route:\n    - destination:\n        host: {app}\n        subset: v1\n  - route:\n    - destination:\n        host: {app}.{space}.svc.cluster.local\n---\n"
    )
    .expect("a string takes all text");
    write!(
        text,
        "apiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata:\n  name: {app}\n  namespace: {space}\nspec:\n  host: {app}\n  subsets:\n  - name: v1\n    labels:\n      version: v1\n---\n"
    )
    .expect("a string takes all text");
    write!(
        text,
        "apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata:\n  name: {app}\n  namespace: {space}\nspec:\n  action: ALLOW\n  rules:\n  - from:\n    - source:\n        namespaces: [{space}]\n"
    )
    .expect("a string takes all text");
    (format!("{space}/{app}.yaml"), text)
}
