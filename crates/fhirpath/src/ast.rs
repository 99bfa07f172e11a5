//! Expressions, parsed: what is left-associative or a chain of steps is a list, so that depth is nesting and nothing else.

use regex::Regex;

use crate::functions::Function;
use crate::item::Item;
use crate::model::{NameId, TypeId, model};
use crate::types::TypeSpecifier;

#[derive(Debug)]
pub(crate) enum Expr {
    /// `{}`
    Empty,
    Literal(Item<'static>),
    /// `$this`
    This,
    /// `$index`
    Index,
    /// `$total`
    Total,
    /// `%name`
    Variable {
        name: String,
        at: usize,
    },
    /// A name at the beginning of a path: an element of `$this`, or its type.
    Member(Member),
    /// A function on `$this`.
    Call(Box<Call>),
    Path {
        head: Box<Expr>,
        steps: Vec<Step>,
    },
    /// `-` or `+` before a term.
    Sign {
        negative: bool,
        at: usize,
        operand: Box<Expr>,
    },
    Chain {
        first: Box<Expr>,
        rest: Vec<Link>,
    },
}

#[derive(Debug)]
pub(crate) struct Member {
    pub name: String,
    /// Its name in the model, and the type of that name.
    pub id: Option<NameId>,
    pub named: Option<TypeId>,
    pub at: usize,
}

impl Member {
    pub(crate) fn new(name: String, at: usize) -> Self {
        let is_type = name.starts_with(|c: char| c.is_ascii_uppercase());
        let named = if is_type { model().named(&name) } else { None };
        Self { id: model().name_id(&name), named, name, at }
    }
}

/// `.name`, `.function()` or `[index]`.
#[derive(Debug)]
pub(crate) enum Step {
    Member(Member),
    Call(Box<Call>),
    Index { index: Expr, at: usize },
}

#[derive(Debug)]
pub(crate) struct Call {
    pub function: Function,
    pub at: usize,
    pub arguments: Vec<Expr>,
    /// The argument of `is`, `as` and `ofType`.
    pub of: Option<TypeSpecifier>,
    /// The regular expression, where it is written out in the expression.
    pub pattern: Option<Regex>,
    /// For each argument of `sort`, whether it goes down.
    pub descending: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub at: usize,
    pub operation: Operation,
}

#[derive(Debug)]
pub(crate) enum Operation {
    Binary(Operator, Expr),
    Is(TypeSpecifier),
    As(TypeSpecifier),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Multiply,
    Divide,
    Div,
    Mod,
    Add,
    Subtract,
    Concatenate,
    Union,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Equivalent,
    NotEquivalent,
    In,
    Contains,
    And,
    Or,
    Xor,
    Implies,
}

impl Operator {
    /// True if it compares two collections, and gives a boolean or nothing.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Equivalent
                | Self::NotEquivalent
                | Self::Less
                | Self::LessOrEqual
                | Self::Greater
                | Self::GreaterOrEqual
                | Self::In
                | Self::Contains
        )
    }

    /// The operator of that text, and how tightly it binds.
    pub(crate) fn of(text: &str) -> Option<(Self, u8)> {
        Some(match text {
            "*" => (Self::Multiply, 10),
            "/" => (Self::Divide, 10),
            "div" => (Self::Div, 10),
            "mod" => (Self::Mod, 10),
            "+" => (Self::Add, 9),
            "-" => (Self::Subtract, 9),
            "&" => (Self::Concatenate, 9),
            "|" => (Self::Union, 7),
            "<" => (Self::Less, 6),
            "<=" => (Self::LessOrEqual, 6),
            ">" => (Self::Greater, 6),
            ">=" => (Self::GreaterOrEqual, 6),
            "=" => (Self::Equal, 5),
            "!=" => (Self::NotEqual, 5),
            "~" => (Self::Equivalent, 5),
            "!~" => (Self::NotEquivalent, 5),
            "in" => (Self::In, 4),
            "contains" => (Self::Contains, 4),
            "and" => (Self::And, 3),
            "or" => (Self::Or, 2),
            "xor" => (Self::Xor, 2),
            "implies" => (Self::Implies, 1),
            _ => return None,
        })
    }
}

/// How tightly `is` and `as` bind.
pub(crate) const TYPE_LEVEL: u8 = 8;
