//! The text of an expression to its tree.

use super::lex::{Token, tokens};

/// A tree deeper than this is not evaluated: the stack is bounded.
const DEEPEST: u32 = 100;

/// An expression.
#[derive(Debug)]
pub enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Name(String),
    /// `of.field`, `of.?field`.
    Select(Box<Expr>, Field, bool),
    /// `has(of.field)`.
    Has(Box<Expr>, Field),
    /// `of[at]`, `of[?at]`.
    Index(Box<[Expr; 2]>, bool),
    /// A function; the target of a method is its first argument.
    Call(String, Vec<Expr>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    If(Box<[Expr; 3]>),
    Binary(&'static str, Box<[Expr; 2]>),
    Fold(Box<Fold>),
    /// `cel.bind(name, value, body)`.
    Bind(String, Box<[Expr; 2]>),
    /// `value.optMap(name, body)`; whether the body is an optional itself.
    OptMap(String, Box<[Expr; 2]>, bool),
}

/// The name of a field as it stands there, and the property that it means.
#[derive(Debug)]
pub struct Field {
    pub written: String,
    pub property: String,
}

/// A comprehension.
#[derive(Debug)]
pub struct Fold {
    pub kind: FoldKind,
    pub over: Expr,
    pub name: String,
    /// The second name: `name` then is the index or the key.
    pub second: Option<String>,
    pub filter: Option<Expr>,
    pub body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
    TransformMap,
}

impl Expr {
    /// Calls `visit` with this expression and all inside it.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Select(of, ..) | Expr::Has(of, _) | Expr::Not(of) | Expr::Negate(of) => of.visit(visit),
            Expr::Index(two, _) | Expr::Binary(_, two) | Expr::Bind(_, two) | Expr::OptMap(_, two, _) => {
                two.iter().for_each(|part| part.visit(visit));
            }
            Expr::If(three) => three.iter().for_each(|part| part.visit(visit)),
            Expr::Call(_, parts) | Expr::List(parts) | Expr::And(parts) | Expr::Or(parts) => {
                parts.iter().for_each(|part| part.visit(visit));
            }
            Expr::Map(entries) => entries.iter().for_each(|(key, value)| {
                key.visit(visit);
                value.visit(visit);
            }),
            Expr::Fold(fold) => {
                fold.over.visit(visit);
                fold.filter.iter().for_each(|filter| filter.visit(visit));
                fold.body.visit(visit);
            }
            _ => {}
        }
    }
}

/// The fault of an expression that may be right, but is not read.
pub const TOO_DEEP: &str = "the expression is nested too deeply";

/// Reads an expression.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Expr, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let (expr, _) = parser.expression()?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(format!("`{token}` stands where the expression should end")),
    }
}

/// An expression and its height.
type Tall = (Expr, u32);

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

/// A node above others of this height.
fn above(expr: Expr, height: u32) -> Result<Tall, String> {
    if height >= DEEPEST {
        return Err(TOO_DEEP.to_owned());
    }
    Ok((expr, height + 1))
}

const LEVELS: [&[&str]; 3] = [&["<", "<=", ">", ">=", "==", "!=", "in"], &["+", "-"], &["*", "/", "%"]];

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get_mut(self.at)?;
        self.at += 1;
        Some(std::mem::replace(token, Token::Symbol("")))
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(symbol));
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(format!("a `{symbol}` is missing"))
        }
    }

    fn expression(&mut self) -> Result<Tall, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TOO_DEEP.to_owned());
        }
        let (condition, height) = self.logic("||")?;
        let result = if self.take("?") {
            let (yes, left) = self.logic("||")?;
            self.need(":")?;
            let (no, right) = self.expression()?;
            above(Expr::If(Box::new([condition, yes, no])), height.max(left).max(right))
        } else {
            Ok((condition, height))
        };
        self.depth -= 1;
        result
    }

    fn logic(&mut self, symbol: &str) -> Result<Tall, String> {
        let operand = |parser: &mut Self| {
            if symbol == "||" {
                parser.logic("&&")
            } else {
                parser.binary(0)
            }
        };
        let (first, mut height) = operand(self)?;
        if !self.peek().is_some_and(|token| token.is(symbol)) {
            return Ok((first, height));
        }
        let mut parts = vec![first];
        while self.take(symbol) {
            let (part, other) = operand(self)?;
            height = height.max(other);
            parts.push(part);
        }
        above(
            if symbol == "||" {
                Expr::Or(parts)
            } else {
                Expr::And(parts)
            },
            height,
        )
    }

    fn binary(&mut self, level: usize) -> Result<Tall, String> {
        let Some(symbols) = LEVELS.get(level) else {
            return self.unary();
        };
        let (mut left, mut height) = self.binary(level + 1)?;
        while let Some(symbol) = symbols
            .iter()
            .find(|symbol| self.peek().is_some_and(|token| token.is(symbol)))
        {
            self.at += 1;
            let (right, other) = self.binary(level + 1)?;
            (left, height) = above(Expr::Binary(symbol, Box::new([left, right])), height.max(other))?;
        }
        Ok((left, height))
    }

    fn unary(&mut self) -> Result<Tall, String> {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "-"].into_iter().find(|sign| self.take(sign)) {
            signs.push(sign);
        }
        if signs.last() == Some(&"-") {
            match self.peek() {
                Some(Token::Int(value)) if *value <= 1 << 63 => {
                    let negative = 0_i64.wrapping_sub_unsigned(*value);
                    signs.pop();
                    self.tokens[self.at] = Token::Negative(negative);
                }
                Some(Token::Double(value)) => {
                    let negative = -value;
                    signs.pop();
                    self.tokens[self.at] = Token::Double(negative);
                }
                _ => {}
            }
        }
        let (mut expr, mut height) = self.member()?;
        for sign in signs.into_iter().rev() {
            let inner = Box::new(expr);
            let signed = if sign == "!" {
                Expr::Not(inner)
            } else {
                Expr::Negate(inner)
            };
            (expr, height) = above(signed, height)?;
        }
        Ok((expr, height))
    }

    fn member(&mut self) -> Result<Tall, String> {
        let (mut expr, mut height) = self.primary()?;
        loop {
            (expr, height) = if self.take(".") {
                let optional = self.take("?");
                let name = self.name()?;
                if !optional && self.take("(") {
                    let (arguments, inner) = self.list(")")?;
                    above(method(expr, name, arguments)?, height.max(inner))?
                } else {
                    above(Expr::Select(Box::new(expr), field(name), optional), height)?
                }
            } else if self.take("[") {
                let optional = self.take("?");
                let (index, inner) = self.expression()?;
                self.need("]")?;
                above(Expr::Index(Box::new([expr, index]), optional), height.max(inner))?
            } else {
                return Ok((expr, height));
            };
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Token::Name(name)) => Ok(name),
            _ => Err("a name is missing".to_owned()),
        }
    }

    /// Expressions up to a bracket, which is read too.
    fn list(&mut self, end: &str) -> Result<(Vec<Expr>, u32), String> {
        let (mut all, mut height) = (Vec::new(), 0);
        while !self.take(end) {
            let (expr, inner) = self.expression()?;
            height = height.max(inner);
            all.push(expr);
            if !self.take(",") {
                self.need(end)?;
                break;
            }
        }
        Ok((all, height))
    }

    fn primary(&mut self) -> Result<Tall, String> {
        let leaf = match self.next().ok_or("the expression ends too early")? {
            Token::Int(value) => Expr::Int(i64::try_from(value).map_err(|_| format!("{value} is too large"))?),
            Token::Negative(value) => Expr::Int(value),
            Token::Uint(value) => Expr::Uint(value),
            Token::Double(value) => Expr::Double(value),
            Token::Text(text) => Expr::Text(text),
            Token::Bytes(bytes) => Expr::Bytes(bytes),
            Token::Symbol("(") => {
                let inner = self.expression()?;
                self.need(")")?;
                return Ok(inner);
            }
            Token::Symbol("[") => {
                let (items, height) = self.list("]")?;
                return above(Expr::List(items), height);
            }
            Token::Symbol("{") => return self.map(),
            Token::Symbol(".") => Expr::Name(self.name()?),
            Token::Name(name) if name == "null" => Expr::Null,
            Token::Name(name) if name == "true" || name == "false" => Expr::Bool(name == "true"),
            Token::Name(name) if self.take("(") => {
                let (arguments, height) = self.list(")")?;
                return above(function(name, arguments)?, height);
            }
            Token::Name(name) => Expr::Name(name),
            token @ Token::Symbol(_) => return Err(format!("`{token}` is no value")),
        };
        above(leaf, 0)
    }

    fn map(&mut self) -> Result<Tall, String> {
        let (mut entries, mut height) = (Vec::new(), 0);
        while !self.take("}") {
            let (key, left) = self.expression()?;
            self.need(":")?;
            let (value, right) = self.expression()?;
            height = height.max(left).max(right);
            entries.push((key, value));
            if !self.take(",") {
                self.need("}")?;
                break;
            }
        }
        above(Expr::Map(entries), height)
    }
}

/// The name of a property as it is: what CEL could not write is escaped.
fn field(written: String) -> Field {
    const WORDS: [&str; 21] = [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ];
    let inner = written.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    let property = match inner.filter(|name| WORDS.contains(name)) {
        Some(word) => word.to_owned(),
        None if written.contains("__") => written
            .replace("__dot__", ".")
            .replace("__dash__", "-")
            .replace("__slash__", "/")
            .replace("__underscores__", "__"),
        None => written.clone(),
    };
    Field { written, property }
}

fn function(name: String, arguments: Vec<Expr>) -> Result<Expr, String> {
    if name != "has" {
        return Ok(Expr::Call(name, arguments));
    }
    match <[Expr; 1]>::try_from(arguments) {
        Ok([Expr::Select(of, field, false)]) => Ok(Expr::Has(of, field)),
        _ => Err("`has` takes a field".to_owned()),
    }
}

/// Words before a dot that are no values but belong to the function's name.
const SPACES: [&str; 6] = ["cel", "format", "ip", "math", "optional", "sets"];

fn method(target: Expr, name: String, mut arguments: Vec<Expr>) -> Result<Expr, String> {
    if let Expr::Name(space) = &target
        && SPACES.contains(&space.as_str())
    {
        let full = format!("{space}.{name}");
        if full != "cel.bind" {
            return Ok(Expr::Call(full, arguments));
        }
        return match <[Expr; 3]>::try_from(arguments) {
            Ok([Expr::Name(name), value, body]) => Ok(Expr::Bind(name, Box::new([value, body]))),
            _ => Err("`cel.bind` takes a name, a value and an expression".to_owned()),
        };
    }
    let kind = match name.as_str() {
        "all" => FoldKind::All,
        "exists" => FoldKind::Exists,
        "exists_one" | "existsOne" => FoldKind::ExistsOne,
        "map" | "transformList" => FoldKind::Map,
        "filter" => FoldKind::Filter,
        "transformMap" => FoldKind::TransformMap,
        "optMap" | "optFlatMap" => {
            return match <[Expr; 2]>::try_from(arguments) {
                Ok([Expr::Name(variable), body]) => {
                    Ok(Expr::OptMap(variable, Box::new([target, body]), name == "optFlatMap"))
                }
                _ => Err(format!("`{name}` takes a name and an expression")),
            };
        }
        _ => {
            arguments.insert(0, target);
            return Ok(Expr::Call(name, arguments));
        }
    };
    fold(kind, target, &name, arguments).ok_or_else(|| format!("`{name}` takes names and expressions"))
}

fn fold(kind: FoldKind, over: Expr, called: &str, arguments: Vec<Expr>) -> Option<Expr> {
    let two = called.starts_with("transform")
        || (arguments.len() == 3 && matches!(kind, FoldKind::All | FoldKind::Exists | FoldKind::ExistsOne));
    let mut rest = arguments.into_iter();
    let mut name = || match rest.next() {
        Some(Expr::Name(name)) => Some(name),
        _ => None,
    };
    let first = name()?;
    let second = if two { Some(name()?) } else { None };
    let mut expressions: Vec<Expr> = rest.collect();
    let body = expressions.pop()?;
    let filter = expressions.pop();
    let filters = matches!(kind, FoldKind::Map | FoldKind::TransformMap);
    let fits = expressions.is_empty() && (filter.is_none() || filters);
    let fold = Fold {
        kind,
        over,
        name: first,
        second,
        filter,
        body,
    };
    fits.then(|| Expr::Fold(Box::new(fold)))
}
