//! Which rules requests reach, over all route configurations of a proxy. Only a rule that none reaches anywhere is unused.

use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::is_catch_all;
use super::model::VirtualRoutes;
use crate::envoy::message::Route;
use crate::envoy::unused::{Reason, Unused};
use crate::source::Span;

/// Rules that became routes, and rules that stand behind one that takes everything.
#[derive(Debug, Default)]
pub struct Reached {
    reached: FxHashSet<Span>,
    hidden: FxHashMap<Span, Span>,
}

impl Reached {
    /// Notes what became of the rules of one VirtualService.
    pub fn compiled(&mut self, virtual_routes: &VirtualRoutes<'_>, routes: &[Route]) {
        routes.iter().for_each(|route| self.reach(route));
        self.cut(virtual_routes, routes);
    }

    /// Notes that requests reach a route.
    pub fn reach(&mut self, route: &Route) {
        self.reached.extend(route.origin.0.first());
    }

    /// Notes that another route takes all requests before they reach one.
    pub fn hide(&mut self, route: &Route, by: &Route) {
        if let (Some(span), Some(by)) = (route.origin.0.first(), by.origin.0.first()) {
            self.hidden.insert(*span, *by);
        }
    }

    /// Notes which rules of one VirtualService stand behind the last of its routes, if that takes everything.
    pub fn cut(&mut self, virtual_routes: &VirtualRoutes<'_>, routes: &[Route]) {
        let Some(last) = routes.last().filter(|last| is_catch_all(&last.r#match)) else {
            return;
        };
        let rules = || virtual_routes.http.iter().filter_map(|rule| rule.origin.0.first());
        if let Some(all) = last.origin.0.first() {
            let behind = rules().skip_while(|span| *span != all).skip(1);
            self.hidden.extend(behind.map(|span| (*span, *all)));
        }
    }

    /// The rules that no request reaches, in the order of their places.
    pub fn unused(&self) -> Vec<Unused> {
        let hidden = self.hidden.iter().filter(|(span, _)| !self.reached.contains(*span));
        let mut unused: Vec<Unused> = hidden
            .map(|(span, by)| Unused {
                reason: Reason::Unreachable,
                span: *span,
                because: Some(*by),
            })
            .collect();
        unused.sort_by_key(|unused| unused.span);
        unused
    }
}
