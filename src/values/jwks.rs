//! JSON Web Keys, alone or as a set.

use std::fmt;

use serde_json::{Map, Value};

/// Why a text holds no keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no JSON object.
    Json,
    /// The object is neither a key nor a set of keys.
    Shape,
    /// A key is no object, or names no type.
    Untyped,
    /// A key has a type that is none of RSA, EC, OKP, oct.
    Type,
    /// A key lacks this member, or it is no text.
    Member(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Json => f.write_str("it is no JSON object"),
            Fault::Shape => f.write_str("it has neither `keys` nor `kty`"),
            Fault::Untyped => f.write_str("a key has no `kty`"),
            Fault::Type => f.write_str("a key's `kty` is none of `RSA`, `EC`, `OKP`, `oct`"),
            Fault::Member(member) => write!(f, "a key lacks `{member}`"),
        }
    }
}

/// Whether any of the keys is private or symmetric, so that who reads it can sign.
///
/// # Errors
///
/// The first fault of the text. It never holds a part of the text.
pub fn holds_private_key(text: &str) -> Result<bool, Fault> {
    let Ok(Value::Object(whole)) = serde_json::from_str(text) else {
        return Err(Fault::Json);
    };
    let set = whole.get("keys").and_then(Value::as_array);
    match set {
        Some(keys) => keys.iter().try_fold(false, |private, key| {
            Ok(key.as_object().ok_or(Fault::Untyped).and_then(is_private)? || private)
        }),
        None if whole.contains_key("kty") => is_private(&whole),
        None => Err(Fault::Shape),
    }
}

fn is_private(key: &Map<String, Value>) -> Result<bool, Fault> {
    let kty = key.get("kty").and_then(Value::as_str).ok_or(Fault::Untyped)?;
    let members: &[&'static str] = match kty {
        "RSA" => &["n", "e"],
        "EC" => &["crv", "x", "y"],
        "OKP" => &["crv", "x"],
        "oct" => &["k"],
        _ => return Err(Fault::Type),
    };
    match members
        .iter()
        .find(|member| !key.get(**member).is_some_and(Value::is_string))
    {
        Some(member) => Err(Fault::Member(member)),
        None => Ok(kty == "oct" || key.contains_key("d")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_by_what_they_hold() {
        let public = [
            r#"{"keys": []}"#,
            r#"{"kty": "RSA", "n": "AQ", "e": "AQAB"}"#,
            r#"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ", "kid": "a"}]}"#,
        ];
        for text in public {
            assert_eq!(holds_private_key(text), Ok(false), "{text}");
        }
        let private = [
            r#"{"kty": "oct", "k": "AQ"}"#,
            r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AQ"}, {"kty": "RSA", "n": "AQ", "e": "AQAB", "d": "AQ"}]}"#,
        ];
        for text in private {
            assert_eq!(holds_private_key(text), Ok(true), "{text}");
        }
    }

    #[test]
    fn faults_are_named_without_the_text() {
        let faults = [
            ("", Fault::Json),
            ("foo", Fault::Json),
            ("[]", Fault::Json),
            ("{}", Fault::Shape),
            (r#"{"keys": "AQ"}"#, Fault::Shape),
            (r#"{"keys": ["AQ"]}"#, Fault::Untyped),
            (r#"{"keys": [{"n": "AQ"}]}"#, Fault::Untyped),
            (r#"{"kty": "rsa"}"#, Fault::Type),
            (r#"{"kty": "RSA", "e": "AQAB"}"#, Fault::Member("n")),
        ];
        for (text, fault) in faults {
            assert_eq!(holds_private_key(text), Err(fault), "{text}");
        }
    }
}
