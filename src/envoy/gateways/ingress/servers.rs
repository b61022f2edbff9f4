//! The gateway that an Ingress becomes.

use super::{AGELESS, NAMESPACE, Taken, gateway_name, taken};
use crate::envoy::gateways::model::{GatewayServers, RunsOn, Server, ServerHost, ServerTls};
use crate::envoy::message::{CommonTlsContext, DownstreamTlsContext, SdsSecretConfig, Str};
use crate::mesh::{Mesh, Protocol};
use crate::model::kubernetes::IngressTls;
use crate::model::{MeshConfig, Text};

/// The gateways of all Ingresses.
pub fn gateways<'m>(mesh: &'m Mesh<'_>) -> Vec<GatewayServers<'m>> {
    let lowered = taken(mesh).into_iter().map(|ingress| {
        let header = ingress.header;
        let certified = ingress.body.tls.iter().enumerate();
        let mut servers: Vec<Server> = certified
            .filter_map(|(number, written)| https_server(&ingress, number, written))
            .collect();
        servers.push(http_server(&ingress));
        GatewayServers {
            name: gateway_name(&ingress),
            namespace: NAMESPACE,
            created: AGELESS,
            runs_on: RunsOn::Labels(vec![(Str::new_static("istio"), selector(&mesh.settings.config))]),
            servers,
            resource: ingress.id,
            span: header.span,
        }
    });
    lowered.collect()
}

/// The value of the label `istio` by which pods are chosen.
fn selector(config: &MeshConfig<'_>) -> Str {
    let written = |text: Option<Text<'_>>| text.map(|text| Str::new(text.as_str())).filter(|text| !text.is_empty());
    let service = written(config.ingress_service).filter(|service| service != "istio-ingressgateway");
    let selector = written(config.ingress_selector).or(service);
    selector.unwrap_or(Str::new_static("ingressgateway"))
}

fn http_server(ingress: &Taken<'_, '_>) -> Server {
    let header = ingress.header;
    Server {
        port_name: Str::from(format!("http-80-ingress-{}-{}", header.name, header.namespace)),
        port: 80,
        protocol: Protocol::Http,
        protocol_text: Str::new_static("HTTP"),
        bind: Str::default(),
        name: Str::default(),
        hosts: vec![any_namespace("*")],
        https_redirect: false,
        tls: ServerTls::None,
        span: header.span,
    }
}

fn https_server(ingress: &Taken<'_, '_>, number: usize, written: &IngressTls<'_>) -> Option<Server> {
    let header = ingress.header;
    let secret = written.secret_name.filter(|secret| !secret.is_empty())?;
    let mut hosts: Vec<ServerHost> = written.hosts.iter().map(|host| any_namespace(host.as_str())).collect();
    if hosts.is_empty() {
        hosts.push(any_namespace("*"));
    }
    let context = DownstreamTlsContext {
        common_tls_context: CommonTlsContext {
            tls_certificate_sds_secret_configs: vec![SdsSecretConfig::credential(secret.as_str())],
            ..CommonTlsContext::default()
        },
        require_client_certificate: Some(false),
    };
    Some(Server {
        port_name: Str::from(format!(
            "https-443-ingress-{}-{}-{number}",
            header.name, header.namespace
        )),
        port: 443,
        protocol: Protocol::Https,
        protocol_text: Str::new_static("HTTPS"),
        hosts,
        tls: ServerTls::Terminate(Box::new(context)),
        span: written.span,
        ..http_server(ingress)
    })
}

fn any_namespace(host: &str) -> ServerHost {
    ServerHost {
        namespace: Str::new_static("*"),
        host: Str::new(host),
    }
}
