//! Labels of Kubernetes objects.

use super::host::is_dns_label;

/// Whether a text can be the key of a label: a name, perhaps after `prefix/`.
pub fn is_key(text: &str) -> bool {
    let Some((prefix, name)) = text.split_once('/') else {
        return is_name(text);
    };
    prefix.len() <= 253 && prefix.split('.').all(is_dns_label) && name.len() <= 63 && is_name(name)
}

/// Whether a text can be the value of a label: nothing, or a name of at most 63 characters.
pub fn is_value(text: &str) -> bool {
    text.is_empty() || is_name(text)
}

/// Up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_name(text: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= 63
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_have_their_forms() {
        for key in ["app", "app.kubernetes.io/name", "a_b", "A1"] {
            assert!(is_key(key), "{key}");
        }
        for key in ["", "/a", "a/", "a/b/c", "-a", "a b", "a_b/c"] {
            assert!(!is_key(key), "{key}");
        }
        assert!(is_value("") && is_value("v1.2_x-y"));
        assert!(!is_value("v1-") && !is_value("a/b"));
    }
}
