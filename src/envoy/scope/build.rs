//! A scope put together for a namespace under a Sidecar.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::hosts::Hosts;
use super::{EgressListener, Imported, OutboundTraffic, Ports, Scope};
use crate::envoy::World;
use crate::envoy::message::Str;
use crate::envoy::registry::{Service, ServiceId};
use crate::envoy::routing::model::VirtualRoutes;
use crate::envoy::routing::{RoutesId, compile};
use crate::mesh::{ExportTo, Object, Protocol, Provider};
use crate::model::Text;
use crate::model::istio::{IstioEgressListener, Sidecar, SidecarPort};

/// Puts a scope together for the proxies of a namespace.
pub(super) struct Builder<'w, 'm, 'a> {
    pub world: &'w World<'m, 'a>,
    pub namespace: &'m str,
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// The scope under a Sidecar. Without one, or if it names no egress, everything visible is imported.
    pub(super) fn scope(&self, sidecar: Option<Object<'m, 'a, Sidecar<'a>>>) -> Scope {
        let written = sidecar.map_or(&[][..], |sidecar| sidecar.body.egress.as_slice());
        let reach = self.reach(written);
        let visible = self.visible_services(reach.as_ref());
        let routes = self.visible_routes(reach.as_ref());
        let mut listeners: Vec<EgressListener> = (written.iter())
            .map(|listener| self.listener(listener, &visible, &routes))
            .collect();
        if listeners.is_empty() {
            listeners.push(EgressListener {
                services: self.import(&Hosts::all(), None, &visible),
                routes,
                ..EgressListener::default()
            });
        }
        let mut scope = Scope {
            sidecar: sidecar.map(|sidecar| sidecar.id),
            outbound_traffic: self.outbound_traffic(sidecar),
            ..Scope::default()
        };
        let mut seen = FxHashSet::default();
        for listener in &listeners {
            self.add(&mut scope, &mut seen, listener);
        }
        let (imported, named): (Vec<_>, Vec<_>) = std::mem::take(&mut scope.services)
            .into_iter()
            .partition(|imported| !imported.clusters_only);
        scope.services = imported.into_iter().chain(named).collect();
        scope.by_host = (scope.services.iter().enumerate())
            .map(|(place, imported)| (self.service(imported.service).host.clone(), place))
            .collect();
        scope.listeners = listeners;
        scope
    }

    /// The scope of a gateway: all that it sees. A host of several namespaces is that of a Service before those of
    /// ServiceEntries, then the oldest; unlike at sidecars the own namespace does not matter.
    pub(super) fn gateway_scope(&self) -> Scope {
        let mut scope = Scope {
            outbound_traffic: self.outbound_traffic(None),
            ..Scope::default()
        };
        let is_kubernetes = |id: ServiceId| matches!(self.service(id).provider, Provider::Service(_));
        let (kubernetes, entries): (Vec<_>, Vec<_>) = self
            .visible_services(None)
            .into_iter()
            .partition(|id| is_kubernetes(*id));
        let mut known = FxHashSet::default();
        let mut chosen: Vec<ServiceId> = (kubernetes.into_iter().chain(entries))
            .filter(|id| known.insert(&self.service(*id).host))
            .collect();
        chosen.sort_unstable();
        for service in chosen {
            let host = self.service(service).host.clone();
            scope.by_host.insert(host, scope.services.len());
            scope.services.push(Imported {
                service,
                ports: Ports::All,
                clusters_only: false,
            });
        }
        scope
    }

    fn service(&self, id: ServiceId) -> &Service<'m, 'a> {
        &self.world.registry.services[id]
    }

    /// The namespaces from which listeners import; `None` where that is any.
    fn reach(&self, written: &'m [IstioEgressListener<'a>]) -> Option<BTreeSet<&'m str>> {
        let hosts = |listener: &'m IstioEgressListener<'a>| self.hosts(listener).into_namespaces();
        let named: Option<Vec<_>> = written.iter().map(hosts).collect();
        named
            .filter(|named| !named.is_empty())
            .map(|named| named.into_iter().flatten().collect())
    }

    fn hosts(&self, written: &'m IstioEgressListener<'a>) -> Hosts<'m> {
        Hosts::new(written.hosts.iter().map(Text::as_str), self.namespace)
    }

    fn visible_services(&self, reach: Option<&BTreeSet<&str>>) -> Vec<ServiceId> {
        let registry = &self.world.registry;
        let is_visible = |id: &ServiceId| self.service(*id).export_to.admits(self.namespace);
        let Some(reach) = reach else {
            return (0..registry.services.len()).filter(is_visible).collect();
        };
        let near = reach.iter().flat_map(|namespace| registry.in_namespace(namespace));
        let mut visible: Vec<ServiceId> = near.copied().filter(is_visible).collect();
        visible.sort_unstable();
        visible
    }

    /// Routes for `mesh`: private ones of the namespace, then those exported to it by name, then those of everyone
    /// (catalogue: Visibility, 22).
    fn visible_routes(&self, reach: Option<&BTreeSet<&str>>) -> Vec<RoutesId> {
        let rank = |routes: &VirtualRoutes<'_>| match &routes.export_to {
            ExportTo::Only(_) if routes.namespace == self.namespace => 0,
            ExportTo::Only(_) => 1,
            ExportTo::All => 2,
        };
        let all = &self.world.routes;
        let mut ranked: Vec<(u8, RoutesId)> = match reach {
            None => (all.of_gateway("mesh", self.namespace))
                .map(|(id, routes)| (rank(routes), id))
                .collect(),
            Some(reach) => (reach.iter().flat_map(|namespace| all.of_mesh(namespace)))
                .filter(|id| all.all[**id].export_to.admits(self.namespace))
                .map(|id| (rank(&all.all[*id]), *id))
                .collect(),
        };
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, id)| id).collect()
    }

    fn listener(
        &self,
        written: &'m IstioEgressListener<'a>,
        visible: &[ServiceId],
        routes: &[RoutesId],
    ) -> EgressListener {
        let hosts = self.hosts(written);
        let port = written.port.as_deref();
        let number = port.map(number);
        let protocol_text = port
            .and_then(|port| port.protocol)
            .map_or("", |protocol| protocol.as_str());
        let is_proxy = protocol_text.eq_ignore_ascii_case("HTTP_PROXY");
        let only = number.filter(|number| *number != 0 && !is_proxy);
        let imported = |id: &&RoutesId| {
            let routes = &self.world.routes.all[**id];
            routes
                .hosts
                .iter()
                .any(|host| hosts.import_routes(routes.namespace, host))
        };
        let bind = written.bind.filter(|bind| !bind.is_empty());
        EgressListener {
            port: number,
            is_proxy,
            protocol: Protocol::from_name(protocol_text),
            bind: bind.map(|bind| Str::new(bind.as_str())),
            binds_port: written.capture_mode.is_some_and(|mode| mode.as_str() == "NONE")
                || bind.is_some_and(|bind| bind.starts_with("unix:")),
            services: self.import(&hosts, only, visible),
            routes: routes.iter().filter(imported).copied().collect(),
            span: Some(written.span),
        }
    }

    /// The services that the entries of a listener take, one a host: that of the proxy's own namespace, else the oldest.
    fn import(&self, hosts: &Hosts<'_>, port: Option<u32>, visible: &[ServiceId]) -> Vec<Imported> {
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        let mut imported: Vec<Imported> = Vec::new();
        for id in visible {
            let service = self.service(*id);
            let has_port = port.is_none_or(|number| service.port(number).is_some());
            if !has_port || !hosts.import(service.namespace, &service.host) {
                continue;
            }
            let entry = Imported {
                service: *id,
                ports: port.map_or(Ports::All, |number| Ports::Only(SmallVec::from_slice(&[number]))),
                clusters_only: false,
            };
            match places.get(service.host.as_str()) {
                Some(place) if service.namespace == self.namespace => {
                    if self.service(imported[*place].service).namespace != self.namespace {
                        imported[*place] = entry;
                    }
                }
                Some(_) => {}
                None => {
                    places.insert(&service.host, imported.len());
                    imported.push(entry);
                }
            }
        }
        imported.sort_by_key(|imported| imported.service);
        imported
    }

    /// Adds what a listener imports, its routes, and the destinations of the routes that are not imported otherwise.
    fn add(&self, scope: &mut Scope, seen: &mut FxHashSet<RoutesId>, listener: &EgressListener) {
        for imported in &listener.services {
            self.add_service(scope, imported.clone());
        }
        for id in &listener.routes {
            if seen.insert(*id) {
                scope.routes.push(*id);
            }
            for (host, ports) in self.world.routes.all[*id].destinations_from(self.namespace) {
                if let Some(imported) = self.named(host, ports, listener) {
                    self.add_service(scope, imported);
                }
            }
        }
    }

    fn add_service(&self, scope: &mut Scope, imported: Imported) {
        let service = self.service(imported.service);
        let Some(place) = scope.by_host.get(&service.host) else {
            scope.by_host.insert(service.host.clone(), scope.services.len());
            scope.services.push(imported);
            return;
        };
        let known = &mut scope.services[*place];
        if self.service(known.service).namespace == service.namespace {
            known.ports.join(&imported.ports);
            known.clusters_only &= imported.clusters_only;
        }
    }

    /// A destination of routes: the service of the proxy's own namespace, which need not be visible, else that of the
    /// first namespace from which one is (catalogue: Visibility, 18; Sidecar, 56).
    fn named(&self, host: &str, ports: Ports, listener: &EgressListener) -> Option<Imported> {
        let candidates = self.world.registry.of_host(host).iter().copied();
        let own = candidates
            .clone()
            .find(|id| self.service(*id).namespace == self.namespace);
        let id = own.or_else(|| {
            let visible = candidates.filter(|id| self.service(*id).export_to.admits(self.namespace));
            visible.min_by_key(|id| self.service(*id).namespace)
        })?;
        let only = listener.port.filter(|number| *number != 0 && !listener.is_proxy);
        let ports = only.map_or(ports, |number| Ports::Only(SmallVec::from_slice(&[number])));
        let ports = match ports {
            Ports::All => Ports::All,
            Ports::Only(mut numbers) => {
                numbers.retain(|number| self.service(id).port(*number).is_some());
                Ports::Only(numbers)
            }
        };
        (ports != Ports::Only(SmallVec::new())).then_some(Imported {
            service: id,
            ports,
            clusters_only: true,
        })
    }

    /// The policy of the Sidecar, else that of the mesh.
    fn outbound_traffic(&self, sidecar: Option<Object<'m, 'a, Sidecar<'a>>>) -> OutboundTraffic {
        let own = sidecar.and_then(|sidecar| sidecar.body.outbound_traffic_policy.as_deref());
        let of_mesh = self.world.environment.config.outbound_traffic_policy.as_deref();
        let mode = match (own, of_mesh) {
            (Some(own), _) => own.mode.map_or("REGISTRY_ONLY", |mode| mode.as_str()),
            (None, Some(mesh)) => mesh.mode.map_or("ALLOW_ANY", |mode| mode.as_str()),
            (None, None) => "ALLOW_ANY",
        };
        let egress_proxy = own.and_then(|own| own.egress_proxy.as_deref()).and_then(|proxy| {
            let host = proxy.host.filter(|host| !host.is_empty())?;
            let host = self
                .world
                .mesh
                .host_name(host.as_str(), self.namespace)
                .full(self.world.mesh);
            let port = proxy
                .port
                .as_ref()
                .and_then(|port| u32::try_from(port.number?.value).ok());
            let subset = proxy.subset.map_or("", |subset| subset.as_str());
            Some(compile::cluster_name(port.unwrap_or_default(), subset, &host))
        });
        OutboundTraffic {
            allow_any: mode != "REGISTRY_ONLY",
            dynamic_dns: mode == "ALLOW_ANY_DYNAMIC_DNS",
            egress_proxy,
        }
    }
}

fn number(port: &SidecarPort<'_>) -> u32 {
    port.number
        .and_then(|number| u32::try_from(number.value).ok())
        .unwrap_or_default()
}
