//! The name that somebody probably meant.

/// The candidate nearest to `name`: the same but for case, `_` and `-`, or a few letters away. `None` where nothing is
/// near enough to be named.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let folded = fold(name);
    let limit = match folded.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=11 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| *candidate != name && candidate.len().abs_diff(name.len()) <= 4)
        .map(|candidate| (strsim::osa_distance(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether two names are one but for case, `_` and `-`.
pub fn same_but_for_style(a: &str, b: &str) -> bool {
    a != b && fold(a) == fold(b)
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["timeout", "perTryTimeout", "hosts", "http"];
        assert_eq!(nearest("timout", names.into_iter()), Some("timeout"));
        assert_eq!(nearest("per_try_timeout", names.into_iter()), Some("perTryTimeout"));
        assert_eq!(nearest("Hosts", names.into_iter()), Some("hosts"));
        assert_eq!(nearest("route", names.into_iter()), None);
        assert_eq!(nearest("x", names.into_iter()), None);
    }
}
