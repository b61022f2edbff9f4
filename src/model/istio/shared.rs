//! Types that several of Istio's kinds use.

use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};
use crate::source::Span;

record! {
    /// Limits of connections and requests; beyond them requests fail at once.
    ConnectionPoolSettings<'a> {
        tcp: Option<Box<TcpSettings<'a>>> = boxed("tcp", TcpSettings::decode);
        http: Option<Box<HttpSettings<'a>>> = boxed("http", HttpSettings::decode);
        is_empty: bool = leaves_unset(&["tcp", "http"]);
    }
    /// Settings for all connections.
    TcpSettings<'a> {
        max_connections: Option<Spanned<i64>> = number("maxConnections");
        connect_timeout: Option<Text<'a>> = text("connectTimeout");
        tcp_keepalive: Option<Box<TcpKeepalive<'a>>> = boxed("tcpKeepalive", TcpKeepalive::decode);
        max_connection_duration: Option<Text<'a>> = text("maxConnectionDuration");
        idle_timeout: Option<Text<'a>> = text("idleTimeout");
    }
    /// Probes on idle connections.
    TcpKeepalive<'a> {
        probes: Option<Spanned<i64>> = number("probes");
        time: Option<Text<'a>> = text("time");
        interval: Option<Text<'a>> = text("interval");
    }
    /// Limits of HTTP requests.
    HttpSettings<'a> {
        http1_max_pending_requests: Option<Spanned<i64>> = number("http1MaxPendingRequests");
        http2_max_requests: Option<Spanned<i64>> = number("http2MaxRequests");
        max_requests_per_connection: Option<Spanned<i64>> = number("maxRequestsPerConnection");
        max_retries: Option<Spanned<i64>> = number("maxRetries");
        idle_timeout: Option<Text<'a>> = text("idleTimeout");
        h2_upgrade_policy: Option<Text<'a>> = text("h2UpgradePolicy");
        use_client_protocol: Option<Spanned<bool>> = boolean("useClientProtocol");
        max_concurrent_streams: Option<Spanned<i64>> = number("maxConcurrentStreams");
        http2_keep_alive: Option<Box<ConnectionKeepalive<'a>>> = boxed("http2KeepAlive", ConnectionKeepalive::decode);
    }
    /// HTTP/2 pings that find dead connections.
    ConnectionKeepalive<'a> {
        interval: Option<Text<'a>> = text("interval");
        timeout: Option<Text<'a>> = text("timeout");
    }
    /// TLS of the server side.
    ServerTlsSettings<'a> {
        https_redirect: Option<Spanned<bool>> = boolean("httpsRedirect");
        mode: Option<Text<'a>> = text("mode");
        server_certificate: Option<Text<'a>> = text("serverCertificate");
        private_key: Option<Text<'a>> = text("privateKey");
        ca_certificates: Option<Text<'a>> = text("caCertificates");
        ca_crl: Option<Text<'a>> = text("caCrl");
        credential_name: Option<Text<'a>> = text("credentialName");
        credential_names: ThinVec<Text<'a>> = texts("credentialNames");
        ca_cert_credential_name: Option<Text<'a>> = text("caCertCredentialName");
        tls_certificates: ThinVec<TlsCertificate<'a>> = list("tlsCertificates", TlsCertificate::decode);
        subject_alt_names: ThinVec<Text<'a>> = texts("subjectAltNames");
        verify_certificate_spki: ThinVec<Text<'a>> = texts("verifyCertificateSpki");
        verify_certificate_hash: ThinVec<Text<'a>> = texts("verifyCertificateHash");
        min_protocol_version: Option<Text<'a>> = text("minProtocolVersion");
        max_protocol_version: Option<Text<'a>> = text("maxProtocolVersion");
        cipher_suites: ThinVec<Text<'a>> = texts("cipherSuites");
        insecure_skip_verify: Option<Spanned<bool>> = boolean("insecureSkipVerify");
        ecdh_curves: ThinVec<Text<'a>> = texts("ecdhCurves");
    }
    /// Files of one certificate.
    TlsCertificate<'a> {
        server_certificate: Option<Text<'a>> = text("serverCertificate");
        private_key: Option<Text<'a>> = text("privateKey");
        ca_certificates: Option<Text<'a>> = text("caCertificates");
    }
    /// Settings of the VM that runs a module.
    VmConfig<'a> {
        env: ThinVec<EnvVar<'a>> = list("env", EnvVar::decode);
    }
    /// One environment variable of a module.
    EnvVar<'a> {
        name: Option<Text<'a>> = text("name");
        value_from: Option<Text<'a>> = text("valueFrom");
        value: Option<Text<'a>> = text("value");
    }
}

impl<'a> ServerTlsSettings<'a> {
    /// The mode; where none is set, TLS is passed through.
    pub fn mode(&self) -> &'a str {
        self.mode.as_ref().map_or("PASSTHROUGH", Text::as_str)
    }

    /// Whether TLS is passed through and not ended here.
    pub fn passes_through(&self) -> bool {
        matches!(self.mode(), "PASSTHROUGH" | "AUTO_PASSTHROUGH")
    }

    /// The fields that are set of those that give certificates and keys, with their places.
    pub fn certificates(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let texts = [
            ("serverCertificate", &self.server_certificate),
            ("privateKey", &self.private_key),
            ("caCertificates", &self.ca_certificates),
            ("credentialName", &self.credential_name),
        ];
        let names = self.credential_names.first().map(|name| name.span);
        let files = self.tls_certificates.first().map(|files| files.span);
        let lists = [("credentialNames", names), ("tlsCertificates", files)];
        texts
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_ref().filter(|text| !text.is_empty())?.span)))
            .chain(lists.into_iter().filter_map(|(field, span)| Some((field, span?))))
    }

    /// Whether the certificate comes from a Secret.
    pub fn names_credential(&self) -> bool {
        self.credential_name.as_ref().is_some_and(|name| !name.is_empty()) || !self.credential_names.is_empty()
    }
}
