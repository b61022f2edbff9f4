//! The conditions of a schema: `x-kubernetes-validations`, written in the Common Expression Language.
//!
//! The API server evaluates them after the structure is found right and defaults are filled in. They may come from a
//! definition in the input, so size, depth and steps are bounded. Written by hand, as no crate bounds the steps.

mod eval;
mod functions;
mod lex;
mod library;
mod parse;
mod time;
mod value;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::shape::{ShapeId, Shapes};
use super::violation::{Violation, ViolationKind};
use crate::source::Span;
use crate::yaml::Node;
use eval::Machine;
use parse::Expr;
use value::{Schema, Value};

/// What conditions need to know of a node of the schema.
#[derive(Debug, Default)]
pub struct Facts {
    format: Format,
    defaults: FxHashMap<Box<str>, Json>,
    conditions: Vec<Condition>,
}

/// Texts that are something else to an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Plain,
    Duration,
    Timestamp,
}

impl Facts {
    /// Reads them from a schema; `None` where there are none.
    pub fn of(schema: &Json) -> Option<Arc<Self>> {
        let format = match schema["format"].as_str() {
            Some("duration") => Format::Duration,
            Some("date" | "date-time") => Format::Timestamp,
            _ => Format::Plain,
        };
        let fields = schema["properties"].as_object().into_iter().flatten();
        let defaults = fields.filter_map(|(name, field)| Some((name.as_str().into(), field.get("default")?.clone())));
        let conditions = schema["x-kubernetes-validations"].as_array().into_iter().flatten();
        let facts = Self {
            format,
            defaults: defaults.collect(),
            conditions: conditions.filter_map(Condition::read).collect(),
        };
        let says_nothing = format == Format::Plain && facts.defaults.is_empty() && facts.conditions.is_empty();
        (!says_nothing).then(|| Arc::new(facts))
    }

    /// Whether there is something to evaluate.
    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }
}

/// One entry of `x-kubernetes-validations`.
#[derive(Debug)]
struct Condition {
    rule: Source,
    message: Option<String>,
    message_expression: Option<Source>,
    field_path: Option<String>,
    old_self_is_optional: bool,
}

/// An expression that is compiled when it is first needed.
#[derive(Debug)]
struct Source {
    text: String,
    program: OnceLock<Result<Program, String>>,
}

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    expr: Expr,
    /// The regular expressions that are written out.
    patterns: FxHashMap<String, Result<regex::Regex, String>>,
    names_old_self: bool,
}

/// Why an evaluation did not come to an end.
#[derive(Clone, Debug)]
enum Stop {
    /// A value is a placeholder.
    Unknown,
    /// The API server stops too, and refuses the object.
    Refused(String),
    /// meshlint cannot say.
    Failed(String),
}

impl Stop {
    fn failed(why: impl Into<String>) -> Self {
        Stop::Failed(why.into())
    }

    fn overflow() -> Self {
        Stop::Refused("a number is too large".to_owned())
    }

    fn types(name: &str, values: &[Value<'_>]) -> Self {
        let types: Vec<&str> = values.iter().map(Value::type_name).collect();
        Stop::Failed(format!("`{name}` is not known for {}", types.join(", ")))
    }
}

/// Longer expressions are not evaluated.
const LONGEST: usize = 32 << 10;

impl Source {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            program: OnceLock::new(),
        }
    }

    fn program(&self) -> Result<&Program, Stop> {
        let compiled = self.program.get_or_init(|| Program::compile(&self.text));
        compiled.as_ref().map_err(|fault| Stop::Failed(fault.clone()))
    }
}

impl Program {
    fn compile(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err("the expression is too long".to_owned());
        }
        let expr = parse::parse(text)?;
        let mut patterns = FxHashMap::default();
        let mut names_old_self = false;
        expr.visit(&mut |part| match part {
            Expr::Name(name) => names_old_self |= name == "oldSelf",
            Expr::Call(name, arguments) if matches!(name.as_str(), "matches" | "find" | "findAll") => {
                if let [_, Expr::Text(pattern), ..] = arguments.as_slice() {
                    patterns.insert(pattern.clone(), library::regex(pattern));
                }
            }
            _ => {}
        });
        Ok(Self {
            expr,
            patterns,
            names_old_self,
        })
    }
}

impl Condition {
    fn read(json: &Json) -> Option<Self> {
        let text = |key: &str| json[key].as_str();
        // A rule of its own says it, at the exact place.
        if text("x-rule").is_some() {
            return None;
        }
        Some(Self {
            rule: Source::new(text("rule")?),
            message: text("message").map(one_line),
            message_expression: text("messageExpression").map(Source::new),
            field_path: text("fieldPath").map(str::to_owned),
            old_self_is_optional: json["optionalOldSelf"] == true,
        })
    }

    fn judge<'v>(&'v self, node: Node<'v, 'v>, schema: Schema<'v>, steps: &mut u64) -> Option<Violation> {
        let held = self.run(&self.rule, node, schema, steps);
        let kind = match held {
            Ok(Some(Value::Bool(false))) => {
                let message = self.message(node, schema, steps);
                ViolationKind::BrokenCondition { message, why: None }
            }
            Ok(None | Some(Value::Bool(true))) | Err(Stop::Unknown) => return None,
            Ok(Some(_)) => self.unevaluated("it gives no boolean".to_owned()),
            Err(Stop::Refused(why)) => ViolationKind::BrokenCondition {
                message: self.message.clone().unwrap_or_else(|| self.shown()),
                why: Some(why),
            },
            Err(Stop::Failed(why)) => self.unevaluated(why),
        };
        Some(Violation {
            span: self.place(node),
            kind,
        })
    }

    /// Evaluates an expression of the condition; `None` where it compares with an earlier state.
    fn run<'v>(
        &'v self,
        source: &'v Source,
        node: Node<'v, 'v>,
        schema: Schema<'v>,
        steps: &mut u64,
    ) -> Result<Option<Value<'v>>, Stop> {
        let program = source.program()?;
        if program.names_old_self && !self.old_self_is_optional {
            return Ok(None);
        }
        let names = vec![("self", value::read(node, schema)?), ("oldSelf", Value::Optional(None))];
        Machine::new(program, names, steps).eval(&program.expr).map(Some)
    }

    fn message<'v>(&'v self, node: Node<'v, 'v>, schema: Schema<'v>, steps: &mut u64) -> String {
        let made = self
            .message_expression
            .as_ref()
            .map(|source| self.run(source, node, schema, steps));
        match made {
            Some(Ok(Some(Value::Text(text)))) if !text.trim().is_empty() => one_line(&text),
            _ => self.message.clone().unwrap_or_else(|| self.shown()),
        }
    }

    /// What stands for the message where there is none.
    fn shown(&self) -> String {
        format!("failed rule: {}", one_line(&self.rule.text))
    }

    fn unevaluated(&self, why: String) -> ViolationKind {
        ViolationKind::UnevaluatedCondition {
            condition: self.message.clone().unwrap_or_else(|| one_line(&self.rule.text)),
            why,
        }
    }

    /// The value at fault, or the nearest to where it should stand.
    fn place(&self, node: Node<'_, '_>) -> Span {
        let path = self.field_path.as_deref().unwrap_or_default();
        let steps = path.split(['.', '[', ']']).map(|step| step.trim_matches(['\'', '"']));
        let mut place = node;
        for step in steps.filter(|step| !step.is_empty()) {
            let Some(inner) = place.get(step) else { break };
            place = inner;
        }
        place.span()
    }
}

/// A text of a definition as far as a message can hold it.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Steps for the conditions of an object, for each of its nodes, and at most.
const STEPS: u64 = 100_000;
const STEPS_PER_NODE: u64 = 4_000;
const MOST_STEPS: u64 = 30_000_000;

/// Evaluates the conditions of the places that have some.
pub fn check(shapes: &Shapes, places: &[(ShapeId, Node<'_, '_>)], violations: &mut Vec<Violation>) {
    let Some((_, first)) = places.first() else { return };
    let nodes = first.tree().len() as u64;
    let mut steps = (STEPS + STEPS_PER_NODE * nodes).min(MOST_STEPS);
    for (id, node) in places {
        let conditions = shapes.get(*id).cel.iter().flat_map(|facts| &facts.conditions);
        for condition in conditions {
            violations.extend(condition.judge(*node, Schema::new(shapes, *id), &mut steps));
        }
    }
}

/// Judges the syntax of an expression. One that is nested deeper than meshlint reads may be right.
///
/// # Errors
/// What is wrong with it, in words.
pub fn check_syntax(text: &str) -> Result<(), String> {
    match parse::parse(text) {
        Err(fault) if fault != parse::TOO_DEEP => Err(fault),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Refuser;
    use crate::schema::walk::walk;
    use crate::source::Sources;
    use crate::values::minor::Minor;
    use proptest::prelude::*;
    use serde_json::json;

    /// What becomes of an object `spec` with a condition.
    fn judged(fields: &Json, rule: &str, spec: &str) -> Vec<ViolationKind> {
        let schema = json!({"properties": {"spec": {
            "type": "object",
            "properties": fields,
            "x-kubernetes-validations": [{"rule": rule, "message": "broken"}],
        }}});
        let sources = Sources::from_texts([("a.yaml", format!("spec: {spec}\n"))]);
        let documents = crate::yaml::parse(&sources.files[0]);
        let mut violations = Vec::new();
        for root in documents.iter().filter_map(|document| document.tree.root()) {
            let shapes = Shapes::compile(&schema, Refuser::Crd);
            walk(&shapes, root, Minor::NEWEST, &mut violations);
        }
        let kinds = violations.into_iter().map(|violation| violation.kind);
        kinds.filter(|kind| !kind.is_dropped()).collect()
    }

    fn fields() -> Json {
        json!({
            "name": {"type": "string"},
            "port": {"type": "integer"},
            "ratio": {"type": "number"},
            "any": {},
            "mode": {"type": "string", "default": "Terminate"},
            "wait": {"type": "string", "format": "duration"},
            "since": {"type": "string", "format": "date-time"},
            "namespace": {"type": "string"},
            "my-field": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "items": {"type": "object", "properties": {
                "a": {"type": "integer"}, "kind": {"type": "string", "default": "Service"},
            }}},
            "inner": {"type": "object", "default": {"deep": 7}, "properties": {"deep": {"type": "integer"}}},
        })
    }

    #[track_caller]
    fn holds(rule: &str, spec: &str) {
        assert_eq!(judged(&fields(), rule, spec), [], "{rule} on {spec}");
        let negated = judged(&fields(), &format!("!({rule})"), spec);
        let broken = ViolationKind::BrokenCondition {
            message: "broken".into(),
            why: None,
        };
        assert_eq!(negated, [broken], "!({rule}) on {spec}");
    }

    #[track_caller]
    fn fails(rule: &str, spec: &str, reason: &str) {
        let found = judged(&fields(), rule, spec);
        let [ViolationKind::UnevaluatedCondition { why, .. }] = found.as_slice() else {
            panic!("{rule} on {spec}: {found:?}")
        };
        assert!(why.contains(reason), "{why} is not {reason}");
    }

    #[test]
    fn operators_and_macros() {
        for rule in [
            "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9",
            "-9223372036854775808 < 0 && 7 / 2 == 3 && -7 % 3 == -1 && 1.5 + 1.0 == 2.5 && 2u + 1u == 3u",
            "0x1F == 31 && 1e3 == 1000.0 && 1 == 1.0 && 1 < 1.5",
            "'a' + \"b\" == r'ab' && '''a'b''' == \"a'b\" && '\\u0041\\x42\\103\\n' == 'ABC\\n' && b'\\xff' != b'a'",
            "true ? true : false || false",
            "1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && [1, 'a'] != [1]",
            "[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2, 2].exists_one(x, x == 1)",
            "[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6] && [1, 2].map(x, x > 1, x) == [2]",
            "[5, 6].all(i, x, x == i + 5) && {'a': 1}.exists(k, v, k == 'a' && v == 1)",
            "[1, 2].transformList(i, x, i + x) == [1, 3] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
            "cel.bind(x, 2, x * x) == 4",
            "type(1) == int && type('a') == string && type([]) == list && type(null) == null_type",
            "[[1, 2], [3]].all(x, x.all(y, y > 0))",
            "size('äö') == 2 && [1].size() == 1 && {1: 2}[1] == 2",
            "[0].all(x, 1 / x > 0 || true) && (1 / 0 > 0 || true) && !(false && 1 / 0 > 0)",
            "duration('1h30m') > duration('89m') && duration('1m') + duration('30s') == duration('90s')",
            "timestamp('2026-08-11T10:00:00Z') + duration('1h') == timestamp('2026-08-11T13:00:00+02:00')",
            "timestamp('2026-08-11T10:20:00Z').getHours() == 10 && duration('90m').getMinutes() == 90",
            "int('7') == 7 && string(7) == '7' && double('1.5') == 1.5 && int(1.9) == 1 && uint(3) == 3u && bool('true')",
            "// a comment\n true",
        ] {
            holds(rule, "{}");
        }
    }

    #[test]
    fn functions_of_kubernetes() {
        for rule in [
            "'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == '' && 'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3",
            "'abcb'.indexOf('b', 2) == 3 && 'abc'.indexOf('x') == -1 && 'aB'.lowerAscii() == 'ab' && 'aB'.upperAscii() == 'AB'",
            "'aaa'.replace('a', 'b', 2) == 'bba' && 'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
            "'abcd'.substring(1) == 'bcd' && 'abcd'.substring(1, 3) == 'bc' && ' a '.trim() == 'a' && 'abc'.reverse() == 'cba'",
            "['a', 'b'].join('-') == 'a-b' && '%s is %d'.format(['x', 1]) == 'x is 1'",
            "'abc'.matches('^[a-z]+$') && !'a'.matches('^b') && 'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
            "[1, 2, 3].isSorted() && [1, 2].sum() == 3 && [2, 1].min() == 1 && [2, 1].max() == 2 && [1, 2, 1].lastIndexOf(1) == 2",
            "sets.contains([1, 2], [1]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 2], [2, 1, 1])",
            "isURL('https://a.example:8443/x?y=1') && !isURL('a.example') && isURL('/path') && !isURL('http://a b/')",
            "url('https://a.example:8443/x?y=1').getHost() == 'a.example:8443' && url('HTTPS://[::1]:80/').getHostname() == '::1'",
            "url('https://a/b').getScheme() == 'https' && url('https://a:1/').getPort() == '1' && url('oci:a').getScheme() == 'oci'",
            "url('https://a/b?c=d').getQuery() == {'c': ['d']} && url('https://a/b').getEscapedPath() == '/b'",
            "isIP('10.0.0.1') && !isIP('10.0.0') && ip('::1').family() == 6 && ip('127.0.0.1').isLoopback()",
            "isCIDR('10.0.0.0/8') && cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
            "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
            "cidr('0.0.0.0/0').containsIP('1.2.3.4') && cidr('::/0').prefixLength() == 0",
            "isQuantity('1.5Gi') && !isQuantity('1.5X') && quantity('1k').isGreaterThan(quantity('999')) && quantity('500m').add(quantity('0.5')) == quantity('1')",
            "quantity('2').asInteger() == 2 && !quantity('0.5').isInteger() && quantity('1Ki').compareTo(quantity('1024')) == 0",
            "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').hasValue()",
            "format.named('uuid').value().validate('x').hasValue() && !format.named('nothing').hasValue()",
            "optional.of(1).hasValue() && !optional.none().hasValue() && optional.none().orValue(3) == 3 && optional.of(1).value() == 1",
            "{'a': {'b': 1}}.?a.?b.orValue(0) == 1 && {'a': 1}.?c.orValue(0) == 0 && [1][?3].orValue(9) == 9",
            "{'a': 1}.?a.optMap(x, x + 1).orValue(0) == 2 && optional.none().or(optional.of(2)).value() == 2",
        ] {
            holds(rule, "{}");
        }
    }

    #[test]
    fn values_follow_the_schema() {
        let spec = "{name: web, port: 80, ratio: 1, namespace: shop, my-field: x, wait: 90s, since: '2026-08-11T10:00:00Z', \
                    labels: {app: web, a.b/c: d}, any: {x: [1, a]}, list: [{a: 1}, {a: 2, kind: Pod}]}";
        for rule in [
            "self.name == 'web' && self.port == 80 && type(self.ratio) == double",
            "self.__namespace__ == 'shop' && self.my__dash__field == 'x'",
            "self.mode == 'Terminate' && has(self.mode) && self.inner.deep == 7",
            "self.wait == duration('90s') && duration(self.wait) > duration('1m')",
            "self.since < timestamp('2027-01-01T00:00:00Z')",
            "self.labels['a.b/c'] == 'd' && self.labels.app == 'web' && 'app' in self.labels && self.labels.size() == 2",
            "self.labels.all(k, k.size() > 2 && self.labels[k] != '')",
            "self.any.x[1] == 'a' && self.any == {'x': [1, 'a']}",
            "self.list.all(x, self.list.exists_one(y, x.a == y.a)) && self.list[0].kind == 'Service' && self.list[1].kind == 'Pod'",
            "!has(self.any.y) && self.?any.?y.orValue(1) == 1 && !self.?name.optMap(n, n == '').orValue(true)",
        ] {
            holds(rule, spec);
        }
        holds(
            "self.mode == 'Passthrough' && !has(self.name)",
            "{mode: Passthrough, name: null}",
        );
    }

    #[test]
    fn what_the_api_server_cannot_evaluate_it_refuses() {
        for (rule, spec) in [
            ("self.name == 'a'", "{}"),
            ("duration(self.name) > duration('1s')", "{name: 5 apples}"),
            ("self.list[3].a == 1", "{list: []}"),
            ("1 / self.port == 1", "{port: 0}"),
        ] {
            let found = judged(&fields(), rule, spec);
            assert!(
                matches!(found.as_slice(), [ViolationKind::BrokenCondition { why: Some(_), .. }]),
                "{rule} on {spec}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        for (rule, spec) in [
            ("self.name == 'a'", "{name: \"${NAME}\"}"),
            ("self.port > 90000", "{port: \"${PORT}\"}"),
            ("self.any.all(x, x == 'a')", "{any: [a, \"${B}\"]}"),
            ("self.name == oldSelf.name + 'x'", "{name: a}"),
        ] {
            assert_eq!(judged(&fields(), rule, spec), [], "{rule} on {spec}");
        }
        holds(
            "has(self.name) && size(self.any) == 2 && !self.any.all(x, x == 'b')",
            "{name: \"${N}\", any: [a, \"${B}\"]}",
        );
    }

    #[test]
    fn faults_of_a_condition_are_told() {
        fails("self.", "{}", "a name is missing");
        fails("(1", "{}", "`)` is missing");
        fails("1 +", "{}", "too early");
        fails("'abc", "{}", "not closed");
        fails("1 # 2", "{}", "`#` means nothing");
        fails("future(1)", "{}", "`future`");
        fails("nothing == 1", "{}", "`nothing` is not defined");
        fails("1 + 'a' == 2", "{}", "`+` is not known for int, string");
        fails("'a'.matches('(?=a)')", "{}", "look-ahead");
        fails("1 + 1", "{}", "no boolean");
    }

    #[test]
    fn work_is_bounded() {
        let deep = |open: &str, close: &str| format!("{}true{}", open.repeat(2000), close.repeat(2000));
        for rule in [
            deep("(", ")"),
            deep("!", ""),
            deep("[", "]"),
            deep("[1].all(x, ", ")"),
            deep("true?1:", ""),
        ] {
            fails(&rule, "{}", "deep");
        }
        fails(&vec!["true"; 10_000].join("&&"), "{}", "long");
        fails(&vec!["1"; 5000].join("+"), "{}", "deep");
        holds(&vec!["true"; 5000].join("&&"), "{}");
        let nested = format!("{}true{}", "[1,2,3,4,5,6,7,8,9].all(x, ".repeat(30), ")".repeat(30));
        fails(&nested, "{}", "too many steps");
        let doubling = "[0,0,0,0,0,0,0,0,0,0].map(a, [0,0,0,0,0,0,0,0,0,0].map(b, [0,0,0,0,0,0,0,0,0,0].map(c, \
                        'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')\
                        .replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').replace('a', 'aaaaaaaaaaaaaaa')))).size() == 1";
        fails(doubling, "{}", "too many steps");
        fails(
            "self.name.matches(self.name) || self.name.matches('(?:a{1000}){1}b{1000}\\\\pL{1000}')",
            "{name: \"(\"}",
            "",
        );
    }

    proptest! {
        #[test]
        fn any_expression_gives_an_answer(
            words in proptest::collection::vec(proptest::sample::select(WORDS), 0..24),
            noise in ".{0,8}",
        ) {
            let rule = words.concat() + &noise;
            judged(&fields(), &rule, "{name: a, port: 1, list: [{a: 1}], labels: {a: b}}");
        }
    }

    const WORDS: &[&str] = &[
        "self",
        ".",
        "name",
        ".size()",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "1",
        "-",
        "0",
        "9223372036854775807",
        "+",
        "*",
        "/",
        "%",
        "'a'",
        "'%s'",
        "r'\\d'",
        "b'\\xff'",
        "'\\u0041'",
        "\"",
        "?",
        ":",
        ",",
        "&&",
        "||",
        "!",
        "==",
        "<",
        " in ",
        "has(",
        ".all(x, ",
        ".map(x, x)",
        "x",
        ".?",
        "[?",
        ".labels",
        ".list",
        "duration('1h')",
        "ip('::1')",
        ".substring(",
        "null",
        ".format([",
        "quantity('1Ki')",
        ".replace('', 'b')",
        ".split('')",
        "url('http://a')",
        "1.5e3",
        "2u",
        ".port",
    ];
}
