//! Names of headers as the application writes them, `preserveHttp1HeaderCase`.

use crate::envoy::fixed;
use crate::envoy::message::{Cluster, Json};
use crate::mesh::Protocol;

/// Lets the HTTP/1.1 of a cluster keep the case of header names; HTTP/2 has none and TCP no headers (catalogue: cluster
/// fields, 33).
pub fn preserve_header_case(cluster: &mut Cluster, protocol: Protocol) {
    if !matches!(protocol, Protocol::Http | Protocol::Auto) || cluster.is_http2() {
        return;
    }
    if protocol == Protocol::Http {
        cluster.http().complete();
    }
    let options = cluster.typed_extension_protocol_options.as_mut();
    let Some(http) = options.and_then(|options| options.http.as_mut()) else {
        return;
    };
    let explicit = http.explicit_http_config.as_mut();
    let explicit = explicit.and_then(|explicit| explicit.http_protocol_options.as_mut());
    let downstream = http.use_downstream_protocol_config.as_mut();
    let downstream = downstream.and_then(|downstream| downstream.http_protocol_options.as_mut());
    for options in explicit.into_iter().chain(downstream) {
        options.header_key_format = Some(Json::clone(&fixed::PRESERVE_CASE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps_case(mut cluster: Cluster, protocol: Protocol) -> bool {
        preserve_header_case(&mut cluster, protocol);
        let text = serde_json::to_string(&cluster).expect("a cluster is JSON");
        text.contains("preserve_case")
    }

    #[test]
    fn only_http_1_keeps_the_case() {
        let speaking = |speak: fn(&mut Cluster)| {
            let mut cluster = Cluster::default();
            speak(&mut cluster);
            cluster
        };
        assert!(keeps_case(Cluster::default(), Protocol::Http));
        assert!(keeps_case(
            speaking(|cluster| cluster.http().set_downstream_protocol()),
            Protocol::Auto
        ));
        assert!(!keeps_case(Cluster::default(), Protocol::Auto));
        assert!(!keeps_case(Cluster::default(), Protocol::Tcp));
        assert!(!keeps_case(
            speaking(|cluster| cluster.http().set_http2()),
            Protocol::Http
        ));
    }
}
