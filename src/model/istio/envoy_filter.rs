//! `networking.istio.io` `EnvoyFilter`.

use super::{LabelsSelector, PolicyTargetReference};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text, Value};
use crate::source::Span;
use crate::yaml::is_placeholder;

record! {
    /// Patches and the proxies they are for.
    EnvoyFilter<'a> {
        workload_selector: Option<Box<LabelsSelector<'a>>> = boxed("workloadSelector", LabelsSelector::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        config_patches: ThinVec<EnvoyConfigObjectPatch<'a>> = list("configPatches", EnvoyConfigObjectPatch::decode);
        priority: Option<Spanned<i64>> = number("priority");
    }
    /// One patch.
    EnvoyConfigObjectPatch<'a> {
        apply_to: Option<Text<'a>> = text("applyTo");
        matches: Option<Box<EnvoyConfigObjectMatch<'a>>> = boxed("match", EnvoyConfigObjectMatch::decode);
        patch: Option<Box<Patch<'a>>> = boxed("patch", Patch::decode);
    }
    /// Conditions that an object must meet.
    EnvoyConfigObjectMatch<'a> {
        context: Option<Text<'a>> = text("context");
        proxy: Option<Box<ProxyMatch<'a>>> = boxed("proxy", ProxyMatch::decode);
        listener: Option<Box<ListenerMatch<'a>>> = boxed("listener", ListenerMatch::decode);
        route_configuration: Option<Box<RouteConfigurationMatch<'a>>> = boxed("routeConfiguration", RouteConfigurationMatch::decode);
        cluster: Option<Box<ClusterMatch<'a>>> = boxed("cluster", ClusterMatch::decode);
        waypoint: Option<Box<WaypointMatch<'a>>> = boxed("waypoint", WaypointMatch::decode);
    }
    /// Conditions on the proxy.
    ProxyMatch<'a> {
        proxy_version: Option<Text<'a>> = text("proxyVersion");
        metadata: Labels<'a> = labels("metadata");
    }
    /// Conditions on a listener.
    ListenerMatch<'a> {
        port_number: Option<Spanned<i64>> = number("portNumber");
        port_name: Option<Text<'a>> = text("portName");
        filter_chain: Option<Box<FilterChainMatch<'a>>> = boxed("filterChain", FilterChainMatch::decode);
        listener_filter: Option<Text<'a>> = text("listenerFilter");
        name: Option<Text<'a>> = text("name");
    }
    /// Conditions on a filter chain.
    FilterChainMatch<'a> {
        name: Option<Text<'a>> = text("name");
        sni: Option<Text<'a>> = text("sni");
        transport_protocol: Option<Text<'a>> = text("transportProtocol");
        application_protocols: Option<Text<'a>> = text("applicationProtocols");
        filter: Option<Box<EnvoyFilterListenerMatchFilterMatch<'a>>> = boxed("filter", EnvoyFilterListenerMatchFilterMatch::decode);
        destination_port: Option<Spanned<i64>> = number("destinationPort");
        transport_socket: Option<Text<'a>> = text("transportSocket");
    }
    /// A network filter.
    EnvoyFilterListenerMatchFilterMatch<'a> {
        name: Option<Text<'a>> = text("name");
        sub_filter: Option<Box<EnvoyFilterListenerMatchSubFilterMatch<'a>>> = boxed("subFilter", EnvoyFilterListenerMatchSubFilterMatch::decode);
    }
    /// An HTTP filter.
    EnvoyFilterListenerMatchSubFilterMatch<'a> {
        name: Option<Text<'a>> = text("name");
    }
    /// Conditions on a route configuration.
    RouteConfigurationMatch<'a> {
        port_number: Option<Spanned<i64>> = number("portNumber");
        port_name: Option<Text<'a>> = text("portName");
        gateway: Option<Text<'a>> = text("gateway");
        vhost: Option<Box<VirtualHostMatch<'a>>> = boxed("vhost", VirtualHostMatch::decode);
        name: Option<Text<'a>> = text("name");
    }
    /// Conditions on a virtual host.
    VirtualHostMatch<'a> {
        name: Option<Text<'a>> = text("name");
        domain_name: Option<Text<'a>> = text("domainName");
        route: Option<Box<EnvoyFilterRouteConfigurationMatchRouteMatch<'a>>> = boxed("route", EnvoyFilterRouteConfigurationMatchRouteMatch::decode);
    }
    /// Conditions on a route.
    EnvoyFilterRouteConfigurationMatchRouteMatch<'a> {
        name: Option<Text<'a>> = text("name");
        action: Option<Text<'a>> = text("action");
    }
    /// Conditions on a cluster.
    ClusterMatch<'a> {
        port_number: Option<Spanned<i64>> = number("portNumber");
        service: Option<Text<'a>> = text("service");
        subset: Option<Text<'a>> = text("subset");
        name: Option<Text<'a>> = text("name");
    }
    /// Conditions inside a waypoint.
    WaypointMatch<'a> {
        port_number: Option<Spanned<i64>> = number("portNumber");
        route: Option<Box<EnvoyFilterWaypointMatchRouteMatch<'a>>> = boxed("route", EnvoyFilterWaypointMatchRouteMatch::decode);
        filter: Option<Box<EnvoyFilterWaypointMatchFilterMatch<'a>>> = boxed("filter", EnvoyFilterWaypointMatchFilterMatch::decode);
    }
    /// Conditions on a route.
    EnvoyFilterWaypointMatchRouteMatch<'a> {
        name: Option<Text<'a>> = text("name");
    }
    /// A network filter.
    EnvoyFilterWaypointMatchFilterMatch<'a> {
        name: Option<Text<'a>> = text("name");
        sub_filter: Option<Box<EnvoyFilterWaypointMatchFilterMatchSubFilterMatch<'a>>> = boxed("subFilter", EnvoyFilterWaypointMatchFilterMatchSubFilterMatch::decode);
    }
    /// An HTTP filter.
    EnvoyFilterWaypointMatchFilterMatchSubFilterMatch<'a> {
        name: Option<Text<'a>> = text("name");
    }
    /// The change.
    Patch<'a> {
        operation: Option<Text<'a>> = text("operation");
        value: Option<Spanned<Value<'a>>> = value("value");
        filter_class: Option<Text<'a>> = text("filterClass");
    }
}

impl<'a> EnvoyFilter<'a> {
    /// The patches of sidecars and gateways; those of waypoints, which nothing of istiod looks at before they are applied, and
    /// those of an unknown context are left out.
    pub fn judged(&self) -> impl Iterator<Item = &EnvoyConfigObjectPatch<'a>> {
        self.config_patches.iter().filter(|patch| {
            let context = patch.matches.as_ref().and_then(|matches| matches.context.as_ref());
            context.is_none_or(|context| context.as_str() != "WAYPOINT" && !is_placeholder(context))
        })
    }

    /// The filters that patches of listeners and of what is in them match on, each with what is patched.
    pub fn filter_matches(&self) -> impl Iterator<Item = (&Text<'a>, &EnvoyFilterListenerMatchFilterMatch<'a>)> {
        self.judged().filter_map(|patch| {
            let apply_to = patch.apply_to.as_ref()?;
            let chain = patch.matches.as_ref()?.listener.as_ref()?.filter_chain.as_ref()?;
            let in_listeners =
                ["LISTENER", "FILTER_CHAIN", "NETWORK_FILTER", "HTTP_FILTER"].contains(&apply_to.as_str());
            Some((apply_to, chain.filter.as_deref()?)).filter(|_| in_listeners)
        })
    }
}
