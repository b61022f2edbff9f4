//! What is added to the registry: `ServiceEntry`s, `WorkloadEntry`s and `WorkloadGroup`s.

mod address_range_with_dns;
mod dynamic_dns_behind_waypoint;
mod dynamic_dns_host_without_wildcard;
mod dynamic_dns_with_addresses;
mod endpoints_with_selector;
mod endpoints_without_resolution;
mod mismatched_endpoint_address;
mod network_without_address;
mod probe_without_method;
mod repeated_service_port;
mod selector_without_resolution;
mod several_hosts_on_one_address;
mod several_hosts_on_tcp;
mod several_round_robin_endpoints;
mod tcp_port_without_address;
mod unix_socket_with_ports;
mod unix_socket_without_single_port;
mod unknown_endpoint_port;
mod unknown_target_port;
mod unsupported_dynamic_dns_protocol;
mod wildcard_host_with_dns;
mod workload_without_address;

use super::Rule;
use crate::mesh::Object;
use crate::model::Text;
use crate::model::istio::ServiceEntry;

pub const RULES: &[Rule] = &[
    address_range_with_dns::RULE,
    dynamic_dns_behind_waypoint::RULE,
    dynamic_dns_host_without_wildcard::RULE,
    dynamic_dns_with_addresses::RULE,
    endpoints_with_selector::RULE,
    endpoints_without_resolution::RULE,
    mismatched_endpoint_address::RULE,
    network_without_address::RULE,
    probe_without_method::RULE,
    repeated_service_port::RULE,
    selector_without_resolution::RULE,
    several_hosts_on_one_address::RULE,
    several_hosts_on_tcp::RULE,
    several_round_robin_endpoints::RULE,
    tcp_port_without_address::RULE,
    unix_socket_with_ports::RULE,
    unix_socket_without_single_port::RULE,
    unknown_endpoint_port::RULE,
    unknown_target_port::RULE,
    unsupported_dynamic_dns_protocol::RULE,
    wildcard_host_with_dns::RULE,
    workload_without_address::RULE,
];

/// How the endpoints of an entry are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Resolution {
    None,
    Static,
    Dns,
    DnsRoundRobin,
    DynamicDns,
    /// Filled in later, or misspelt.
    Unknown,
}

impl Resolution {
    /// Whether a name is looked up.
    fn is_by_name(self) -> bool {
        matches!(self, Self::Dns | Self::DnsRoundRobin)
    }

    /// Whether connections go elsewhere than where the client sent them.
    fn is_resolved(self) -> bool {
        !matches!(self, Self::None | Self::Unknown)
    }
}

fn resolution(entry: &Object<'_, '_, ServiceEntry<'_>>) -> Resolution {
    match entry.body.resolution.as_ref().map(Text::as_str) {
        None | Some("NONE") => Resolution::None,
        Some("STATIC") => Resolution::Static,
        Some("DNS") => Resolution::Dns,
        Some("DNS_ROUND_ROBIN") => Resolution::DnsRoundRobin,
        Some("DYNAMIC_DNS") => Resolution::DynamicDns,
        Some(_) => Resolution::Unknown,
    }
}

fn is_empty(text: Option<&Text<'_>>) -> bool {
    text.is_none_or(|text| text.is_empty())
}
