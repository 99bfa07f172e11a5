//! The operators of a field assertion.

/// An operator, named as FHIR TestScript names it, plus the ones TestScript lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The value is the expected one.
    Equals,
    /// The value is not the expected one.
    NotEquals,
    /// The value is one of the expected ones.
    In,
    /// The value differs from each of the expected ones.
    NotIn,
    /// The value is greater.
    GreaterThan,
    /// The value is greater or equal.
    GreaterOrEqual,
    /// The value is less.
    LessThan,
    /// The value is less or equal.
    LessOrEqual,
    /// The value is between the two expected ones, both included.
    Between,
    /// The text holds the expected text.
    Contains,
    /// The text does not hold the expected text.
    NotContains,
    /// The whole text matches the regular expression.
    Matches,
    /// Nothing, null, `""`, `[]` or `{}`.
    Empty,
    /// Something.
    NotEmpty,
    /// The number of values the path selects.
    Count,
}

/// Every operator with its name in `op`.
pub const OPERATORS: &[(&str, Operator)] = &[
    ("equals", Operator::Equals),
    ("notEquals", Operator::NotEquals),
    ("in", Operator::In),
    ("notIn", Operator::NotIn),
    ("greaterThan", Operator::GreaterThan),
    ("greaterOrEqual", Operator::GreaterOrEqual),
    ("lessThan", Operator::LessThan),
    ("lessOrEqual", Operator::LessOrEqual),
    ("between", Operator::Between),
    ("contains", Operator::Contains),
    ("notContains", Operator::NotContains),
    ("matches", Operator::Matches),
    ("empty", Operator::Empty),
    ("notEmpty", Operator::NotEmpty),
    ("count", Operator::Count),
];

/// Names that other tools have for operators.
const USUAL: &[(&[&str], &str)] = &[
    (&["=", "==", "===", "eq", "is", "equal"], "equals"),
    (&["!=", "<>", "ne", "neq", "not"], "notEquals"),
    (&[">", "gt"], "greaterThan"),
    (&[">=", "gte", "ge"], "greaterOrEqual"),
    (&["<", "lt"], "lessThan"),
    (&["<=", "lte", "le"], "lessOrEqual"),
    (&["regex", "regexp", "pattern"], "matches"),
    (&["includes", "like", "substring"], "contains"),
    (&["exists", "present", "required"], "notEmpty"),
    (&["missing", "absent", "null"], "empty"),
    (&["length", "size"], "count"),
];

impl Operator {
    /// The name here of an operator that other tools call so: `equals` for `==`.
    #[must_use]
    pub fn usually_named(name: &str) -> Option<&'static str> {
        let name = name.to_ascii_lowercase();
        USUAL.iter().find(|(theirs, _)| theirs.contains(&name.as_str())).map(|&(_, ours)| ours)
    }

    /// The operator of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        OPERATORS.iter().find(|(n, _)| *n == name).map(|&(_, op)| op)
    }

    /// The operator's name in `op`.
    #[must_use]
    pub fn name(self) -> &'static str {
        OPERATORS.iter().find(|(_, op)| *op == self).map_or("", |&(name, _)| name)
    }
}
