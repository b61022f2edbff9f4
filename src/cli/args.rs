//! The command line.

use camino::Utf8PathBuf;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::values::minor::Minor;

/// Finds what will break in Istio and Kubernetes manifests, before they reach a cluster.
#[derive(Debug, Parser)]
#[command(
    name = "meshlint",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  meshlint ./manifests                       check a folder
  helm template ./chart | meshlint -         check what a chart renders to
  meshlint --complete ./everything           what is not in these files does not exist
  meshlint --format sarif --output r.sarif   a report for code scanning
  meshlint --baseline known.json --write-baseline ./manifests
                                             accept today's findings, report only new ones
  meshlint explain undefined-subset          what a rule means, with examples

Exit codes: 0 nothing found, 1 findings at or above --fail-on, 2 wrong usage or unreadable files, 3 a fault of meshlint."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check manifests (the default: `meshlint PATH` is `meshlint check PATH`)
    Check(Box<CheckArguments>),
    /// Print the page of a rule, by its id or by a code of istioctl or Kiali
    Explain {
        /// A rule id such as `undefined-subset`, or a code such as `IST0101`
        rule: String,
    },
    /// List all rules
    Rules,
    /// Print the JSON Schema of a kind, with what istiod's webhook demands
    #[command(after_help = "\
Examples:
  meshlint schema VirtualService > virtualservice.json
  meshlint schema Gateway --group networking.istio.io
  meshlint schema MeshConfig

In an editor with the YAML language server, the first line of a manifest names it:
  # yaml-language-server: $schema=virtualservice.json")]
    Schema {
        /// A kind such as `VirtualService`
        kind: String,
        /// The API group, where several have the kind
        #[arg(long)]
        group: Option<String>,
    },
    /// Print what istiod would push to a proxy
    #[command(after_help = "\
Examples:
  meshlint proxy-config routes ./manifests --proxy Deployment/shop/web
  meshlint proxy-config all ./manifests --all-proxies --format json")]
    ProxyConfig(Box<ProxyConfigArguments>),
    /// Print a completion script
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What is read, and what it is read as.
#[derive(Debug, Args)]
pub struct InputArguments {
    /// Files and folders; `-` is standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<Utf8PathBuf>,

    /// What is not in the input does not exist
    #[arg(long)]
    pub complete: bool,

    /// The namespace of documents without one [default: default]
    #[arg(long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Check kinds as the CustomResourceDefinitions of this file or folder say
    #[arg(long, value_name = "PATH")]
    pub crds: Option<Utf8PathBuf>,

    /// The minor version of Istio that the manifests are for [default: the newest that meshlint knows]
    #[arg(long, value_name = "X.Y", value_parser = minor)]
    pub istio_version: Option<Minor>,

    /// The mesh configuration, instead of the ConfigMap `istio` in the input
    #[arg(long, value_name = "FILE")]
    pub mesh_config: Option<Utf8PathBuf>,

    /// The networks of the mesh
    #[arg(long, value_name = "FILE")]
    pub mesh_networks: Option<Utf8PathBuf>,

    /// The suffix of Service names [default: cluster.local]
    #[arg(long, value_name = "DOMAIN")]
    pub cluster_domain: Option<String>,

    /// The namespace whose resources hold for the whole mesh [default: istio-system]
    #[arg(long, value_name = "NAMESPACE")]
    pub root_namespace: Option<String>,

    /// The manifests of one of several clusters; may be repeated
    #[arg(long, value_name = "NAME=PATH")]
    pub cluster: Vec<String>,

    /// A setting of istiod, as its Deployment's environment would give it; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub istiod_env: Vec<String>,

    /// The configuration, instead of the nearest .meshlint.yaml
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<Utf8PathBuf>,

    /// Read no configuration
    #[arg(long)]
    pub no_config: bool,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub input: InputArguments,

    /// How to report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = PossibleValuesParser::new(["text", "json", "sarif", "github"]))]
    pub format: String,

    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<Utf8PathBuf>,

    /// The least severity that makes the exit code 1 [default: error]
    #[arg(long, value_name = "SEVERITY", value_parser = PossibleValuesParser::new(["error", "warning", "note", "never"]))]
    pub fail_on: Option<String>,

    /// Leave out what is less severe [default: note]
    #[arg(long, value_name = "SEVERITY", value_parser = PossibleValuesParser::new(["error", "warning", "note"]))]
    pub min_severity: Option<String>,

    /// Another level for a rule: off, note, warning or error
    #[arg(long, value_name = "RULE=LEVEL")]
    pub rule: Vec<String>,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub select: Vec<String>,

    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub ignore: Vec<String>,

    /// Findings that are known and do not count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<Utf8PathBuf>,

    /// Write today's findings to the baseline
    #[arg(long)]
    pub write_baseline: bool,

    /// Mend what can be mended: only what is certain, or all that is probable too
    #[arg(long, value_name = "SAFETY", num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    pub fix: Option<Fixing>,

    /// Show what --fix would change, and change nothing
    #[arg(long)]
    pub diff: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Debug, Args)]
pub struct ProxyConfigArguments {
    /// The part of the configuration
    pub layer: LayerArgument,

    #[command(flatten)]
    pub input: InputArguments,

    /// The workload or gateway, such as `Deployment/shop/web`, `Gateway/shop/edge`, `east:Deployment/shop/web`; may be repeated
    #[arg(long, value_name = "ID", required_unless_present = "all_proxies")]
    pub proxy: Vec<String>,

    /// Every proxy of the input
    #[arg(long, conflicts_with = "proxy")]
    pub all_proxies: bool,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ProxyConfigFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayerArgument {
    All,
    Listeners,
    Routes,
    Clusters,
    Endpoints,
    Secrets,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProxyConfigFormat {
    Text,
    Json,
    Yaml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fixing {
    Safe,
    All,
}

fn minor(text: &str) -> Result<Minor, String> {
    Minor::parse(text)
        .filter(|minor| minor.is_known())
        .ok_or_else(|| format!("meshlint knows the minors {} to {}", Minor::OLDEST, Minor::NEWEST))
}
