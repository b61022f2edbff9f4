//! Rules for HTTP.

use super::{Lowering, labels, text, weight};
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{FractionalPercent, Origin, Str};
use crate::envoy::routing::lower::{filters, headers};
use crate::envoy::routing::model::{
    Action, HttpMatch, HttpRule, Mirror, PathMatch, Redirect, RedirectPort, Rewrite, TextMatch, WeightedDestination,
};
use crate::model::istio::{
    HttpDirectResponse, HttpMatchRequest, HttpRedirect, HttpRewrite, HttpRoute, Percent, StringMatch,
};
use crate::model::{Spanned, Text};

impl<'a> Lowering<'_, 'a> {
    pub(super) fn http_rule(self, rule: &HttpRoute<'a>) -> HttpRule {
        HttpRule {
            name: text(rule.name),
            matches: rule.matches.iter().map(|entry| self.http_match(entry)).collect(),
            action: self.action(rule),
            rewrite: rule.rewrite.as_deref().map(rewrite),
            headers: headers::changes(rule.headers.as_deref()),
            timeout: rule.timeout.map(|timeout| envoy_duration(timeout.as_str())),
            retries: filters::retries(rule.retries.as_deref()),
            mirrors: self.mirrors(rule),
            cors: rule.cors_policy.as_deref().map(filters::cors),
            fault: rule.fault.as_deref().map(filters::fault),
            origin: Origin::of(rule.span),
        }
    }

    fn action(self, rule: &HttpRoute<'a>) -> Action {
        if let Some(written) = rule.redirect.as_deref() {
            return Action::Redirect(redirect(written));
        }
        if let Some(written) = rule.direct_response.as_deref() {
            return respond(written);
        }
        let destinations = rule.route.iter().map(|route| WeightedDestination {
            destination: self.destination(route.destination.as_ref(), route.span),
            weight: weight(route.weight),
            headers: headers::changes(route.headers.as_deref()),
        });
        Action::Forward(destinations.collect())
    }

    /// `mirror`, then `mirrors`. One of no share is left out (catalogue: routes, 45).
    fn mirrors(self, rule: &HttpRoute<'a>) -> Vec<Mirror> {
        let mut mirrors = Vec::new();
        let whole = rule.mirror_percent.or(rule.mirror_percent_in_snake_case);
        if let Some(written) = rule.mirror.as_deref() {
            let share = match (rule.mirror_percentage.as_deref(), whole) {
                (None, Some(percent)) => Some(FractionalPercent::whole(u32::try_from(percent.value).unwrap_or(0))),
                (percentage, _) => percentage.map(exact),
            };
            mirrors.push(Mirror {
                destination: self.destination(Some(written), written.span),
                share,
            });
        }
        mirrors.extend(rule.mirrors.iter().map(|mirror| Mirror {
            destination: self.destination(mirror.destination.as_ref(), mirror.span),
            share: mirror.percentage.as_ref().map(exact),
        }));
        mirrors.retain(|mirror| mirror.share.as_ref().is_none_or(|share| share.numerator > 0));
        mirrors
    }

    fn http_match(self, entry: &HttpMatchRequest<'a>) -> HttpMatch {
        let optional = |condition: Option<&StringMatch<'a>>| condition.map(text_match);
        let named = |list: &[(Text<'a>, StringMatch<'a>)]| -> Vec<(Str, TextMatch)> {
            let entries = list.iter();
            entries
                .map(|(name, condition)| (Str::new(name.as_str()), text_match(condition)))
                .collect()
        };
        HttpMatch {
            name: text(entry.name),
            path: entry.uri.as_deref().and_then(path_match),
            ignore_case: is_true(entry.ignore_uri_case),
            method: optional(entry.method.as_deref()),
            authority: optional(entry.authority.as_deref()),
            scheme: optional(entry.scheme.as_deref()),
            headers: named(&entry.headers),
            without_headers: named(&entry.without_headers),
            query: named(&entry.query_params),
            port: entry
                .port
                .and_then(|port| u32::try_from(port.value).ok())
                .filter(|port| *port != 0),
            source_labels: labels(&entry.source_labels),
            source_namespace: entry
                .source_namespace
                .filter(|name| !name.is_empty())
                .map(|name| Str::new(name.as_str())),
            gateways: self.gateways(&entry.gateways, false),
            stat_prefix: text(entry.stat_prefix),
            origin: Origin::of(entry.span),
        }
    }
}

fn exact(percentage: &Percent) -> FractionalPercent {
    FractionalPercent::exact(percentage.value.map_or(0.0, |value| value.value))
}

fn is_true(flag: Option<Spanned<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

fn path_match(condition: &StringMatch<'_>) -> Option<PathMatch> {
    let exact = condition.exact.map(|path| PathMatch::Exact(Str::new(path.as_str())));
    let prefix = || condition.prefix.map(|path| PathMatch::Prefix(Str::new(path.as_str())));
    let regex = || condition.regex.map(|path| PathMatch::Regex(Str::new(path.as_str())));
    exact.or_else(prefix).or_else(regex)
}

fn text_match(condition: &StringMatch<'_>) -> TextMatch {
    let exact = condition.exact.map(|text| TextMatch::Exact(Str::new(text.as_str())));
    let prefix = || condition.prefix.map(|text| TextMatch::Prefix(Str::new(text.as_str())));
    let regex = || condition.regex.map(|text| TextMatch::Regex(Str::new(text.as_str())));
    exact.or_else(prefix).or_else(regex).unwrap_or(TextMatch::Present)
}

fn rewrite(written: &HttpRewrite<'_>) -> Rewrite {
    let some = |text: Option<Text<'_>>| text.filter(|text| !text.is_empty()).map(|text| Str::new(text.as_str()));
    let by_regex = written.uri_regex_rewrite.as_ref();
    Rewrite {
        uri: some(written.uri),
        uri_regex: by_regex.map(|regex| (text(regex.matches), text(regex.rewrite))),
        authority: some(written.authority),
    }
}

fn redirect(written: &HttpRedirect<'_>) -> Redirect {
    let some = |text: Option<Text<'_>>| text.filter(|text| !text.is_empty()).map(|text| Str::new(text.as_str()));
    let port = written.port.and_then(|port| u32::try_from(port.value).ok());
    let derived = written.derive_port.map_or("", |derived| derived.as_str());
    Redirect {
        uri: written.uri.map(|uri| Str::new(uri.as_str())),
        prefix: some(written.prefix_rewrite),
        authority: some(written.authority),
        scheme: some(written.scheme),
        port: match (port, derived) {
            (Some(port), _) => RedirectPort::Number(port),
            (None, "FROM_REQUEST_PORT") => RedirectPort::FromRequestPort,
            (None, "FROM_PROTOCOL_DEFAULT") => RedirectPort::FromProtocolDefault,
            (None, _) => RedirectPort::Unchanged,
        },
        status: written
            .redirect_code
            .and_then(|code| u32::try_from(code.value).ok())
            .unwrap_or_default(),
    }
}

fn respond(written: &HttpDirectResponse<'_>) -> Action {
    let body = written.body.as_deref();
    let some = |text: Option<Text<'_>>| text.map(|text| Str::new(text.as_str()));
    Action::Respond {
        status: written
            .status
            .and_then(|status| u32::try_from(status.value).ok())
            .unwrap_or_default(),
        body: body.and_then(|body| some(body.string)),
        bytes: body.and_then(|body| some(body.bytes)),
    }
}
