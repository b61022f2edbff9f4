//! Gateways of Istio's API.

use super::model::{GatewayServers, RunsOn, Server, ServerHost, ServerTls};
use super::tls::server_tls;
use crate::envoy::environment::Environment;
use crate::envoy::message::Str;
use crate::envoy::registry::UNDATED;
use crate::mesh::{Mesh, Protocol};
use crate::model::istio::{self, Gateway};

/// All of them. Of several clusters, those of the first count.
pub fn gateways<'m, 'a>(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>) -> Vec<GatewayServers<'m>> {
    let gateways = mesh.all::<Gateway<'a>>().filter(|gateway| gateway.header.cluster == 0);
    let lowered = gateways.map(|gateway| {
        let (header, body) = (gateway.header, gateway.body);
        let namespace = header.namespace.as_str();
        let labels = body
            .selector
            .iter()
            .map(|(key, value)| (Str::new(key), Str::new(value)));
        let servers = body.servers.iter();
        GatewayServers {
            name: Str::new(header.name.as_str()),
            namespace,
            created: header.created.map_or(UNDATED, |created| created.as_str()),
            runs_on: RunsOn::Labels(labels.collect()),
            servers: servers
                .filter_map(|written| server(written, namespace, environment))
                .collect(),
            resource: gateway.id,
            span: header.span,
        }
    });
    lowered.collect()
}

fn server(written: &istio::Server<'_>, namespace: &str, environment: &Environment<'_, '_>) -> Option<Server> {
    let port = written.port.as_deref()?;
    let text = |text: Option<crate::model::Text<'_>>| text.map_or(Str::default(), |text| Str::new(text.as_str()));
    let protocol_text = text(port.protocol);
    let protocol = Protocol::from_name(&protocol_text).unwrap_or(Protocol::Auto);
    let settings = written.tls.as_deref();
    let hosts = written.hosts.iter().map(|host| server_host(host.as_str(), namespace));
    Some(Server {
        port_name: text(port.name),
        port: u32::try_from(port.number?.value).ok()?,
        protocol,
        protocol_text,
        bind: text(written.bind),
        name: text(written.name),
        hosts: hosts.collect(),
        https_redirect: settings
            .and_then(|settings| settings.https_redirect)
            .is_some_and(|redirect| redirect.value),
        tls: match settings {
            Some(settings) if !protocol.is_http() => server_tls(settings, environment),
            _ => ServerTls::None,
        },
        span: written.span,
    })
}

/// Reads `host`, `*/host`, `./host` and `namespace/host`.
fn server_host(text: &str, namespace: &str) -> ServerHost {
    let (scope, host) = text.split_once('/').unwrap_or(("*", text));
    ServerHost {
        namespace: Str::new(if scope == "." { namespace } else { scope }),
        host: Str::new(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_name_a_namespace_in_four_ways() {
        for (text, namespace, host) in [
            ("a.example", "*", "a.example"),
            ("*/a.example", "*", "a.example"),
            ("./a.example", "shop", "a.example"),
            ("pay/*", "pay", "*"),
        ] {
            let read = server_host(text, "shop");
            assert_eq!(
                (read.namespace.as_str(), read.host.as_str()),
                (namespace, host),
                "{text}"
            );
        }
    }
}
