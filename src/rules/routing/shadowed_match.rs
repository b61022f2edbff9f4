use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{HttpMatchRequest, HttpRoute, StringMatch, VirtualService};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "shadowed-match",
    page: include_str!("../../../rules/shadowed-match.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0131"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        judge(&virtual_service.body.http, findings);
    }
}

/// What a route leaves over is looked at: one without matches leaves nothing, one with a delegate leaves what that does
/// not take.
fn judge(routes: &[HttpRoute<'_>], findings: &mut Findings) {
    let mut seen: FxHashMap<&str, Vec<&HttpMatchRequest<'_>>> = FxHashMap::default();
    for route in routes {
        if route.lacks_matches && route.delegate.is_none() {
            return;
        }
        for later in &route.matches {
            let Some(prefix) = prefix(later) else {
                continue;
            };
            if let Some(earlier) = shorter(prefix, &seen).find(|earlier| covers(earlier, later)) {
                report(earlier, later, findings);
            }
            if route.delegate.is_none() {
                seen.entry(prefix.as_str()).or_default().push(later);
            }
        }
    }
}

fn prefix<'r, 'a>(entry: &'r HttpMatchRequest<'a>) -> Option<&'r Text<'a>> {
    let prefix = entry.uri.as_ref()?.prefix.as_ref();
    prefix.filter(|prefix| !prefix.is_empty() && !entry.placeholders)
}

/// Matches by a prefix that a longer one begins with.
fn shorter<'s, 'r, 'a>(
    prefix: &'s str,
    seen: &'s FxHashMap<&str, Vec<&'r HttpMatchRequest<'a>>>,
) -> impl Iterator<Item = &'r HttpMatchRequest<'a>> + use<'s, 'r, 'a> {
    let starts = prefix.char_indices().skip(1).filter_map(|(end, _)| prefix.get(..end));
    starts.filter_map(|start| seen.get(start)).flatten().copied()
}

fn report(earlier: &HttpMatchRequest<'_>, later: &HttpMatchRequest<'_>, findings: &mut Findings) {
    let (Some(short), Some(long)) = (prefix(earlier), prefix(later)) else {
        return;
    };
    let message = if earlier.method.is_some() && later.method.is_none() {
        format!("an earlier match by prefix `{short}` takes the GET requests of `{long}`")
    } else {
        format!("an earlier match by prefix `{short}` takes all requests of `{long}`")
    };
    findings
        .add(long, message)
        .related(short, "the earlier match")
        .help("the first match that fits is used; istiod's webhook warns and accepts it; put the longer prefix first, or drop it");
}

/// Whether all that fits the later match, but for its path, fits the earlier one. One for GET also counts before one for
/// all methods, as most requests are GETs.
fn covers(earlier: &HttpMatchRequest<'_>, later: &HttpMatchRequest<'_>) -> bool {
    let reads = later.method.is_none() && earlier.method.as_ref().is_some_and(|method| is_exactly(method, "GET"));
    same_or_any(earlier.scheme.as_deref(), later.scheme.as_deref())
        && same_or_any(earlier.authority.as_deref(), later.authority.as_deref())
        && (reads || same_or_any(earlier.method.as_deref(), later.method.as_deref()))
        && holds_all(&earlier.headers, &later.headers)
        && holds_all(&earlier.query_params, &later.query_params)
        && holds_all(&earlier.without_headers, &later.without_headers)
        && same_port(earlier.written_port, later.written_port)
        && (ignores_case(earlier) || !ignores_case(later))
        && earlier.source_labels.select(&later.source_labels)
        && earlier.source_namespace.is_none_or(|namespace| {
            later
                .source_namespace
                .is_some_and(|other| other.as_str() == namespace.as_str())
        })
        && names_all(&earlier.gateways, &later.gateways)
}

fn is_exactly(condition: &StringMatch<'_>, value: &str) -> bool {
    condition.exact.is_some_and(|exact| exact.as_str() == value)
}

fn same(one: &StringMatch<'_>, other: &StringMatch<'_>) -> bool {
    parts(one) == parts(other)
}

fn parts<'a>(condition: &StringMatch<'a>) -> [Option<&'a str>; 3] {
    [condition.exact, condition.prefix, condition.regex].map(|part| part.map(|text| text.as_str()))
}

fn same_or_any(earlier: Option<&StringMatch<'_>>, later: Option<&StringMatch<'_>>) -> bool {
    earlier.is_none_or(|earlier| later.is_some_and(|later| same(earlier, later)))
}

fn holds_all(earlier: &[(Text<'_>, StringMatch<'_>)], later: &[(Text<'_>, StringMatch<'_>)]) -> bool {
    earlier.iter().all(|(name, condition)| {
        later
            .iter()
            .any(|(other, wanted)| other.as_str() == name.as_str() && same(condition, wanted))
    })
}

fn same_port(earlier: Option<Text<'_>>, later: Option<Text<'_>>) -> bool {
    earlier.is_none_or(|earlier| later.is_some_and(|later| later.as_str() == earlier.as_str()))
}

fn ignores_case(entry: &HttpMatchRequest<'_>) -> bool {
    entry.ignore_uri_case.is_some_and(|ignore| ignore.value)
}

/// Gateways of a match that names none are those of the VirtualService.
fn names_all(earlier: &[Text<'_>], later: &[Text<'_>]) -> bool {
    let known = |gateway: &Text<'_>| earlier.iter().any(|other| other.as_str() == gateway.as_str());
    earlier.is_empty() || (!later.is_empty() && later.iter().all(known))
}
