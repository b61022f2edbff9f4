//! A tree against a schema.

use super::cel;
use super::check::{Alternative, Broken, Check, KeyField, Quantity, Refuser, Test, present, repeated};
use super::nearest::nearest;
use super::shape::{Field, Rest, Shape, ShapeId, Shapes, Types};
use super::violation::{Found, Violation, ViolationKind};
use crate::source::Span;
use crate::values::minor::Minor;
use crate::yaml::{Kind, Node, Scalar, is_placeholder};

/// Checks a tree for a minor of Istio. Conditions are evaluated on what the API server would otherwise take.
pub fn walk(shapes: &Shapes, root: Node<'_, '_>, minor: Minor, violations: &mut Vec<Violation>) {
    let before = violations.len();
    let mut walker = Walker::new(shapes, minor, violations);
    walker.value(Shapes::ROOT, root, "");
    let conditional = walker.conditional;
    if violations[before..].iter().all(|violation| violation.kind.is_dropped()) {
        cel::check(shapes, &conditional, violations);
    }
}

struct Walker<'w, 't, 's> {
    shapes: &'w Shapes,
    minor: Minor,
    violations: &'w mut Vec<Violation>,
    /// Where the schema has conditions.
    conditional: Vec<(ShapeId, Node<'t, 's>)>,
}

impl<'w, 't, 's> Walker<'w, 't, 's> {
    fn new(shapes: &'w Shapes, minor: Minor, violations: &'w mut Vec<Violation>) -> Self {
        Self {
            shapes,
            minor,
            violations,
            conditional: Vec::new(),
        }
    }

    fn value(&mut self, id: ShapeId, node: Node<'t, 's>, field: &str) {
        let shape = self.shapes.get(id);
        let Some((types, found)) = type_of(node) else { return };
        if !shape.types.allows(types) {
            self.mistyped(shape, node, field, found);
            return;
        }
        if shape.cel.as_ref().is_some_and(|facts| facts.has_conditions()) {
            self.conditional.push((id, node));
        }
        match found {
            Found::Mapping => self.mapping(shape, node),
            Found::List => self.list(shape, node, field),
            _ => self.scalar(shape, node, field),
        }
        for check in &shape.checks {
            self.check(check, node, field);
        }
    }

    fn add(&mut self, span: Span, kind: ViolationKind) {
        self.violations.push(Violation { span, kind });
    }

    fn mistyped(&mut self, shape: &Shape, node: Node<'t, 's>, field: &str, found: Found) {
        if found == Found::Text && node.text().is_some_and(is_placeholder) {
            return;
        }
        let text = node.text().unwrap_or_default();
        let formatted = shape
            .checks
            .iter()
            .any(|check| check.test.text(text, self.minor).is_some());
        let kind = ViolationKind::Mistyped {
            field: field.to_owned(),
            expected: shape.types.words(),
            found,
            formatted,
            refuser: self.shapes.refuser,
        };
        self.add(node.span(), kind);
    }

    fn list(&mut self, shape: &Shape, node: Node<'t, 's>, field: &str) {
        let Some(items) = shape.items else { return };
        for item in node.items() {
            if item.is_null() {
                self.mistyped(self.shapes.get(items), item, field, Found::Null);
            }
            self.value(items, item, field);
        }
    }

    fn mapping(&mut self, shape: &'w Shape, node: Node<'t, 's>) {
        if shape.fields.is_empty() && shape.rest == Rest::Open {
            return;
        }
        for (key, value) in node.entries() {
            let name = key.key();
            match (shape.fields.get(&*name), shape.rest) {
                (Some(field), _) => {
                    self.dated(*field, key, &name, value);
                    self.null(field.shape, key, value, &name, field.has_default);
                    self.value(field.shape, value, &name);
                }
                (None, Rest::Each(each)) => {
                    self.null(each, key, value, &name, false);
                    self.value(each, value, &name);
                }
                (None, Rest::Open) => {}
                (None, Rest::Closed) => self.unknown(shape, node, key, &name),
            }
        }
    }

    /// A null in a custom kind, where neither the type nor a default takes it.
    fn null(&mut self, id: ShapeId, key: Node<'_, '_>, value: Node<'_, '_>, name: &str, has_default: bool) {
        let judged = self.shapes.refuser == Refuser::Crd && !has_default;
        if judged && value.is_null() && !self.shapes.get(id).types.allows(Types::NULL) {
            let field = name.to_owned();
            self.add(key.span(), ViolationKind::NullValue { field });
        }
    }

    /// A field that this minor of Istio does not have yet.
    fn dated(&mut self, field: Field, key: Node<'_, '_>, name: &str, value: Node<'_, '_>) {
        if let Some(since) = field.since.filter(|since| *since > self.minor && !value.is_null()) {
            let name = name.to_owned();
            let is_word = false;
            self.add(key.span(), ViolationKind::TooNew { name, since, is_word });
        }
    }

    fn unknown(&mut self, shape: &Shape, mapping: Node<'_, '_>, key: Node<'_, '_>, name: &str) {
        if is_placeholder(name) {
            return;
        }
        let free = shape
            .fields
            .keys()
            .map(AsRef::as_ref)
            .filter(|field| mapping.get(field).is_none());
        let nearest = nearest(name, free).map(str::to_owned);
        let kind = ViolationKind::UnknownField {
            name: name.to_owned(),
            nearest,
            refuser: self.shapes.refuser,
        };
        self.add(key.span(), kind);
    }

    /// The first thing that is wrong with a single value.
    fn scalar(&mut self, shape: &Shape, node: Node<'t, 's>, field: &str) {
        let minor = self.minor;
        let first = shape
            .checks
            .iter()
            .find_map(|check| Some((check.test.scalar(node, minor)?, check.refuser)));
        if let Some((broken, refuser)) = first {
            self.broken(broken, refuser, node, field);
        }
    }

    /// The first thing that is wrong with a key.
    fn key(&mut self, id: ShapeId, key: Node<'t, 's>, field: &str) {
        let name = key.key();
        let minor = self.minor;
        let shape = self.shapes.get(id);
        let first = shape
            .checks
            .iter()
            .find_map(|check| Some((check.test.text(&name, minor)?, check.refuser)));
        if let Some((broken, refuser)) = first {
            self.broken(broken, refuser, key, field);
        }
    }

    fn broken(&mut self, broken: Broken<'_>, refuser: Refuser, node: Node<'t, 's>, field: &str) {
        let text = node.text().unwrap_or_default();
        if is_placeholder(text) {
            return;
        }
        let formless = matches!(broken, Broken::Form(..) | Broken::Pattern(..));
        if formless && is_marker(text) {
            return;
        }
        self.add(node.span(), ViolationKind::of_value(broken, refuser, text, field));
    }

    /// What is demanded of lists, mappings and whole values.
    fn check(&mut self, check: &Check, node: Node<'t, 's>, field: &str) {
        let refuser = check.refuser;
        match &check.test {
            Test::Count(sizes) => {
                if let Some(count) = sizes.broken_count(node) {
                    let kind = ViolationKind::WrongCount {
                        field: field.to_owned(),
                        count,
                        allowed: sizes.words(),
                        refuser,
                    };
                    self.add(node.span(), kind);
                }
            }
            Test::First(id) => {
                if let Some(first) = node.items().next() {
                    self.value(*id, first, field);
                }
            }
            Test::Keys(keys) => {
                for (key, _) in node.entries() {
                    self.key(*keys, key, field);
                }
            }
            Test::Required(name) => self.required(name, node, field, refuser),
            Test::AtMostOne(fields) => self.at_most_one(fields, node, refuser),
            Test::Alternatives(branches, quantity) => self.alternatives(branches, *quantity, node, field, refuser),
            Test::Distinct(keys) => self.distinct(keys, node, field, refuser),
            Test::Not(id) if self.fits(*id, node) => {
                let any = self.shapes.get(*id).checks.is_empty();
                let value = node.text().filter(|_| !any).unwrap_or_default();
                if !is_placeholder(value) {
                    let (field, value) = (field.to_owned(), value.to_owned());
                    self.add(node.span(), ViolationKind::Unsupported { field, value, refuser });
                }
            }
            Test::Also(id) => self.value(*id, node, field),
            Test::If(condition, then, otherwise) => {
                let branch = if self.fits(*condition, node) { then } else { otherwise };
                if let Some(branch) = branch {
                    self.value(*branch, node, field);
                }
            }
            _ => {}
        }
    }

    fn required(&mut self, name: &str, node: Node<'t, 's>, field: &str, refuser: Refuser) {
        if node.is_mapping() && node.get(name).is_none() {
            let (field, name) = (field.to_owned(), name.to_owned());
            self.add(node.span(), ViolationKind::Missing { field, name, refuser });
        }
    }

    fn at_most_one(&mut self, fields: &[Box<str>], node: Node<'t, 's>, refuser: Refuser) {
        let present = present(fields, node);
        if let [(other_span, other), rest @ ..] = present.as_slice() {
            for (span, field) in rest {
                let kind = ViolationKind::Conflict {
                    field: (*field).to_owned(),
                    other: (*other).to_owned(),
                    other_span: *other_span,
                    refuser,
                };
                self.add(*span, kind);
            }
        }
    }

    fn alternatives(
        &mut self,
        branches: &[Alternative],
        quantity: Quantity,
        node: Node<'t, 's>,
        field: &str,
        refuser: Refuser,
    ) {
        let fitting: Vec<_> = branches.iter().filter(|branch| self.fits(branch.shape, node)).collect();
        let wrong = fitting.is_empty() || quantity == Quantity::One && fitting.len() > 1;
        if wrong && !node.text().is_some_and(is_placeholder) {
            let shown = if fitting.is_empty() {
                branches.iter().collect()
            } else {
                fitting.clone()
            };
            let fields: Vec<_> = shown
                .iter()
                .map(|branch| &*branch.fields)
                .filter(|words| !words.is_empty())
                .collect();
            let kind = ViolationKind::Alternatives {
                field: field.to_owned(),
                alternatives: fields.join(", or "),
                none_fits: fitting.is_empty(),
                refuser,
            };
            self.add(node.span(), kind);
        }
    }

    fn distinct(&mut self, keys: &[KeyField], node: Node<'t, 's>, field: &str, refuser: Refuser) {
        for (span, first, value) in repeated(keys, node) {
            if !is_placeholder(&value) {
                let field = field.to_owned();
                let kind = ViolationKind::Repeated {
                    field,
                    value,
                    first,
                    refuser,
                };
                self.add(span, kind);
            }
        }
    }

    /// Whether a value has no fault by a shape.
    fn fits(&self, id: ShapeId, node: Node<'t, 's>) -> bool {
        let mut violations = Vec::new();
        Walker::new(self.shapes, self.minor, &mut violations).value(id, node, "");
        violations.is_empty()
    }
}

/// Whether a text is a name in capitals such as `BACKEND_HOST`, which a script replaces.
fn is_marker(text: &str) -> bool {
    let name = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or(text);
    let capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains('_') && name.bytes().all(capital)
}

/// The JSON type of a value; `None` for null, which the API server drops.
fn type_of(node: Node<'_, '_>) -> Option<(Types, Found)> {
    Some(match node.kind() {
        Kind::Mapping => (Types::OBJECT, Found::Mapping),
        Kind::Sequence => (Types::ARRAY, Found::List),
        Kind::Quoted | Kind::Block => (Types::STRING, Found::Text),
        Kind::Plain | Kind::Alias => match node.scalar()? {
            Scalar::Null => return None,
            Scalar::Bool(_) => (Types::BOOLEAN, Found::Boolean),
            Scalar::Int(_) => (Types::INTEGER, Found::Number),
            Scalar::Float(value) if value.fract() == 0.0 => (Types::INTEGER, Found::Number),
            Scalar::Float(_) => (Types::NUMBER_ONLY, Found::Number),
            Scalar::Text(_) => (Types::STRING, Found::Text),
        },
    })
}
