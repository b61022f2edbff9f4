//! How an endpoint is chosen.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::envoy::destinations::Policy;
use crate::envoy::endpoints::Preference;
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{Cluster, Empty, MaglevLbConfig, RingHashLbConfig, Str};
use crate::model::istio::{ConsistentHashLb, LoadBalancerSettings, WarmupConfiguration, ZoneAwareLoadBalancerSetting};

/// The smallest ring where nothing says another.
const MINIMUM_RING_SIZE: i64 = 1024;

/// Whether a load balancer leaves the choice to the application.
pub fn passes_through(balancer: Option<&LoadBalancerSettings<'_>>) -> bool {
    let simple = balancer.and_then(|balancer| balancer.simple);
    simple.is_some_and(|simple| simple.as_str() == "PASSTHROUGH")
}

/// Sets the load balancer of a cluster whose type is chosen already.
pub(super) fn apply_load_balancer(cluster: &mut Cluster, policy: &Policy<'_, '_>, preference: &Preference<'_, '_>) {
    apply_preference(cluster, preference);
    if cluster.r#type == "ORIGINAL_DST" {
        cluster.lb_policy = "CLUSTER_PROVIDED";
        return;
    }
    cluster.lb_policy = "LEAST_REQUEST";
    let Some(balancer) = policy.load_balancer else { return };
    match balancer.simple.map_or("", |simple| simple.as_str()) {
        "RANDOM" => cluster.lb_policy = "RANDOM",
        "ROUND_ROBIN" => {
            cluster.lb_policy = "";
            cluster.round_robin_lb_config = slow_start(balancer);
        }
        "PASSTHROUGH" => pass_through(cluster),
        _ => cluster.least_request_lb_config = slow_start(balancer),
    }
    if let Some(hash) = balancer.consistent_hash.as_deref() {
        apply_hash(cluster, hash);
    }
}

fn pass_through(cluster: &mut Cluster) {
    cluster.lb_policy = "CLUSTER_PROVIDED";
    cluster.r#type = "ORIGINAL_DST";
    cluster.load_assignment = None;
    cluster.eds_cluster_config = None;
}

fn apply_preference(cluster: &mut Cluster, preference: &Preference<'_, '_>) {
    let common = cluster.common_lb_config.get_or_insert_default();
    match preference {
        Preference::ZoneAware(setting) => common.zone_aware_lb_config = Some(Arc::new(zone_aware(setting))),
        other => common.locality_weighted_lb_config = other.is_weighted().then_some(Empty {}),
    }
}

fn zone_aware(setting: &ZoneAwareLoadBalancerSetting<'_>) -> Value {
    let mut config = Map::new();
    if setting.enabled.is_some_and(|enabled| !enabled.value) {
        config.insert("routingEnabled".into(), json!({}));
    }
    if let Some(size) = setting.min_cluster_size {
        config.insert("minClusterSize".into(), size.value.to_string().into());
    }
    Value::Object(config)
}

/// A growing share of the traffic for new endpoints; the old field has a duration only.
fn slow_start(balancer: &LoadBalancerSettings<'_>) -> Option<Arc<Value>> {
    let mut config = Map::new();
    if let Some(warmup) = balancer.warmup.as_deref() {
        warm_up(&mut config, warmup);
    } else {
        let duration = balancer.warmup_duration_secs?;
        config.insert(
            "slowStartWindow".into(),
            envoy_duration(duration.as_str()).as_str().into(),
        );
    }
    Some(Arc::new(json!({"slowStartConfig": config})))
}

fn warm_up(config: &mut Map<String, Value>, warmup: &WarmupConfiguration<'_>) {
    let aggression = number(warmup.aggression.map_or(1.0, |aggression| aggression.value));
    let percent = number(warmup.minimum_percent.map_or(10.0, |percent| percent.value));
    config.insert(
        "aggression".into(),
        json!({"defaultValue": aggression, "runtimeKey": "("}),
    );
    config.insert("minWeightPercent".into(), json!({"value": percent}));
    if let Some(duration) = warmup.duration {
        config.insert(
            "slowStartWindow".into(),
            envoy_duration(duration.as_str()).as_str().into(),
        );
    }
}

/// A number as JSON writes it: without a fraction where it is whole.
#[expect(
    clippy::cast_possible_truncation,
    reason = "only whole numbers of modest size are converted"
)]
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// Hashing has settings of its own, which take the place of a slow start.
fn apply_hash(cluster: &mut Cluster, hash: &ConsistentHashLb<'_>) {
    cluster.round_robin_lb_config = None;
    cluster.least_request_lb_config = None;
    if let Some(maglev) = hash.maglev.as_deref() {
        cluster.lb_policy = "MAGLEV";
        cluster.maglev_lb_config = Some(MaglevLbConfig {
            table_size: maglev.table_size.map(|size| Str::from(size.value.to_string())),
        });
        return;
    }
    let of_ring = hash.ring_hash.as_deref().and_then(|ring| ring.minimum_ring_size);
    let size = of_ring
        .or(hash.minimum_ring_size)
        .map(|size| size.value)
        .filter(|size| *size > 0);
    cluster.lb_policy = "RING_HASH";
    cluster.ring_hash_lb_config = Some(RingHashLbConfig {
        minimum_ring_size: Some(Str::from(size.unwrap_or(MINIMUM_RING_SIZE).to_string())),
    });
}
