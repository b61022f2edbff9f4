//! The `format`s of the schemas: forms that no pattern can say, judged as istiod and the API server judge them.

use std::fmt::{self, Write};

use super::cel;
use crate::values::duration::Duration;
use crate::values::{address, header, host, label, policy, regex};

/// What a malformed text was to be. Several formats are of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A length of time.
    Duration,
    /// A host.
    Host,
    /// An IP address, a range of them, or what stands for one.
    Address,
    /// The key or value of a label.
    Label,
    /// The name of an object, a namespace, a port or a subset.
    Name,
    /// A regular expression.
    Regex,
    /// A CEL expression.
    Expression,
    /// The name of a header.
    HeaderName,
    /// The value of a header.
    HeaderValue,
    /// The path of a request.
    Path,
    /// A URL.
    Url,
    /// Who calls: a service account or a trust domain.
    Identity,
    /// The number of a port.
    Port,
    /// A word of a list.
    Word,
    /// A number with a form of its own.
    Number,
    /// Anything else.
    Text,
}

/// Why a value does not have its format.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub reason: String,
    /// The word at fault, where it is only a part of the value, and the words it could be.
    pub word: Option<(String, &'static [&'static str])>,
    /// Only istiod's webhook demands this, whoever demands the rest of the format.
    pub webhook_only: bool,
}

impl Fault {
    fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
            word: None,
            webhook_only: false,
        }
    }
}

type Judged = Result<(), Fault>;

macro_rules! formats {
    ($($(#[$meta:meta])* $variant:ident $name:literal $form:ident $judge:expr;)*) => {
        /// A format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[$meta])* $variant,)*
        }

        impl Format {
            /// The format of a name in a schema.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Format::$variant),)*
                    _ => None,
                }
            }

            /// What a text of this format is.
            pub fn form(self) -> Form {
                match self {
                    $(Format::$variant => Form::$form,)*
                }
            }

            /// Judges the text of a value; of a number, its digits.
            pub fn check(self, text: &str) -> Judged {
                let judge: fn(&str) -> Judged = match self {
                    $(Format::$variant => $judge,)*
                };
                judge(text)
            }
        }
    };
}

formats! {
    /// A duration of Go.
    Duration "duration" Duration duration;
    /// A duration that Envoy's timers take.
    Timer "timer" Duration |text| timer(text, Duration::MILLISECOND);
    /// One in whole seconds.
    TimerInSeconds "timer-in-seconds" Duration |text| timer(text, Duration::SECOND);
    /// One where less than a millisecond turns the timer off.
    TimerOrOff "timer-or-off" Duration timer_or_off;
    /// A host without wildcard.
    Fqdn "fqdn" Host |text| host::check_fqdn(text).map_err(Fault::new);
    /// A host that may begin with a wildcard.
    WildcardHost "wildcard-host" Host |text| host::check_wildcard(text).map_err(Fault::new);
    /// The same, but not `*` alone.
    NamedHost "named-host" Host named_host;
    /// A host, or an address.
    HostOrIp "host-or-ip" Host host_or_ip;
    /// A host without wildcard, or an address.
    FqdnOrIp "fqdn-or-ip" Host fqdn_or_ip;
    /// A host of a Gateway, perhaps after `namespace/`.
    ServerHost "server-host" Host server_host;
    /// `namespace/host` of a Sidecar.
    EgressHost "egress-host" Host egress_host;
    /// A duration whose form a pattern says.
    GatewayDuration "gateway-duration" Duration |_| Ok(());
    /// A host whose form a pattern says.
    Hostname "gateway-hostname" Host |_| Ok(());
    /// An address.
    Ip "ip" Address ip;
    /// An address, or nothing.
    IpOrEmpty "ip-or-empty" Address |text| if text.is_empty() { Ok(()) } else { ip(text) };
    /// An address or a range of them.
    IpOrCidr "ip-or-cidr" Address ip_or_cidr;
    /// An address or a Unix socket.
    IpOrSocket "ip-or-socket" Address ip_or_socket;
    /// Where an endpoint is.
    Endpoint "endpoint-address" Address endpoint;
    /// The address of the application behind a Sidecar.
    DefaultEndpoint "default-endpoint" Address default_endpoint;
    /// `host:port`.
    HostPort "host-port" Address host_port;
    /// The key of a label.
    LabelKey "label-key" Label |text| or(label::is_key(text), "a key is a name of letters, digits, `-`, `_` and `.`, perhaps after a prefix and `/`");
    /// The value of a label.
    LabelValue "label-value" Label |text| or(label::is_value(text), "a value has letters, digits and inner `-`, `_` and `.`");
    /// A key that a selector looks for.
    SelectorKey "selector-key" Label selector_key;
    /// A value that a selector looks for.
    SelectorValue "selector-value" Label |text| or(!text.contains('*'), "a selector knows no wildcards");
    /// A DNS label.
    DnsLabel "dns-label" Name dns_label;
    /// A DNS label, or nothing.
    DnsLabelOrEmpty "dns-label-or-empty" Name |text| if text.is_empty() { Ok(()) } else { dns_label(text) };
    /// A name whose form a pattern says.
    ObjectName "object-name" Name |_| Ok(());
    /// A Secret, or a ConfigMap with its namespace.
    CredentialName "credential-name" Name credential_name;
    /// The gateways of a VirtualService.
    GatewayName "gateway-name" Name gateway_name;
    /// Where something is visible.
    ExportTo "export-to" Name |text| export_to(text, false);
    /// The same with `~`.
    ExportToOrNone "export-to-or-none" Name |text| export_to(text, true);
    /// The name of a header that is matched.
    MatchedHeader "matched-header" HeaderName matched_header;
    /// A header that is set on a request.
    RequestHeader "request-header" HeaderName request_header;
    /// A header that is changed otherwise.
    ChangedHeader "changed-header" HeaderName changed_header;
    /// A header name whose form a pattern says.
    HeaderName "header-name" HeaderName |_| Ok(());
    /// A token, or `*`.
    TokenOrStar "token-or-star" HeaderName |text| or(text == "*" || header::is_token(text), "a header name has letters, digits and `-`");
    /// What a header is set to.
    HeaderValue "header-value" HeaderValue |text| header::check_value(text).map_err(Fault::new);
    /// The path of an operation.
    PathTemplate "path-template" Path |text| entry(policy::Form::Path, text);
    /// A path whose form a pattern says.
    UrlPath "url-path" Path |_| Ok(());
    /// The URL of a key set.
    HttpUrl "http-url" Url http_url;
    /// The URL of a module.
    ModuleUrl "module-url" Url module_url;
    /// A service account, perhaps after `namespace/`.
    ServiceAccount "service-account" Identity |text| entry(policy::Form::ServiceAccount, text);
    /// A trust domain, with a wildcard at one end.
    TrustDomain "trust-domain-pattern" Identity |text| entry(policy::Form::TrustDomain, text);
    /// A port.
    Port "port" Port port;
    /// A port in a text; 0 counts.
    PortText "port-or-zero" Port |text| entry(policy::Form::Port, text);
    /// Conditions on which a request is sent again.
    RetryOn "retry-on" Word |text| words(text, RETRY_CONDITIONS, is_status);
    /// The protocol of a port.
    Protocol "port-protocol" Word protocol;
    /// The percentage of a fault.
    FaultPercentage "fault-percentage" Number |text| or(text.parse().is_ok_and(|value: f64| value <= 0.0 || value >= 0.0001), "the smallest share is 0.0001");
    /// A prime number.
    Prime "prime" Number |text| or(text.parse().is_ok_and(is_prime), "it is no prime number");
    /// The status of a redirect.
    RedirectStatus "redirect-status" Number |text| or(text.parse().is_ok_and(|status: i64| status == 0 || (300..400).contains(&status)), "a redirect has a status from 300 to 399");
    /// A whole number of 32 bits.
    Int32 "int32" Number |text| or(text.parse().is_ok_and(|value: f64| value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX)), "it has more than 32 bits");
    /// A regular expression of Go.
    Re2 "re2" Regex |text| regex::check(text).map_err(Fault::new);
    /// The same, or `*`.
    Re2OrStar "re2-or-star" Regex |text| if text == "*" { Ok(()) } else { regex::check(text).map_err(Fault::new) };
    /// An expression in the Common Expression Language.
    Cel "cel" Expression |text| cel::check_syntax(text).map_err(Fault::new);
    /// Bytes in base64.
    Byte "byte" Text |text| or(is_base64(text), "it is no base64");
}

fn or(good: bool, reason: &str) -> Judged {
    if good { Ok(()) } else { Err(Fault::new(reason)) }
}

fn duration(text: &str) -> Judged {
    or(
        Duration::parse(text).is_some(),
        "a duration is a number and a unit (`1.5s`, `1h30m`, `200ms`)",
    )
}

fn timer(text: &str, step: Duration) -> Judged {
    duration(text)?;
    let value = Duration::parse(text).unwrap_or(step);
    or(value >= Duration::MILLISECOND, "it is shorter than a millisecond")?;
    whole(value, step)
}

fn timer_or_off(text: &str) -> Judged {
    duration(text)?;
    let value = Duration::parse(text).unwrap_or(Duration::MILLISECOND);
    if value.0.abs() < Duration::MILLISECOND.0 {
        return Ok(());
    }
    or(value.0 > 0, "it is negative")?;
    whole(value, Duration::MILLISECOND)
}

fn whole(value: Duration, step: Duration) -> Judged {
    if value.is_whole(step) {
        return Ok(());
    }
    let unit = if step == Duration::SECOND {
        "seconds"
    } else {
        "milliseconds"
    };
    Err(Fault {
        webhook_only: true,
        ..Fault::new(format_args!("it is no whole number of {unit}"))
    })
}

fn named_host(text: &str) -> Judged {
    or(text != "*", "it must not be `*` alone")?;
    host::check_wildcard(text).map_err(Fault::new)
}

fn host_or_ip(text: &str) -> Judged {
    // istiod's own names of a passthrough gateway's routes.
    if text.starts_with("outbound_") {
        return Ok(());
    }
    match host::check_wildcard(text) {
        Err(fault) if address::parse(text).is_none() => Err(Fault::new(fault)),
        _ => Ok(()),
    }
}

fn fqdn_or_ip(text: &str) -> Judged {
    match host::check_fqdn(text) {
        Err(fault) if address::parse(text).is_none() => Err(Fault::new(fault)),
        _ => Ok(()),
    }
}

fn server_host(text: &str) -> Judged {
    let Some((namespace, host)) = text.split_once('/') else {
        return scoped_host(text, true);
    };
    let known = matches!(namespace, "*" | "." | "~") || host::is_dns_label(namespace);
    or(known, "what stands before `/` must be a namespace, `*` or `.`")?;
    scoped_host(host, true)
}

fn egress_host(text: &str) -> Judged {
    let Some((namespace, host)) = text.split_once('/') else {
        return or(false, "the form is `namespace/host`");
    };
    let (excludes, rest) = namespace
        .strip_prefix('~')
        .map_or((false, namespace), |rest| (true, rest));
    let known = matches!(rest, "*" | ".") || host::is_dns_label(rest) || (excludes && rest.is_empty());
    or(known, "what stands before `/` must be a namespace, `*`, `.` or `~`")?;
    scoped_host(host, false)
}

/// A host where short names mean nothing.
fn scoped_host(text: &str, address_allowed: bool) -> Judged {
    let is_address = || address_allowed && text.contains('.') && address::parse(text).is_some();
    match host::check_full(text) {
        Err(fault) if !is_address() => Err(Fault::new(fault)),
        _ => Ok(()),
    }
}

fn ip(text: &str) -> Judged {
    or(address::parse(text).is_some(), "it is no IPv4 or IPv6 address")
}

fn ip_or_cidr(text: &str) -> Judged {
    or(
        address::is_address_or_prefix(text),
        "it is neither an IP address nor a range such as `10.0.0.0/8`",
    )
}

fn ip_or_socket(text: &str) -> Judged {
    match text.strip_prefix("unix://") {
        Some(path) => socket(path),
        None if text.is_empty() => Ok(()),
        None => ip(text),
    }
}

/// The path of a Unix socket: `@` and a name, or an absolute path of a file.
fn socket(path: &str) -> Judged {
    or(
        address::is_socket_path(path),
        "the path of a socket is absolute and no folder, or begins with `@`",
    )
}

fn endpoint(text: &str) -> Judged {
    match text.strip_prefix("unix://") {
        Some(path) => socket(path),
        None if text.is_empty() => Ok(()),
        None => fqdn_or_ip(text),
    }
}

fn default_endpoint(text: &str) -> Judged {
    if let Some(path) = text.strip_prefix("unix://") {
        return socket(path);
    }
    if text.is_empty() {
        return Ok(());
    }
    let Some((host, port_text)) = address::split_port(text) else {
        return or(false, "the form is `127.0.0.1:PORT`, `0.0.0.0:PORT` or `unix:///path`");
    };
    or(
        matches!(host, "" | "127.0.0.1" | "0.0.0.0" | "::1" | "::"),
        "the host must be `127.0.0.1`, `0.0.0.0`, `[::1]` or `[::]`",
    )?;
    port(port_text)
}

fn host_port(text: &str) -> Judged {
    let Some((host, port_text)) = address::split_port(text) else {
        return or(false, "the form is `host:port`");
    };
    fqdn_or_ip(host)?;
    port(port_text)
}

fn selector_key(text: &str) -> Judged {
    or(!text.is_empty(), "a key is empty")?;
    or(!text.contains('*'), "a selector knows no wildcards")
}

fn dns_label(text: &str) -> Judged {
    or(!text.is_empty(), "it is empty")?;
    or(
        host::is_dns_label(text),
        "a name has at most 63 letters, digits and inner dashes",
    )
}

fn credential_name(text: &str) -> Judged {
    let Some(rest) = text.strip_prefix("configmap://") else {
        return Ok(());
    };
    let full = rest
        .split_once('/')
        .is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    or(full, "the form is `configmap://namespace/name`")
}

fn gateway_name(text: &str) -> Judged {
    let Some((namespace, name)) = text.split_once('/') else {
        return host::check_fqdn(text).map_err(Fault::new);
    };
    let part = |what: &str, text: &str| {
        or(
            host::is_dns_label(text),
            &format!("the {what} has at most 63 letters, digits and inner dashes"),
        )
    };
    part("namespace", namespace)?;
    part("name", name)
}

fn export_to(text: &str, none_allowed: bool) -> Judged {
    let good = matches!(text, "." | "*") || host::is_dns_label(text);
    match text {
        "~" if none_allowed => Ok(()),
        "~" => or(false, "only a ServiceEntry can be visible nowhere"),
        _ => or(good, "it must be `.`, `*` or a namespace"),
    }
}

fn matched_header(text: &str) -> Judged {
    let claim = "@request.auth.claims";
    let is_claim = text
        .get(..claim.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(claim))
        && matches!(text.as_bytes().get(claim.len()), Some(b'.' | b'['));
    let pseudo = matches!(text, ":method" | ":scheme" | ":authority" | ":path" | ":status");
    or(!text.is_empty(), "a header without a name")?;
    or(
        is_claim || pseudo || header::is_token(text),
        "a header name has letters, digits and `-`",
    )
}

fn request_header(text: &str) -> Judged {
    or(!text.is_empty(), "a header without a name")?;
    let pseudo = text.starts_with(':') && !text.eq_ignore_ascii_case(":authority");
    or(!pseudo, "of the pseudo headers only `:authority` can be set")
}

fn changed_header(text: &str) -> Judged {
    or(!text.is_empty(), "a header without a name")?;
    let fixed = text.starts_with(':') || text.eq_ignore_ascii_case("host");
    or(!fixed, "neither the host nor a pseudo header can be changed here")
}

/// `{*}` stands for a segment, `{**}` for the rest; a path with one of them is not a pattern with `*`.
fn http_url(text: &str) -> Judged {
    let Some((scheme, rest)) = text.split_once("://") else {
        return or(false, "it must begin with `https://` or `http://`");
    };
    let known = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    or(known, "it must begin with `https://` or `http://`")?;
    authority(rest)
}

/// Without a scheme it is taken for an image of a registry.
fn module_url(text: &str) -> Judged {
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return authority(text);
    };
    let known = ["oci", "https", "http", "file"];
    or(
        known.iter().any(|known| scheme.eq_ignore_ascii_case(known)),
        "it must begin with `oci://`, `https://`, `http://` or `file://`",
    )?;
    authority(rest)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// Host and port at the front of what follows `://`.
fn authority(text: &str) -> Judged {
    or(!has_blank_or_control(text), "a URL has no blanks")?;
    or(is_escaped(text), "a `%` must be followed by two hexadecimal digits")?;
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let port_text = host.rsplit_once(']').map_or(host, |(_, after)| after).split_once(':');
    or(
        port_text.is_none_or(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())),
        "its port is no number",
    )
}

/// Whether each `%` begins an escape, but for the query, where it may stand for itself.
fn is_escaped(text: &str) -> bool {
    let (front, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = front.split('?').next().unwrap_or_default();
    [path, fragment].into_iter().all(|part| {
        part.split('%')
            .skip(1)
            .all(|after| after.len() >= 2 && after.bytes().take(2).all(|b| b.is_ascii_hexdigit()))
    })
}

fn has_blank_or_control(text: &str) -> bool {
    text.bytes().any(|b| b <= b' ' || b == 0x7f)
}

/// An entry of an authorization policy.
fn entry(form: policy::Form, text: &str) -> Judged {
    form.fault(text).map_or(Ok(()), |reason| Err(Fault::new(reason)))
}

fn port(text: &str) -> Judged {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<u16>() {
        Ok(1..) if plain => Ok(()),
        _ => or(false, "a port is a number from 1 to 65535"),
    }
}

/// What a request can be sent again on, beside the numbers of statuses.
const RETRY_CONDITIONS: &[&str] = &[
    "5xx",
    "gateway-error",
    "reset",
    "reset-before-request",
    "connect-failure",
    "retriable-4xx",
    "refused-stream",
    "retriable-status-codes",
    "retriable-headers",
    "envoy-ratelimited",
    "http3-post-connect-failure",
    "cancelled",
    "deadline-exceeded",
    "internal",
    "resource-exhausted",
    "unavailable",
];

/// Whether a text is the number of a status that HTTP has.
fn is_status(text: &str) -> bool {
    let known = |status: u32| {
        matches!(status, 100..=103 | 200..=208 | 226 | 300..=305 | 307 | 308)
            || matches!(status, 400..=418 | 421..=426 | 428 | 429 | 431 | 451 | 500..=508 | 510 | 511)
    };
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse().is_ok_and(known)
}

/// A list of words with commas between them, without blanks.
fn words(text: &str, known: &'static [&'static str], also: fn(&str) -> bool) -> Judged {
    if text.is_empty() {
        return Ok(());
    }
    match text.split(',').find(|word| !known.contains(word) && !also(word)) {
        Some(word) => Err(unknown(word, known)),
        None => Ok(()),
    }
}

fn unknown(word: &str, known: &'static [&'static str]) -> Fault {
    let mut reason = String::from("it is one of ");
    for (index, word) in known.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(reason, "{separator}`{word}`").expect("a string takes all text");
    }
    Fault {
        word: Some((word.to_owned(), known)),
        ..Fault::new(reason)
    }
}

const PROTOCOLS: &[&str] = &[
    "HTTP",
    "HTTPS",
    "HTTP2",
    "GRPC",
    "GRPC-Web",
    "TCP",
    "TLS",
    "UDP",
    "MONGO",
    "REDIS",
    "MYSQL",
    "HTTP_PROXY",
];

fn protocol(text: &str) -> Judged {
    if text.is_empty() || PROTOCOLS.iter().any(|known| known.eq_ignore_ascii_case(text)) {
        Ok(())
    } else {
        Err(unknown(text, PROTOCOLS))
    }
}

/// 1 counts for istiod.
fn is_prime(value: u32) -> bool {
    let value = u64::from(value);
    value > 0
        && (2..value)
            .take_while(|divisor| divisor * divisor <= value)
            .all(|divisor| value % divisor != 0)
}

fn is_base64(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    text.len() % 4 != 1
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(format: &str, good: &[&str], bad: &[&str]) {
        let format_of = Format::from_name(format).expect("it is a format");
        for text in good {
            assert_eq!(format_of.check(text), Ok(()), "{format}: {text}");
        }
        for text in bad {
            assert!(format_of.check(text).is_err(), "{format}: {text}");
        }
    }

    #[test]
    fn timers_are_whole_milliseconds() {
        judge(
            "timer",
            &["1ms", "1.5s", "1h"],
            &["0s", "500us", "1.0005s", "-1s", "5", ""],
        );
        judge("timer-or-off", &["0s", "500us", "1s"], &["1.5ms", "-1s", "x"]);
        judge("timer-in-seconds", &["24h"], &["1500ms"]);
        let step = Format::Timer.check("1500us").expect_err("it is no whole number");
        assert!(step.webhook_only);
    }

    #[test]
    fn hosts_and_addresses_depend_on_their_place() {
        judge("named-host", &["a", "*.a.b"], &["*", "", "a_b"]);
        judge(
            "server-host",
            &["*", "a.b", "ns/a.b", "./*.b", "10.0.0.1", "*/*"],
            &["a", "A_/a.b", "ns/", "/a.b", "*a.b"],
        );
        judge(
            "egress-host",
            &["./*", "~/*", "~a/b.c", "*/b.c"],
            &["*", "b.c", "/b.c", "a/b", "a/*b.c"],
        );
        judge(
            "endpoint-address",
            &["", "10.0.0.1", "a.b", "unix:///a", "unix://@a"],
            &["a:80", "unix://", "unix://a", "unix:///a/"],
        );
        judge(
            "default-endpoint",
            &["127.0.0.1:80", "[::1]:80", "unix:///a", ":80"],
            &["10.0.0.1:80", "127.0.0.1", "127.0.0.1:x", "::1:80"],
        );
        judge("ip-or-socket", &["", "::1", "unix://@a"], &["a", "unix://"]);
        judge(
            "host-port",
            &["a.b:80", "[::1]:80"],
            &["a.b", "a.b:0", "a_b:80", "::1:80"],
        );
    }

    #[test]
    fn words_and_numbers_are_judged_by_their_lists() {
        judge("retry-on", &["", "5xx,reset,503"], &["5xx, reset", "999", "reset,"]);
        judge("port-protocol", &["", "http", "GRPC-web"], &["HTTP/2"]);
        judge("prime", &["1", "2", "65537"], &["0", "4", "-3", "65536"]);
        judge("port", &["1", "65535"], &["0", "65536", "+1", "", "http"]);
        judge("redirect-status", &["0", "308"], &["200", "400"]);
        judge("fault-percentage", &["0", "0.0001", "50"], &["0.00005"]);
    }

    #[test]
    fn texts_have_their_forms() {
        judge(
            "path-template",
            &["/a*", "*", "/a/{*}/{**}", "/{**}/b"],
            &["/{a}", "/{**}/{*}", "/{*}/a*", "/{*}x"],
        );
        judge(
            "module-url",
            &["oci://r/x:1", "r/x:1", "://", "file:///a"],
            &["docker://r/x", "a:b/c", "#%blah$#@", "a b"],
        );
        judge(
            "http-url",
            &["https://a/b", "HTTP://a:80"],
            &["a/b", "ftp://a", "http://a:b"],
        );
        judge("service-account", &["a", "ns/a"], &["", "a/", "/a", "a/b/c", "*"]);
        judge("trust-domain-pattern", &["*", "a", "*a", "a*"], &["*a*", "a*b", "a/b"]);
        judge(
            "matched-header",
            &["x-a", ":path", "@request.auth.claims.a"],
            &["", "a b", ":host", "@request.auth.claimsx"],
        );
        judge("request-header", &["host", ":authority"], &["", ":path"]);
        judge("changed-header", &["x"], &["", "Host", ":path"]);
        judge("byte", &["", "aGk=", "aGk"], &["a", "a b", "é"]);
        judge("gateway-name", &["mesh", "ns/a"], &["a_b", "/a", "a/", "a/b/c"]);
        judge(
            "credential-name",
            &["a", "configmap://a/b"],
            &["configmap://a", "configmap:///b"],
        );
    }
}
