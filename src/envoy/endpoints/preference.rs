//! Which endpoints a client prefers: those of its zone, its labels, its network.

use crate::envoy::destinations::Policy;
use crate::envoy::environment::Environment;
use crate::envoy::registry::{Service, TrafficDistribution};
use crate::model::Text;
use crate::model::istio::{
    Distribute, LocalityLoadBalancerSetting, LocalityLoadBalancerSettingFailover, ZoneAwareLoadBalancerSetting,
};

/// How a client prefers near endpoints of a destination.
#[derive(Clone, Debug, Default)]
pub enum Preference<'m, 'a> {
    /// All are alike.
    #[default]
    None,
    /// Shares of the traffic by locality.
    Distribute(&'m [Distribute<'a>]),
    /// Near ones first, others when those fail.
    Failover {
        /// Where the traffic of a region goes.
        regions: &'m [LocalityLoadBalancerSettingFailover<'a>],
        /// Labels by which endpoints are near, the most important first; `label=value` compares with that value.
        labels: Vec<&'m str>,
    },
    /// Envoy keeps traffic in the zone.
    ZoneAware(&'m ZoneAwareLoadBalancerSetting<'a>),
}

const PREFER_ZONE: [&str; 4] = [
    "topology.istio.io/network",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.istio.io/subzone",
];

impl<'m, 'a> Preference<'m, 'a> {
    /// What holds for a destination: the rule's setting, else that of the service, else the mesh's (catalogue: endpoints
    /// and locality, 61 to 66). Failover needs outlier detection unless the service asks for it.
    pub fn of(environment: &Environment<'m, 'a>, service: &Service<'m, 'a>, policy: &Policy<'m, 'a>) -> Self {
        let balancer = policy.load_balancer;
        if let Some(zone_aware) = balancer.and_then(|balancer| balancer.zone_aware_lb_setting.as_deref()) {
            return Self::ZoneAware(zone_aware);
        }
        let fails_over = policy.outlier_detection.is_some();
        if let Some(setting) = balancer.and_then(|balancer| balancer.locality_lb_setting.as_deref()) {
            return Self::of_setting(setting, fails_over);
        }
        if let Some(distribution) = service.traffic_distribution {
            let by_host = (distribution == TrafficDistribution::SameNode).then_some("kubernetes.io/hostname");
            return Self::Failover {
                regions: &[],
                labels: PREFER_ZONE.into_iter().chain(by_host).collect(),
            };
        }
        if let Some(zone_aware) = environment.config.zone_aware_lb_setting.as_deref() {
            return Self::ZoneAware(zone_aware);
        }
        match environment.config.locality_lb_setting.as_deref() {
            Some(setting) => Self::of_setting(setting, fails_over),
            None if fails_over => Self::Failover {
                regions: &[],
                labels: Vec::new(),
            },
            None => Self::None,
        }
    }

    fn of_setting(setting: &'m LocalityLoadBalancerSetting<'a>, fails_over: bool) -> Self {
        if setting.enabled.is_some_and(|enabled| !enabled.value) {
            return Self::None;
        }
        if !setting.distribute.is_empty() {
            return Self::Distribute(&setting.distribute);
        }
        if !fails_over {
            return Self::None;
        }
        Self::Failover {
            regions: &setting.failover,
            labels: setting.failover_priority.iter().map(Text::as_str).collect(),
        }
    }

    /// Whether Envoy chooses a locality by its weight first; not for the failover that holds without being asked for.
    pub fn is_weighted(&self) -> bool {
        match self {
            Self::Distribute(_) => true,
            Self::Failover { regions, labels } => !regions.is_empty() || !labels.is_empty(),
            Self::None | Self::ZoneAware(_) => false,
        }
    }
}
