//! The attributes of a request that policies ask for.

use std::sync::Arc;

use serde_json::json;

use super::addresses::range;
use super::matchers;
use super::rules::{Chain, Term};
use crate::envoy::message::{Authenticated, Json, PathMatcher, Permission, Principal, Str, StringMatcher};
use crate::values::regex::quoted;

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute<'p> {
    Host,
    Method,
    Path,
    Port,
    DestinationAddress,
    ServerName,
    /// What another filter says: the filter's name and the key.
    Metadata(&'p str, &'p str),
    Principal,
    RequestPrincipal,
    ServiceAccount,
    TrustDomain,
    Namespace,
    /// The address before trusted proxies.
    RemoteAddress,
    /// The peer's address.
    PeerAddress,
    Header(&'p str),
    /// A claim by its path.
    Claim(Vec<&'p str>),
}

impl<'p> Attribute<'p> {
    /// The attribute of a condition's key.
    pub(super) fn of_key(key: &'p str) -> Option<Self> {
        Some(match key {
            "source.ip" => Attribute::PeerAddress,
            "remote.ip" => Attribute::RemoteAddress,
            "source.namespace" => Attribute::Namespace,
            "source.serviceAccount" => Attribute::ServiceAccount,
            "source.trustDomain" => Attribute::TrustDomain,
            "source.principal" => Attribute::Principal,
            "request.auth.principal" => Attribute::RequestPrincipal,
            "request.auth.audiences" => Attribute::Claim(vec!["aud"]),
            "request.auth.presenter" => Attribute::Claim(vec!["azp"]),
            "destination.ip" => Attribute::DestinationAddress,
            "destination.port" => Attribute::Port,
            "connection.sni" => Attribute::ServerName,
            _ => return Self::of_compound_key(key),
        })
    }

    /// `request.headers[x]`, `request.auth.claims[a][b]`, `experimental.envoy.filters.x[k]`.
    fn of_compound_key(key: &'p str) -> Option<Self> {
        let (base, inner) = key.strip_suffix(']')?.split_once('[')?;
        match base {
            "request.headers" => Some(Attribute::Header(inner)),
            "request.auth.claims" => Some(Attribute::Claim(inner.split("][").collect())),
            _ => {
                let filter = base.strip_prefix("experimental.")?;
                filter
                    .starts_with("envoy.filters.")
                    .then_some(Attribute::Metadata(filter, inner))
            }
        }
    }

    /// Whether it belongs to the permissions of a rule; the others belong to its principals.
    pub(super) fn is_of_permission(&self) -> bool {
        use Attribute::{DestinationAddress, Host, Metadata, Method, Path, Port, ServerName};
        matches!(
            self,
            Host | Method | Path | Port | DestinationAddress | ServerName | Metadata(..)
        )
    }

    /// Whether a TCP chain cannot see it.
    pub(super) fn is_of_http(&self) -> bool {
        use Attribute::{Claim, Header, Host, Method, Path, RequestPrincipal};
        matches!(self, Host | Method | Path | RequestPrincipal | Header(_) | Claim(_))
    }

    /// The one matcher for all values, of an attribute that is compared with all of them at once.
    pub(super) fn permission_of_all(&self, values: &[Str]) -> Option<Permission> {
        let Attribute::Metadata(filter, key) = self else {
            return None;
        };
        Some(Permission {
            metadata: Some(matchers::filter_metadata(filter, key, values)),
            ..Permission::default()
        })
    }

    /// The same for principals.
    pub(super) fn principal_of_all(&self, values: &[Str]) -> Option<Principal> {
        match self {
            Attribute::Claim(path) => Some(of_metadata(matchers::claim(path, values))),
            Attribute::RequestPrincipal => {
                let mut all: Vec<Principal> = values.iter().map(|value| request_principal(value)).collect();
                Some(if all.len() == 1 {
                    all.remove(0)
                } else {
                    Principal::either(all)
                })
            }
            _ => None,
        }
    }

    /// The matcher for one value; `None` for a value that is none.
    pub(super) fn permission(&self, value: &str) -> Option<Permission> {
        let mut permission = Permission::default();
        match self {
            Attribute::Host => permission.header = Some(matchers::header(":authority", value, true)),
            Attribute::Method => permission.header = Some(matchers::header(":method", value, false)),
            Attribute::Path => match matchers::path_template(value) {
                Some(template) => permission.uri_template = Some(template),
                None => {
                    permission.url_path = Some(PathMatcher {
                        path: matchers::text(value),
                    });
                }
            },
            Attribute::Port => permission.destination_port = Some(value.parse::<u16>().ok()?.into()),
            Attribute::DestinationAddress => permission.destination_ip = Some(range(value)?),
            Attribute::ServerName => permission.requested_server_name = Some(matchers::text(value)),
            _ => return None,
        }
        Some(permission)
    }

    /// The same for principals.
    pub(super) fn principal(&self, value: &str, chain: &Chain<'_>, policy_namespace: &str) -> Option<Principal> {
        Some(match self {
            Attribute::Principal => chain.peer(matchers::text_after("spiffe://", value)),
            Attribute::ServiceAccount => chain.peer(service_account(value, policy_namespace)),
            Attribute::TrustDomain => chain.peer(trust_domain(value)),
            Attribute::Namespace => chain.peer(StringMatcher::regex(format!(".*/ns/{}/.*", value.replace('*', ".*")))),
            Attribute::RemoteAddress => Principal {
                remote_ip: Some(range(value)?),
                ..Principal::default()
            },
            Attribute::PeerAddress => Principal {
                direct_remote_ip: Some(range(value)?),
                ..Principal::default()
            },
            Attribute::Header(name) => Principal {
                header: Some(matchers::header(name, value, false)),
                ..Principal::default()
            },
            _ => return None,
        })
    }
}

/// `namespace/name`, or a name of the policy's own namespace.
fn service_account(value: &str, policy_namespace: &str) -> StringMatcher {
    let (namespace, name) = value.split_once('/').unwrap_or((policy_namespace, value));
    let (namespace, name) = (quoted(namespace), quoted(name));
    StringMatcher::regex(format!("spiffe://.+/ns/{namespace}/(.+/|)sa/{name}(/.+)?"))
}

fn trust_domain(value: &str) -> StringMatcher {
    if value.contains('*') {
        StringMatcher::regex(format!("spiffe://{}/.*", quoted(value).replace("\\*", ".*")))
    } else {
        StringMatcher::prefix(format!("spiffe://{value}/"))
    }
}

/// Issuer and subject, parted at the last slash. A star at the beginning leaves the end as it is, even another star
/// (catalogue: policies, 39).
fn request_principal(value: &str) -> Principal {
    let parts = value.rsplit_once('/');
    let (issuer, subject) = if value == "*" {
        (matchers::text("*"), matchers::text("*"))
    } else if value.starts_with('*') {
        match parts {
            Some((issuer, subject)) => (matchers::text(issuer), StringMatcher::exact(subject)),
            None => (matchers::text("*"), matchers::text(value)),
        }
    } else if value.ends_with('*') {
        match parts {
            Some((issuer, subject)) => (StringMatcher::exact(issuer), matchers::text(subject)),
            None => (matchers::text(value), matchers::text("*")),
        }
    } else {
        let (issuer, subject) = parts.unwrap_or((value, ""));
        (StringMatcher::exact(issuer), StringMatcher::exact(subject))
    };
    Principal::all(vec![
        of_metadata(matchers::payload_text("iss", &issuer)),
        of_metadata(matchers::payload_text("sub", &subject)),
    ])
}

fn of_metadata(metadata: Json) -> Principal {
    Principal {
        metadata: Some(metadata),
        ..Principal::default()
    }
}

impl Chain<'_> {
    /// The identity of the peer. A waypoint knows it from the tunnel (catalogue: policies, 46).
    fn peer(&self, matcher: StringMatcher) -> Principal {
        if self.is_waypoint() {
            let state = json!({"key": "io.istio.peer_principal", "stringMatch": matcher});
            return Principal {
                filter_state: Some(Arc::new(state)),
                ..Principal::default()
            };
        }
        Principal {
            authenticated: Some(Authenticated {
                principal_name: Some(matcher),
            }),
            ..Principal::default()
        }
    }
}
