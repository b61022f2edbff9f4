//! Priorities and weights of places.

use super::Preference;
use super::assignment::{Candidate, Group};
use crate::envoy::message::Locality;
use crate::envoy::pods::PodGroup;
use crate::model::Value;
use crate::model::istio::{Distribute, LocalityLoadBalancerSettingFailover, ZoneAwareLoadBalancerSetting};

/// Sets priorities and weights as a client prefers them.
pub(super) fn prefer(groups: &mut Vec<Group<'_>>, client: &PodGroup<'_, '_>, preference: &Preference<'_, '_>) {
    match preference {
        Preference::None => {}
        Preference::Distribute(settings) => distribute(groups, client, settings),
        Preference::Failover { regions, labels } => {
            let by_labels = !labels.is_empty();
            if by_labels {
                *groups = std::mem::take(groups)
                    .into_iter()
                    .flat_map(|group| split(group, client, labels))
                    .collect();
            }
            if !by_labels || !regions.is_empty() {
                for group in groups.iter_mut() {
                    group.made.priority =
                        group.made.priority * 5 + distance(&client.locality, group.made.locality.as_ref(), regions);
                }
            }
            compact(groups);
        }
        Preference::ZoneAware(setting) => zone_aware(groups, client, setting),
    }
}

/// Makes the priorities 0, 1, 2 and so on.
fn compact(groups: &mut [Group<'_>]) {
    let mut used: Vec<u32> = groups.iter().map(|group| group.made.priority).collect();
    used.sort_unstable();
    used.dedup();
    for group in groups {
        let place = used.partition_point(|priority| *priority < group.made.priority);
        group.made.priority = u32::try_from(place).unwrap_or(u32::MAX);
    }
}

/// How far a place is from the client: 0 for the same, 3 for another region, 4 for one that the region does not fail
/// over to (catalogue: endpoints and locality, 61 and 62).
fn distance(client: &Locality, place: Option<&Locality>, regions: &[LocalityLoadBalancerSettingFailover<'_>]) -> u32 {
    let nowhere = Locality::default();
    let place = place.unwrap_or(&nowhere);
    if place.region == client.region {
        return match (place.zone == client.zone, place.sub_zone == client.sub_zone) {
            (true, true) => 0,
            (true, false) => 1,
            (false, _) => 2,
        };
    }
    let is = |text: Option<crate::model::Text<'_>>, region: &str| text.map_or("", |text| text.as_str()) == region;
    let setting = regions.iter().find(|setting| is(setting.from, &client.region));
    match setting {
        Some(setting) if !is(setting.to, &place.region) => 4,
        _ => 3,
    }
}

/// Splits a place by how many of the labels its endpoints share with the client (catalogue: endpoints and locality, 65).
fn split<'w>(group: Group<'w>, client: &PodGroup<'_, '_>, labels: &[&str]) -> Vec<Group<'w>> {
    let priority = |candidate: &Candidate<'_>| {
        let first_other = labels.iter().position(|label| {
            let (key, wanted) = match label.split_once('=') {
                Some((key, value)) => (key, value),
                None => (*label, client.label(label).unwrap_or_default()),
            };
            candidate.known.and_then(|known| known.label(key)).unwrap_or_default() != wanted
        });
        first_other.map_or(0, |place| labels.len() - place)
    };
    let mut by_priority: Vec<Vec<Candidate<'w>>> = (0..=labels.len()).map(|_| Vec::new()).collect();
    for candidate in group.candidates {
        by_priority[priority(&candidate)].push(candidate);
    }
    let parts = (0_u32..)
        .zip(by_priority)
        .filter(|(_, candidates)| !candidates.is_empty());
    let made = parts.map(|(priority, candidates)| {
        let mut part = Group {
            made: group.made.clone(),
            candidates,
        };
        part.made.priority = priority;
        part.weigh();
        part
    });
    made.collect()
}

/// Shares of the traffic by locality: the first setting for the client's place. Places that it does not name lose their
/// endpoints (catalogue: endpoints and locality, 64).
fn distribute(groups: &mut [Group<'_>], client: &PodGroup<'_, '_>, settings: &[Distribute<'_>]) {
    let of_client = settings.iter().find(|setting| {
        let from = setting.from.map_or("", |from| from.as_str());
        matches(&client.locality, from)
    });
    let Some(setting) = of_client else { return };
    let mut left: Vec<usize> = (0..groups.len()).collect();
    let shares = match setting.to.as_ref().map(|to| &to.value) {
        Some(Value::Map(shares)) => &**shares,
        _ => &[],
    };
    for (locality, share) in shares {
        let is_there = |place: &usize| {
            let own = groups[*place].made.locality.as_ref();
            own.is_some_and(|own| matches(own, locality.as_str()))
        };
        let (named, others): (Vec<usize>, Vec<usize>) = left.into_iter().partition(is_there);
        left = others;
        let share = match share.value {
            Value::Int(share) => u32::try_from(share).unwrap_or_default(),
            _ => 0,
        };
        share_out(groups, &named, share);
    }
    for place in left {
        groups[place].candidates.clear();
    }
}

fn share_out(groups: &mut [Group<'_>], named: &[usize], share: u32) {
    let weight = |group: &Group<'_>| u64::from(group.made.load_balancing_weight.unwrap_or(1));
    let total: u64 = named.iter().map(|place| weight(&groups[*place])).sum();
    for place in named {
        let part = (weight(&groups[*place]) * u64::from(share)).div_ceil(total.max(1));
        if part > 0 {
            groups[*place].made.load_balancing_weight = u32::try_from(part).ok();
        }
    }
}

/// Whether a place fits `region/zone/subzone`, where `*` is any and what is left out is any.
fn matches(place: &Locality, pattern: &str) -> bool {
    let mut parts = pattern.splitn(3, '/');
    let region = parts.next().unwrap_or_default();
    let fits =
        |part: Option<&str>, value: &str| part.is_none_or(|part| part.is_empty() || part == "*" || part == value);
    (region == "*" || region == place.region.as_str())
        && fits(parts.next(), &place.zone)
        && fits(parts.next(), &place.sub_zone)
}

/// Envoy keeps to the zone itself; only other regions come later (catalogue: endpoints and locality, 68).
fn zone_aware(groups: &mut [Group<'_>], client: &PodGroup<'_, '_>, setting: &ZoneAwareLoadBalancerSetting<'_>) {
    if setting.enabled.is_some_and(|enabled| !enabled.value) {
        return;
    }
    let is = |text: Option<crate::model::Text<'_>>, region: &str| text.map_or("", |text| text.as_str()) == region;
    let failover = setting
        .failover
        .iter()
        .find(|failover| is(failover.from, &client.locality.region));
    for group in groups.iter_mut() {
        let region = group
            .made
            .locality
            .as_ref()
            .map_or("", |locality| locality.region.as_str());
        group.made.priority = match failover {
            _ if region == client.locality.region.as_str() => 0,
            Some(failover) if is(failover.to, region) => 1,
            _ => 2,
        };
    }
    compact(groups);
}
