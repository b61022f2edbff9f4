//! A tree against a schema.

use super::cel;
use super::nearest::nearest;
use super::shape::{Rest, Shape, ShapeId, Shapes, Types};
use crate::source::Span;
use crate::yaml::{Kind, Node, Scalar};

/// One structural fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The key of an unknown field, the value of a mistyped one.
    pub span: Span,
    /// What.
    pub kind: ViolationKind,
}

/// The structural faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The mapping has no field of this name.
    UnknownField {
        /// The name that stands there.
        name: String,
        /// The field that was probably meant, where it is not set beside.
        nearest: Option<String>,
    },
    /// The value has a type that the field does not take.
    Mistyped {
        /// The field, or the key of the map.
        field: String,
        /// What it takes, in words.
        expected: String,
        /// What stands there.
        found: Found,
        /// Whether a text would have to have a form: not every value in quotes does.
        formatted: bool,
    },
    /// A condition of the schema does not hold.
    BrokenCondition {
        /// What the schema demands, in its own words.
        message: String,
        /// What kept it from being evaluated.
        why: Option<String>,
    },
    /// meshlint cannot evaluate a condition of the schema.
    UnevaluatedCondition {
        /// The condition's message, or the condition.
        condition: String,
        /// What keeps it.
        why: String,
    },
}

impl ViolationKind {
    /// Whether a patch that adds something may mend it.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            ViolationKind::BrokenCondition { .. } | ViolationKind::UnevaluatedCondition { .. }
        )
    }
}

/// What a mistyped value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A mapping.
    Mapping,
    /// A list.
    List,
    /// A text.
    Text,
    /// A number; without quotes.
    Number,
    /// A boolean; without quotes, so `yes` and `on` are ones.
    Boolean,
}

pub fn walk(shapes: &Shapes, root: Node<'_, '_>, violations: &mut Vec<Violation>) {
    let before = violations.len();
    let mut walker = Walker {
        shapes,
        violations,
        conditional: Vec::new(),
    };
    walker.value(Shapes::ROOT, root, "");
    let conditional = walker.conditional;
    if violations.len() == before {
        cel::check(shapes, &conditional, violations);
    }
}

struct Walker<'w, 't, 's> {
    shapes: &'w Shapes,
    violations: &'w mut Vec<Violation>,
    /// Where the schema has conditions.
    conditional: Vec<(ShapeId, Node<'t, 's>)>,
}

impl<'w, 't, 's> Walker<'w, 't, 's> {
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
            Found::List => {
                for item in shape
                    .items
                    .into_iter()
                    .flat_map(|items| node.items().map(move |item| (items, item)))
                {
                    self.value(item.0, item.1, field);
                }
            }
            _ => {}
        }
    }

    fn mistyped(&mut self, shape: &Shape, node: Node<'_, '_>, field: &str, found: Found) {
        if found == Found::Text && node.text().is_some_and(crate::yaml::is_placeholder) {
            return;
        }
        let kind = ViolationKind::Mistyped {
            field: field.to_owned(),
            expected: shape.types.words(),
            found,
            formatted: shape.formatted,
        };
        self.violations.push(Violation {
            span: node.span(),
            kind,
        });
    }

    fn mapping(&mut self, shape: &'w Shape, node: Node<'t, 's>) {
        if shape.fields.is_empty() && shape.rest == Rest::Open {
            return;
        }
        for (key, value) in node.entries() {
            let name = key.key();
            match (shape.fields.get(&*name), shape.rest) {
                (Some(field), _) => self.value(*field, value, &name),
                (None, Rest::Each(each)) => self.value(each, value, &name),
                (None, Rest::Open) => {}
                (None, Rest::Closed) => self.unknown(shape, node, key, &name),
            }
        }
    }

    fn unknown(&mut self, shape: &Shape, mapping: Node<'_, '_>, key: Node<'_, '_>, name: &str) {
        if crate::yaml::is_placeholder(name) {
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
        };
        self.violations.push(Violation { span: key.span(), kind });
    }
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
