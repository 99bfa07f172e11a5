//! Conditions that a database checks. Values are always bound; a clause holds quoted identifiers and nothing else of the
//! assertion.

/// A value that is bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    Text(String),
    Integer(i64),
    Real(f64),
}

/// A condition on one column: what stands before, between and behind its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    /// SQL with `?` for each value.
    pub(crate) sql: String,
    pub(crate) values: Vec<Bound>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    pub(crate) clauses: Vec<Clause>,
}

impl Clause {
    pub(super) fn new(sql: String, values: Vec<Bound>) -> Self {
        Self { sql, values }
    }

    /// No row can meet it.
    pub(super) fn never() -> Self {
        Self::new("1 = 0".to_owned(), Vec::new())
    }
}

impl Filter {
    /// `WHERE …`, each `?` written by `mark` with its number from 1 on; empty where there are no conditions. A `?` within a
    /// quoted identifier stays.
    pub(super) fn sql(&self, quote: char, mark: impl Fn(usize) -> String) -> String {
        let mut sql = String::new();
        let mut number = 0;
        for clause in &self.clauses {
            sql.push_str(if sql.is_empty() { " WHERE " } else { " AND " });
            let mut quoted = false;
            for c in clause.sql.chars() {
                quoted ^= c == quote;
                if c == '?' && !quoted {
                    number += 1;
                    sql.push_str(&mark(number));
                } else {
                    sql.push(c);
                }
            }
        }
        sql
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Bound> {
        self.clauses.iter().flat_map(|clause| &clause.values)
    }
}

/// An identifier as SQL quotes it.
pub(crate) fn quoted(name: &str, quote: char) -> String {
    let mut sql = String::with_capacity(name.len() + 2);
    sql.push(quote);
    for c in name.chars() {
        sql.push(c);
        if c == quote {
            sql.push(c);
        }
    }
    sql.push(quote);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_marks() {
        assert_eq!(quoted("a\"b", '"'), "\"a\"\"b\"");
        assert_eq!(quoted("a`; DROP TABLE x; --", '`'), "`a``; DROP TABLE x; --`");
        let clause = |name: &str| Clause::new(format!("{} = ?", quoted(name, '"')), vec![Bound::Integer(1)]);
        let filter = Filter { clauses: vec![clause("why?"), clause("a\"?\"b")] };
        let sql = filter.sql('"', |number| format!("${number}"));
        assert_eq!(sql, " WHERE \"why?\" = $1 AND \"a\"\"?\"\"b\" = $2");
        assert_eq!(filter.values().count(), 2);
        assert_eq!(Filter::default().sql('"', |_| String::new()), "");
    }
}
