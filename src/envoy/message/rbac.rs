//! Authorization.

use std::collections::BTreeMap;

use super::{CidrRange, HeaderMatcher, Json, Origin, Str, StringMatcher, message};

message! {
    /// `filters.http.rbac.v3.RBAC`
    HttpRbac {
        rules: Option<Rbac>,
        shadow_rules: Option<Rbac>,
        shadow_rules_stat_prefix: &'static str,
    }
    /// `filters.network.rbac.v3.RBAC`
    NetworkRbac {
        rules: Option<Rbac>,
        shadow_rules: Option<Rbac>,
        shadow_rules_stat_prefix: &'static str,
        stat_prefix: Str,
    }
    /// `config.rbac.v3.RBAC`. `ALLOW` is the action where it is empty.
    Rbac {
        action: &'static str,
        policies: BTreeMap<Str, Policy>,
    }
    /// `config.rbac.v3.Policy`
    Policy {
        permissions: Vec<Permission>,
        principals: Vec<Principal>,
        origin: Origin,
    }
    /// `config.rbac.v3.Permission`: one of them.
    Permission {
        and_rules: Option<Permissions>,
        any: bool,
        destination_ip: Option<CidrRange>,
        destination_port: Option<u32>,
        destination_port_range: Option<Json>,
        header: Option<HeaderMatcher>,
        metadata: Option<Json>,
        not_rule: Option<Box<Permission>>,
        or_rules: Option<Permissions>,
        requested_server_name: Option<StringMatcher>,
        uri_template: Option<Json>,
        url_path: Option<PathMatcher>,
    }
    /// `Permission.Set`
    Permissions {
        rules: Vec<Permission>,
    }
    /// `config.rbac.v3.Principal`: one of them.
    Principal {
        and_ids: Option<Principals>,
        any: bool,
        authenticated: Option<Authenticated>,
        direct_remote_ip: Option<CidrRange>,
        filter_state: Option<Json>,
        header: Option<HeaderMatcher>,
        metadata: Option<Json>,
        not_id: Option<Box<Principal>>,
        or_ids: Option<Principals>,
        remote_ip: Option<CidrRange>,
    }
    /// `Principal.Set`
    Principals {
        ids: Vec<Principal>,
    }
    /// `Principal.Authenticated`
    Authenticated {
        principal_name: Option<StringMatcher>,
    }
    /// `matcher.v3.PathMatcher`
    PathMatcher {
        path: StringMatcher,
    }
}
