//! Conditions that a database checks. They may select more rows than the assertion does, never fewer: a collation makes
//! more texts equal than are (case, accents, spaces at the end), and equal bytes are equal in every collation. A value is
//! always bound; a clause holds quoted identifiers and nothing else of the assertion.
//!
//! Sources: PostgreSQL's documentation, chapter 8 and section 24.2; MySQL's reference manual, sections 10.8 (collations)
//! and 12.3 (type conversion in expression evaluation); <https://sqlite.org/datatype3.html>, sections 3 and 4.

use std::str::FromStr;

use candor_json::Value;

use super::clause::{Bound, Clause, Compared, Dialect};
use super::engine::Column;
use super::numbers::real;
use crate::selection::{Condition, Wanted};

/// 2^53: below it every integer is a REAL of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The conditions that narrow the rows down: none unless every condition is on a column, as a path into one may select any
/// row, and none for rules and synonyms, which a database does not know.
pub(super) fn filter(dialect: &Dialect, columns: &[Column], conditions: &[Condition]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for condition in conditions {
        let Some(column) = columns.iter().find(|column| column.name == condition.path.as_str()) else {
            return Vec::new();
        };
        clauses.extend(condition.plain().and_then(|wanted| clause(dialect, column, wanted)));
    }
    clauses
}

/// A clause that holds for every row whose column meets what is wanted; `None` if no clause is sure to.
pub(super) fn clause(dialect: &Dialect, column: &Column, wanted: &Wanted) -> Option<Clause> {
    let name = quoted(&column.name, dialect.quote);
    let compared = (dialect.compared)(&column.kind)?;
    let alone = |left: String| Some(Clause { left, ..Clause::default() });
    let wanted = match wanted {
        Wanted::NotNull => return alone(format!("{name} IS NOT NULL")),
        Wanted::Value(Value::Null) => return alone(format!("{name} IS NULL")),
        Wanted::Value(wanted) => wanted,
    };
    let text = match wanted {
        Value::Array(_) | Value::Object(_) => return None,
        Value::String(text) => text.clone(),
        wanted => wanted.to_string(),
    };
    let integer = match wanted {
        Value::Bool(truth) => dialect.zero_one.then_some(i64::from(*truth)),
        Value::Number(number) => number.as_i64(),
        _ => exact(&text),
    };
    match (compared, integer) {
        // PostgreSQL refuses this character in a text.
        _ if text.contains('\0') => None,
        (Compared::Text(_, "::uuid"), _) if !is_uuid(&text) => alone("1 = 0".to_owned()),
        (Compared::Text(of, cast), _) => Some(Clause { left: name + of, values: vec![Bound::Text(text)], cast }),
        (Compared::Integer(cast) | Compared::Decimal(cast), Some(number)) => {
            Some(Clause { left: name, values: vec![Bound::Integer(number)], cast })
        }
        // An unsigned integer may be larger than those that are bound.
        (Compared::Integer(_), None) if !wanted.is_number() && exact::<u64>(&text).is_none() => {
            alone("1 = 0".to_owned())
        }
        (Compared::Null | Compared::Integer(_) | Compared::Decimal(_), _) => None,
        (Compared::Any, _) => {
            let number = match wanted {
                Value::Number(number) => number.as_f64(),
                _ => text.parse().ok().filter(|number| is_shown(&real(*number), &text)),
            };
            if wanted.is_number() && integer.is_none() && number.is_none_or(|number| number.abs() >= EXACT) {
                return None;
            }
            let numbers = integer.map(Bound::Integer).into_iter().chain(number.map(Bound::Real));
            Some(Clause { left: name, values: numbers.chain([Bound::Text(text)]).collect(), cast: "" })
        }
    }
}

/// The number that is written so.
fn exact<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number: &T| number.to_string() == text)
}

fn is_shown(value: &Value, text: &str) -> bool {
    let written = value.to_string();
    value.as_str() == Some(text) || written == text
}

/// If the server may write a UUID so.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

/// `WHERE … LIMIT …`, each value written by `mark` with its number from 1 on.
pub(super) fn narrowed(filter: &[Clause], most: Option<u64>, mark: impl Fn(usize) -> String) -> String {
    let mut sql = String::new();
    let mut number = 0;
    for clause in filter {
        let marks: Vec<String> = (number + 1..).take(clause.values.len()).map(&mark).collect();
        number += marks.len();
        sql.push_str(if sql.is_empty() { " WHERE " } else { " AND " });
        sql.push_str(&match marks.as_slice() {
            [] => clause.left.clone(),
            [mark] => format!("{} = {mark}{}", clause.left, clause.cast),
            marks => format!("{} IN ({})", clause.left, marks.join(", ")),
        });
    }
    sql + &most.map(|most| format!(" LIMIT {most}")).unwrap_or_default()
}

pub(crate) fn quoted(name: &str, quote: char) -> String {
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}
