//! Envoy's messages: which fields they have, and of which types. EnvoyFilters are written in them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A message.
#[derive(Debug, Default)]
pub struct Message {
    fields: Vec<Field>,
}

/// A field of a message.
#[derive(Debug)]
pub struct Field {
    /// Its name in the `.proto` file, `connect_timeout`.
    pub name: &'static str,
    /// Its name in JSON, `connectTimeout`.
    pub json: String,
    /// What one value is.
    pub kind: Kind,
    /// How many there are.
    pub shape: Shape,
    /// The `oneof` that it is in.
    pub group: Option<&'static str>,
    /// Whether it is known to be set even where it has its default value.
    pub presence: bool,
}

/// How many values a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Single,
    /// Any number.
    List,
    /// One for each of any number of keys.
    Map,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `bool`
    Bool,
    /// `string`
    Text,
    /// `bytes`, in base64.
    Bytes,
    /// An integer of up to 32 bits.
    Integer,
    /// An integer of 64 bits, which JSON writes as a text.
    Long,
    /// `float` or `double`
    Number,
    /// A word of an enumeration, by its full name.
    Enum(&'static str),
    /// A wrapper message around a scalar, which JSON writes as the scalar.
    Wrapper(Wrapped),
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Struct` and its like: JSON of any form.
    Json,
    /// `google.protobuf.Any`: a message that says its type.
    Any,
    /// A message, by its full name.
    Message(&'static str),
}

/// What a wrapper message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapped {
    /// `BoolValue`
    Bool,
    /// `StringValue`
    Text,
    /// `BytesValue`
    Bytes,
    /// `UInt32Value` and `Int32Value`
    Integer,
    /// `UInt64Value` and `Int64Value`
    Long,
    /// `DoubleValue` and `FloatValue`
    Number,
}

impl Wrapped {
    /// The scalar inside.
    pub fn kind(self) -> Kind {
        match self {
            Wrapped::Bool => Kind::Bool,
            Wrapped::Text => Kind::Text,
            Wrapped::Bytes => Kind::Bytes,
            Wrapped::Integer => Kind::Integer,
            Wrapped::Long => Kind::Long,
            Wrapped::Number => Kind::Number,
        }
    }
}

impl Message {
    /// A field by either of its names.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.name == name || field.json == name)
    }

    /// The fields of a `oneof`.
    pub fn group(&self, name: &str) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |field| field.group == Some(name))
    }
}

/// The message of a full name.
pub fn message(name: &str) -> Option<&'static Message> {
    TYPES.messages.get(name)
}

/// The words of an enumeration, each with its number; the default is 0.
pub fn words(name: &str) -> &'static [(&'static str, i64)] {
    TYPES.enums.get(name).map_or(&[], Vec::as_slice)
}

/// The JSON name of a field: `connect_timeout` becomes `connectTimeout`.
pub fn json_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
        } else {
            out.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    out
}

struct Types {
    messages: FxHashMap<&'static str, Message>,
    enums: FxHashMap<&'static str, Vec<(&'static str, i64)>>,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| read(include_str!("../../schemas/envoy/messages.txt")));

fn read(text: &'static str) -> Types {
    let mut enums = FxHashMap::default();
    blocks(text, "enum ").for_each(|(name, lines)| {
        let words = lines.filter_map(|line| line.split_once(' '));
        let numbered = words.filter_map(|(word, number)| Some((word, number.parse().ok()?)));
        enums.insert(name, numbered.collect());
    });
    let messages = blocks(text, "message ")
        .map(|(name, lines)| {
            (
                name,
                Message {
                    fields: lines.map(|line| field(line, &enums)).collect(),
                },
            )
        })
        .collect();
    Types { messages, enums }
}

/// The blocks that begin with a word: their names, and their lines, which are indented.
fn blocks(
    text: &'static str,
    word: &'static str,
) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    text.match_indices(word)
        .filter(|(place, _)| *place == 0 || text.as_bytes()[place - 1] == b'\n')
        .map(move |(place, _)| {
            let mut lines = text[place + word.len()..].split('\n');
            let name = lines.next().unwrap_or_default();
            (name, lines.map_while(|line| line.strip_prefix(' ')))
        })
}

/// A line: the name, `list` or `map`, the type, `in` and its oneof, or `optional`.
fn field(line: &'static str, enums: &FxHashMap<&'static str, Vec<(&'static str, i64)>>) -> Field {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let mut kind = words.next().unwrap_or_default();
    let shape = match kind {
        "list" => Shape::List,
        "map" => Shape::Map,
        _ => Shape::Single,
    };
    if shape != Shape::Single {
        kind = words.next().unwrap_or_default();
    }
    let last = words.next();
    let group = words.next();
    Field {
        name,
        json: json_name(name),
        kind: kind_of(kind, enums.contains_key(kind)),
        shape,
        group,
        presence: last.is_some(),
    }
}

fn kind_of(name: &'static str, is_enum: bool) -> Kind {
    match name.strip_prefix("google.protobuf.").unwrap_or(name) {
        "bool" => Kind::Bool,
        "string" => Kind::Text,
        "bytes" => Kind::Bytes,
        "int32" | "uint32" => Kind::Integer,
        "int64" | "uint64" => Kind::Long,
        "float" | "double" => Kind::Number,
        "BoolValue" => Kind::Wrapper(Wrapped::Bool),
        "StringValue" => Kind::Wrapper(Wrapped::Text),
        "BytesValue" => Kind::Wrapper(Wrapped::Bytes),
        "UInt32Value" | "Int32Value" => Kind::Wrapper(Wrapped::Integer),
        "UInt64Value" | "Int64Value" => Kind::Wrapper(Wrapped::Long),
        "DoubleValue" | "FloatValue" => Kind::Wrapper(Wrapped::Number),
        "Duration" => Kind::Duration,
        "Struct" | "Value" | "ListValue" | "Timestamp" | "FieldMask" => Kind::Json,
        "Any" => Kind::Any,
        _ if is_enum => Kind::Enum(name),
        _ => Kind::Message(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_know_their_types() {
        let cluster = message("envoy.config.cluster.v3.Cluster").expect("the table has clusters");
        let timeout = cluster.field("connect_timeout").expect("clusters have a timeout");
        assert_eq!(
            (timeout.kind, timeout.json.as_str()),
            (Kind::Duration, "connectTimeout")
        );
        let kind = cluster.field("type").expect("clusters have a type");
        assert_eq!(kind.group, Some("cluster_discovery_type"));
        assert_eq!(words("envoy.config.cluster.v3.Cluster.LbPolicy")[0], ("ROUND_ROBIN", 0));
        let options = cluster
            .field("typedExtensionProtocolOptions")
            .expect("clusters have options");
        assert_eq!((options.kind, options.shape), (Kind::Any, Shape::Map));
    }

    #[test]
    fn every_message_of_a_field_is_there() {
        let missing =
            |kind: Kind| matches!(kind, Kind::Message(name) if name.starts_with("envoy.") && message(name).is_none());
        for (name, message) in &TYPES.messages {
            for field in &message.fields {
                assert!(!missing(field.kind), "{name}.{} is a {:?}", field.name, field.kind);
            }
        }
    }
}
