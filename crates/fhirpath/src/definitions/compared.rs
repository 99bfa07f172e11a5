//! Comparisons that can never hold, because of the types of both sides.

use std::fmt;

use super::position::Position;
use super::table::Type;
use crate::ast::{Expr, Operation, Operator};
use crate::item::{Item, System};
use crate::temporal::TemporalKind;

/// A comparison of elements with literals to which none of them is ever equal.
///
/// ```
/// use candor_fhirpath::Expression;
/// let of = |text: &str| Expression::parse(text).unwrap().reach("Encounter").never_equal;
/// let (_, one) = of("class = 'IMP'").remove(0);
/// assert_eq!(one.to_string(), "a Coding never equals a text; did you mean its `code`?");
/// assert!(of("class.code = 'IMP'").is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverEqual {
    of: Type,
    literal: Kind,
}

/// Types by kind: values of two kinds are never equal. Source: FHIRPath 2.0, 6.1 Equality, and its implicit conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    Text,
    Date,
    Time,
    /// No literal is one.
    Complex,
}

/// The primitive types by kind. Every other type except a quantity is complex.
const PRIMITIVE: &[(Kind, &[&str])] = &[
    (Kind::Boolean, &["boolean"]),
    (Kind::Number, &["integer", "integer64", "decimal", "positiveInt", "unsignedInt"]),
    (
        Kind::Text,
        &["string", "code", "id", "markdown", "uri", "url", "canonical", "oid", "uuid", "base64Binary", "xhtml"],
    ),
    (Kind::Date, &["date", "dateTime", "instant"]),
    (Kind::Time, &["time"]),
];

/// The member of a complex type that its author most likely meant.
const MEANT: &[(&str, Kind, &str)] = &[
    ("Coding", Kind::Text, "code"),
    ("CodeableConcept", Kind::Text, "coding.code"),
    ("CodeableReference", Kind::Text, "concept.coding.code"),
    ("Identifier", Kind::Text, "value"),
    ("ContactPoint", Kind::Text, "value"),
    ("HumanName", Kind::Text, "family"),
    ("Reference", Kind::Text, "reference"),
    ("Annotation", Kind::Text, "text"),
    ("Quantity", Kind::Text, "unit"),
    ("Period", Kind::Date, "start"),
    ("Money", Kind::Number, "value"),
];

impl Kind {
    /// The kind of a type; nothing where that is open.
    fn of(of: Type) -> Option<Self> {
        if of.is_open() {
            return None;
        }
        let primitive = PRIMITIVE.iter().find(|(_, names)| names.contains(&of.name())).map(|(kind, _)| *kind);
        let is_quantity = || Type::named("Quantity").is_some_and(|quantity| of.is_a(quantity));
        Some(primitive.unwrap_or_else(|| if is_quantity() { Self::Number } else { Self::Complex }))
    }

    fn literal(expression: &Expr) -> Option<Self> {
        match expression {
            Expr::Literal(Item::System(system)) => Some(match system {
                System::Boolean(_) => Self::Boolean,
                System::Integer(_) | System::Long(_) | System::Decimal(_) | System::Quantity(_) => Self::Number,
                System::String(_) => Self::Text,
                System::Temporal(temporal) if temporal.kind() == TemporalKind::Time => Self::Time,
                System::Temporal(_) => Self::Date,
            }),
            Expr::Chain { first, rest } => {
                let kind = Self::literal(first)?;
                let is_same = |operation: &Operation| match operation {
                    Operation::Binary(Operator::Union, right) => Self::literal(right) == Some(kind),
                    _ => false,
                };
                rest.iter().all(|link| is_same(&link.operation)).then_some(kind)
            }
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Date => "a date",
            Self::Time => "a time",
            Self::Complex => "an element",
        }
    }
}

impl NeverEqual {
    /// Compares the elements of a position with the literal on the other side of an operator.
    pub(super) fn of(operator: Operator, at: &Position, other: &Expr) -> Option<Self> {
        let compares = matches!(
            operator,
            Operator::Equal
                | Operator::NotEqual
                | Operator::Equivalent
                | Operator::NotEquivalent
                | Operator::In
                | Operator::Contains
        );
        let literal = Kind::literal(other).filter(|_| compares)?;
        let types = at.types()?;
        let kinds: Option<Vec<Kind>> = types.iter().map(|of| Kind::of(*of)).collect();
        let of = types.first().filter(|_| kinds.is_some_and(|kinds| !kinds.contains(&literal)))?;
        Some(Self { of: *of, literal })
    }
}

impl fmt::Display for NeverEqual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, literal) = (self.of.name(), self.literal.name());
        let article = if name.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
        write!(f, "{article} {name} never equals {literal}")?;
        let meant = MEANT.iter().find(|(of, kind, _)| *of == name && *kind == self.literal);
        match (meant, Kind::of(self.of), self.literal) {
            (Some((_, _, member)), ..) => write!(f, "; did you mean its `{member}`?"),
            (None, Some(Kind::Date), Kind::Text) => write!(f, "; a date is written `@2026-11-20`"),
            (None, Some(Kind::Boolean | Kind::Number), Kind::Text) => {
                write!(f, "; it is written without quotation marks")
            }
            (None, Some(Kind::Text), _) => write!(f, "; a text is written in quotation marks"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for NeverEqual {}
