//! Conditions on columns, as they are asked of any database.

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    Text(String),
    Integer(i64),
    Real(f64),
}

/// How the database compares columns of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// With null only.
    Null,
    /// As text: the cast of the column, and that of the value.
    Text(&'static str, &'static str),
    /// By value, and the column holds integers only: the cast of the value.
    Integer(&'static str),
    /// By value: the cast of the value.
    Decimal(&'static str),
    /// By type and value, as the column holds values of every type.
    Any,
}

/// How conditions are written for a database.
pub(crate) struct Dialect {
    /// True if the database has no truth values, so that 0 and 1 represent them.
    pub(crate) zero_one: bool,
    /// The character around identifiers.
    pub(crate) quote: char,
    /// How columns of a type are compared; `None` if a value that is not null may be taken for null, or the other way.
    pub(crate) compared: fn(&str) -> Option<Compared>,
}

/// A condition on one column: it equals one of the values, or `left` says all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clause {
    pub(super) left: String,
    pub(super) values: Vec<Bound>,
    pub(super) cast: &'static str,
}
