//! The routes of a waypoint's chains, which come with them.

use crate::envoy::World;
use crate::envoy::filters::Filters;
use crate::envoy::message::{Decorator, Origin, Route, RouteAction, RouteConfiguration, RouteMatch, Str, VirtualHost};
use crate::envoy::registry::{Port, Service};
use crate::envoy::routing::compile::{Asker, hash_of, http_routes, waypoint_cluster_name};
use crate::envoy::routing::model::VirtualRoutes;
use crate::envoy::scope::Scope;
use crate::values::host::is_covered;

/// The routes for a port of a service: those that speak of it, else one to its own cluster.
pub(super) fn of_port<'m, 'a>(
    filters: &Filters<'_, 'm, 'a>,
    scope: &Scope,
    service: &Service<'m, 'a>,
    port: &Port,
) -> RouteConfiguration {
    let (world, proxy) = (filters.world, filters.proxy);
    let cluster = waypoint_cluster_name(port.number, "http", "", &service.host);
    let mesh = [Str::new_static("mesh")];
    let asker = Asker {
        proxy,
        scope,
        gateways: &mesh,
        source_namespace: proxy.namespace,
        port: port.number,
        is_tls: false,
        whole_services: true,
        waypoint: world.waypoints.of_proxy(proxy),
    };
    let virtual_routes = speaking_of(world, scope, service);
    let routes = virtual_routes.map_or_else(Vec::new, |routes| http_routes(world, routes, &asker));
    if routes.is_empty() {
        let mut made = default_routes(world, &cluster, &service.host, port.number);
        let route = made.virtual_hosts.first_mut().and_then(|host| host.routes.first_mut());
        if let Some(action) = route.and_then(|route| route.route.as_deref_mut()) {
            action.hash_policy = hash_of(world, proxy, service, port.number, "");
        }
        made.origin = Origin::of(service.span);
        return made;
    }
    RouteConfiguration {
        origin: virtual_routes.map_or_else(Origin::default, |routes| Origin::of(routes.span)),
        ..configuration(&cluster, port.number, routes)
    }
}

/// The first of the routes for `mesh` in the service's own namespace that has its host.
fn speaking_of<'w, 'm>(
    world: &'w World<'m, '_>,
    scope: &Scope,
    service: &Service<'_, '_>,
) -> Option<&'w VirtualRoutes<'m>> {
    let routes = scope.routes.iter().map(|id| &world.routes.all[*id]);
    let own = routes.filter(|routes| routes.namespace == service.namespace && !routes.http.is_empty());
    own.into_iter()
        .find(|routes| routes.hosts.iter().any(|host| is_covered(&service.host, host)))
}

/// The routes for pods.
pub(super) fn direct(world: &World<'_, '_>) -> RouteConfiguration {
    default_routes(world, &Str::new_static("encap"), "", 0)
}

fn default_routes(world: &World<'_, '_>, cluster: &Str, host: &str, port: u32) -> RouteConfiguration {
    let route = Route {
        name: Str::new_static("default"),
        decorator: Some(Decorator {
            operation: Str::from(format!("{host}:{port}/*")),
        }),
        r#match: RouteMatch {
            prefix: Some(Str::new_static("/")),
            ..RouteMatch::default()
        },
        route: Some(Box::new(RouteAction {
            cluster: cluster.clone(),
            max_grpc_timeout: Str::new_static("0s"),
            retry_policy: world.routes.default_retries.clone(),
            timeout: Str::new_static("0s"),
            ..RouteAction::default()
        })),
        ..Route::default()
    };
    RouteConfiguration {
        max_direct_response_body_size_bytes: Some(1_048_576),
        ..configuration(cluster, port, vec![route])
    }
}

fn configuration(name: &Str, port: u32, routes: Vec<Route>) -> RouteConfiguration {
    RouteConfiguration {
        name: name.clone(),
        validate_clusters: Some(false),
        virtual_hosts: vec![VirtualHost {
            name: Str::from(format!("inbound|http|{port}")),
            domains: vec![Str::new_static("*")],
            routes,
            ..VirtualHost::default()
        }],
        ..RouteConfiguration::default()
    }
}
