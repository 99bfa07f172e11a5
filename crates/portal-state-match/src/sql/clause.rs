//! Equality on columns of text and numbers, as a database checks it; for all else every row is read. A clause may select
//! more rows than the assertion does, never fewer. A collation makes more texts equal than are (case, accents, spaces at
//! the end), and equal bytes are equal in every collation. A value is always bound; a clause holds quoted identifiers and
//! nothing else of the assertion.
//!
//! Sources: PostgreSQL's documentation, chapter 8 and section 24.2; MySQL's reference manual, sections 10.8 (collations)
//! and 12.3 (type conversion in expression evaluation); <https://sqlite.org/datatype3.html>, sections 3 and 4.

use candor_json::Value;

use crate::selection::{Condition, Wanted};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    Text(String),
    Integer(i64),
    Real(f64),
}

/// How the database compares columns of a type, with the cast of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Text(&'static str),
    Number(&'static str),
    /// By type and value, as the column holds values of every type.
    Any,
}

/// How conditions are written for a database.
pub(crate) struct Dialect {
    /// True if the database has no truth values, so that 0 and 1 represent them.
    pub(crate) zero_one: bool,
    /// The character around identifiers.
    pub(crate) quote: char,
    /// How columns of a type are compared; `None` if the database is not asked.
    pub(crate) compared: fn(&str) -> Option<Compared>,
}

/// A column by its name, and the name of its type.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// A condition on one column: it equals one of the values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    pub(super) column: String,
    pub(super) values: Vec<Bound>,
    pub(super) cast: &'static str,
}

/// 2^53: below it every integer is a REAL of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The conditions that narrow the rows down: none for rules and synonyms, which a database does not know.
pub(super) fn filter(dialect: &Dialect, columns: &[Column], conditions: &[Condition]) -> Vec<Clause> {
    let clause = |condition: &Condition| {
        let column = columns.iter().find(|column| column.name == condition.path.as_str())?;
        clause(dialect, column, condition.plain()?)
    };
    conditions.iter().filter_map(clause).collect()
}

/// A clause that holds for every row whose column has the value that is wanted; `None` if no clause is sure to.
pub(super) fn clause(dialect: &Dialect, column: &Column, wanted: &Wanted) -> Option<Clause> {
    let Wanted::Value(wanted) = wanted else { return None };
    let text = match wanted {
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
        Value::String(text) => text.clone(),
        wanted => wanted.to_string(),
    };
    // PostgreSQL refuses this character in a text.
    if text.contains('\0') {
        return None;
    }
    let integer = match wanted {
        Value::Bool(truth) if dialect.zero_one => Some(i64::from(*truth)),
        _ => text.parse::<i64>().ok(),
    };
    let (values, cast) = match (dialect.compared)(&column.kind)? {
        Compared::Text(cast) => (vec![Bound::Text(text)], cast),
        Compared::Number(cast) => (vec![Bound::Integer(integer?)], cast),
        Compared::Any => {
            let real = text.parse::<f64>().ok();
            if wanted.is_number() && integer.is_none() && real.is_none_or(|real| real.abs() >= EXACT) {
                return None;
            }
            let numbers = integer.map(Bound::Integer).into_iter().chain(real.map(Bound::Real));
            (numbers.chain([Bound::Text(text)]).collect(), "")
        }
    };
    Some(Clause { column: quoted(&column.name, dialect.quote), values, cast })
}

/// A statement with `WHERE …` and its last `part`, each value written by `mark` with its number from 1 on.
pub(super) fn narrowed(select: &str, filter: &[Clause], part: &str, mark: impl Fn(usize) -> String) -> String {
    let mut number = 0;
    let mut sql = select.to_owned();
    for clause in filter {
        sql.push_str(if number == 0 { " WHERE " } else { " AND " });
        let marks: Vec<String> = (number + 1..).take(clause.values.len()).map(|n| mark(n) + clause.cast).collect();
        number += marks.len();
        sql.push_str(&format!("{} IN ({})", clause.column, marks.join(", ")));
    }
    sql + part
}

pub(crate) fn quoted(name: &str, quote: char) -> String {
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}
