//! Routes of a `VirtualService` that no request reaches, as others before them take all that they could get.

use rustc_hash::FxHashMap;

use crate::model::istio::{
    HttpMatchRequest, HttpRoute, L4MatchAttributes, StringMatch, TcpRoute, TlsMatchAttributes, TlsRoute, VirtualService,
};
use crate::model::{Labels, Text};
use crate::source::Span;

/// What keeps requests from a route, or from one of its matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A route before it takes everything.
    AfterAll {
        /// The route that gets nothing.
        route: Span,
        /// The one that takes everything.
        all: Span,
    },
    /// Each of its matches stands further up already.
    AllRepeated {
        /// The route that gets nothing.
        route: Span,
        /// The match that stands further up.
        first: Span,
    },
    /// The match stands further up already.
    Repeated {
        /// The match that gets nothing.
        at: Span,
        /// The same match further up.
        first: Span,
    },
}

/// Routes and matches that no request reaches, list by list. What a delegate leaves over goes on to the next route, so
/// that its root route takes nothing for certain.
pub fn hidden_routes(virtual_service: &VirtualService<'_>) -> Vec<Hidden> {
    let mut hidden = Vec::new();
    search(&virtual_service.http, &mut hidden);
    search(&virtual_service.tls, &mut hidden);
    search(&virtual_service.tcp, &mut hidden);
    hidden
}

fn search<'r, 'a, R: Route<'a> + 'r>(routes: &'r [R], hidden: &mut Vec<Hidden>) {
    let mut all = None;
    let mut seen: FxHashMap<Conditions<'a>, Span> = FxHashMap::default();
    for route in routes {
        let span = route.span();
        if let Some(all) = all {
            hidden.push(Hidden::AfterAll { route: span, all });
            continue;
        }
        if route.takes_all() {
            all = Some(span);
            continue;
        }
        let mut every = !route.matches().is_empty();
        let mut last = None;
        for (at, conditions) in route.matches().iter().map(R::conditions) {
            let first = conditions.as_ref().and_then(|conditions| seen.get(conditions)).copied();
            if let Some(first) = first {
                hidden.push(Hidden::Repeated { at, first });
            } else if let (Some(conditions), true) = (conditions, route.is_final()) {
                seen.insert(conditions, at);
            }
            every &= first.is_some();
            last = first.or(last);
        }
        if let (true, Some(first)) = (every, last) {
            hidden.push(Hidden::AllRepeated { route: span, first });
        }
    }
}

/// What decides whether a match fits, in one order.
type Conditions<'a> = Vec<&'a str>;

trait Route<'a> {
    type Match;

    fn span(&self) -> Span;

    fn matches(&self) -> &[Self::Match];

    fn lacks_matches(&self) -> bool;

    /// Whether what fits it goes no further.
    fn is_final(&self) -> bool {
        true
    }

    fn takes_all(&self) -> bool {
        self.lacks_matches() && self.is_final()
    }

    /// Place and conditions of a match; none where a value is filled in later.
    fn conditions(entry: &Self::Match) -> (Span, Option<Conditions<'a>>);
}

impl<'a> Route<'a> for HttpRoute<'a> {
    type Match = HttpMatchRequest<'a>;

    fn span(&self) -> Span {
        self.span
    }

    fn matches(&self) -> &[Self::Match] {
        &self.matches
    }

    fn lacks_matches(&self) -> bool {
        self.lacks_matches
    }

    fn is_final(&self) -> bool {
        self.delegate.is_none()
    }

    fn conditions(entry: &Self::Match) -> (Span, Option<Conditions<'a>>) {
        let mut texts = Vec::new();
        let conditions = [&entry.uri, &entry.scheme, &entry.method, &entry.authority];
        for (name, condition) in ["uri", "scheme", "method", "authority"].into_iter().zip(conditions) {
            if let Some(condition) = condition {
                texts.push(name);
                push_condition(condition, &mut texts);
            }
        }
        for (name, list) in [
            ("headers", &entry.headers),
            ("withoutHeaders", &entry.without_headers),
            ("queryParams", &entry.query_params),
        ] {
            texts.push(name);
            push_conditions(list, &mut texts);
        }
        if entry.ignore_uri_case.is_some_and(|ignore| ignore.value) {
            texts.push("ignoreUriCase");
        }
        push_labels(&entry.source_labels, &mut texts);
        push_list("gateways", &entry.gateways, &mut texts);
        texts.extend(entry.source_namespace.map(|namespace| namespace.as_str()));
        push_list("port", entry.written_port.as_slice(), &mut texts);
        (entry.span, (!entry.placeholders).then_some(texts))
    }
}

impl<'a> Route<'a> for TlsRoute<'a> {
    type Match = TlsMatchAttributes<'a>;

    fn span(&self) -> Span {
        self.span
    }

    fn matches(&self) -> &[Self::Match] {
        &self.matches
    }

    fn lacks_matches(&self) -> bool {
        self.lacks_matches
    }

    fn conditions(entry: &Self::Match) -> (Span, Option<Conditions<'a>>) {
        let mut texts = Vec::new();
        push_list("sniHosts", &entry.sni_hosts, &mut texts);
        push_list("destinationSubnets", &entry.destination_subnets, &mut texts);
        push_labels(&entry.source_labels, &mut texts);
        push_list("gateways", &entry.gateways, &mut texts);
        texts.extend(entry.source_namespace.map(|namespace| namespace.as_str()));
        push_list("port", entry.written_port.as_slice(), &mut texts);
        (entry.span, (!entry.placeholders).then_some(texts))
    }
}

impl<'a> Route<'a> for TcpRoute<'a> {
    type Match = L4MatchAttributes<'a>;

    fn span(&self) -> Span {
        self.span
    }

    fn matches(&self) -> &[Self::Match] {
        &self.matches
    }

    fn lacks_matches(&self) -> bool {
        self.lacks_matches
    }

    fn conditions(entry: &Self::Match) -> (Span, Option<Conditions<'a>>) {
        let mut texts = Vec::new();
        push_list("destinationSubnets", &entry.destination_subnets, &mut texts);
        push_list("sourceSubnet", entry.source_subnet.as_slice(), &mut texts);
        push_labels(&entry.source_labels, &mut texts);
        push_list("gateways", &entry.gateways, &mut texts);
        texts.extend(entry.source_namespace.map(|namespace| namespace.as_str()));
        push_list("port", entry.written_port.as_slice(), &mut texts);
        (entry.span, (!entry.placeholders).then_some(texts))
    }
}

fn push_condition<'a>(condition: &StringMatch<'a>, texts: &mut Vec<&'a str>) {
    let members = [
        ("exact", condition.exact),
        ("prefix", condition.prefix),
        ("regex", condition.regex),
    ];
    for (name, value) in members {
        texts.extend(value.into_iter().flat_map(|value| [name, value.as_str()]));
    }
}

fn push_conditions<'a>(list: &[(Text<'a>, StringMatch<'a>)], texts: &mut Vec<&'a str>) {
    let mut list: Vec<_> = list.iter().collect();
    list.sort_by_key(|(name, _)| name.as_str());
    for (name, condition) in list {
        texts.push(name.as_str());
        push_condition(condition, texts);
    }
}

fn push_labels<'a>(labels: &Labels<'a>, texts: &mut Vec<&'a str>) {
    let mut labels: Vec<_> = labels.iter().collect();
    labels.sort_unstable();
    texts.push("sourceLabels");
    texts.extend(labels.into_iter().flat_map(|(key, value)| [key, value]));
}

fn push_list<'a>(name: &'static str, list: &[Text<'a>], texts: &mut Vec<&'a str>) {
    texts.push(name);
    texts.extend(list.iter().map(Text::as_str));
}
