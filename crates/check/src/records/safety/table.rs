//! Tables of what makes a record unsafe: one tab-separated file for each check, a row for each rule.

use std::borrow::Cow;

use candor_json::{Value, json};

use crate::compare::Operator;
use crate::field::FieldResult;

const HEADER: &str = "at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource";

/// A check's table.
///
/// Its columns, `-` where a row has nothing to say:
///
/// | column | meaning |
/// | --- | --- |
/// | `at` | which records the row is about, or where in them; the check reads it |
/// | `element` | the element, in the check's own words for a place |
/// | `values` | which values are unsafe: [`Values`] |
/// | `matters` | `always`; `work`, where work is asserted; `production`, in a production environment |
/// | `undoes` | which earlier records a record with such a value undoes: [`Condition`]. `-`: the record itself is unsafe |
/// | `key` | what two records must agree on: elements that always count, `+`, then elements of which the first that both have decides, separated by a bar (`PID.3 + PV1.19 \| PID.18`) |
/// | `until` | which later records of the same key make that undone: [`Condition`] |
/// | `source` | where the standard says so |
///
/// ```
/// use candor_check::records::SafetyTable;
/// let table = SafetyTable::read(concat!(
///     "at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n",
///     "837\tCLM.5.3\t8\twork\t-\t-\t-\tcode source 235: 8 is a void\n",
///     "835\tCLP.2\t22\twork\tCLP.2=! 22\tCLP.1\tCLP.2=! 22\tX221, CLP02: 22 is a reversal\n",
/// ));
/// assert!(table.faults().is_empty());
/// assert!(table.rows().iter().any(|row| row.undoes.is_some()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SafetyTable {
    rows: Vec<SafetyRow>,
    faults: Vec<String>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyRow {
    /// Which records the row is about, or where in them.
    pub at: &'static str,
    /// The element.
    pub element: &'static str,
    /// Its unsafe values.
    pub values: Values,
    /// Where the row matters.
    pub matters: Matters,
    /// The effect on earlier records of a record with such a value; nothing where it is unsafe itself.
    pub undoes: Option<Undoes>,
    /// Where the standard says so.
    pub source: &'static str,
}

/// Where a row matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matters {
    /// In every assertion.
    Always,
    /// Where work is asserted, not where form is.
    Work,
    /// In a production environment.
    Production,
}

/// The effect of a record on earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undoes {
    /// The earlier records.
    pub earlier: Condition,
    /// Elements that both records must have, with the same values.
    pub within: Vec<&'static str>,
    /// Elements of which the first that both records have must have the same value.
    pub numbers: Vec<&'static str>,
    /// The later records after which the earlier ones count again.
    pub until: Option<Condition>,
}

/// An element and its values: `MSH.9.2=A01 A04`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The element.
    pub element: &'static str,
    /// Its values.
    pub values: Values,
}

/// Values of an element, as a row lists them: words separated by spaces.
///
/// `*` is any value, `-` none. `!` first: all but these. `~` first: case does not count. `@past` is a date that is not later
/// than the time of observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    words: Vec<&'static str>,
    any: bool,
    all_but: bool,
    any_case: bool,
    /// True if a date that is not later than the time of observation is one.
    pub past_dates: bool,
}

impl Values {
    fn read(cell: &'static str) -> Self {
        let mut values = Self { words: Vec::new(), any: false, all_but: false, any_case: false, past_dates: false };
        for word in cell.split(' ') {
            match word {
                "" | "-" => {}
                "*" => values.any = true,
                "!" => values.all_but = true,
                "~" => values.any_case = true,
                "@past" => values.past_dates = true,
                word => values.words.push(word),
            }
        }
        values
    }

    /// True if a value is among them. The check itself compares dates.
    #[must_use]
    pub fn hold(&self, value: &Value) -> bool {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Bool(_) | Value::Number(_) => Cow::Owned(value.to_string()),
            Value::Null => return false,
            Value::Array(items) => return self.any && !items.is_empty(),
            Value::Object(members) => return self.any && !members.is_empty(),
        };
        self.any && !text.is_empty() || self.hold_text(&text)
    }

    /// Returns `true` if a text is among them.
    #[must_use]
    pub fn hold_text(&self, text: &str) -> bool {
        let same = |word: &&'static str| if self.any_case { word.eq_ignore_ascii_case(text) } else { *word == text };
        !text.is_empty() && (self.any || self.words.iter().any(same) != self.all_but)
    }

    /// Returns `true` if there is nothing that could be among them.
    #[must_use]
    pub fn are_none(&self) -> bool {
        !self.any && !self.all_but && !self.past_dates && self.words.is_empty()
    }

    /// Returns `true` if every value is one of them.
    #[must_use]
    pub fn are_any(&self) -> bool {
        self.any
    }

    /// The words of the row.
    #[must_use]
    pub fn words(&self) -> &[&'static str] {
        &self.words
    }
}

impl Condition {
    fn read(cell: &'static str) -> Option<Self> {
        let (element, values) = cell.split_once('=')?;
        Some(Self { element, values: Values::read(values) })
    }
}

impl SafetyRow {
    fn read(line: &'static str) -> Result<Self, String> {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let [at, element, values, matters, undoes, key, until, source] = *cells.as_slice() else {
            return Err(format!("{} cells, expected 8: {line}", cells.len()));
        };
        let matters = match matters {
            "always" => Matters::Always,
            "work" => Matters::Work,
            "production" => Matters::Production,
            other => return Err(format!("`{other}` in the column `matters`: {line}")),
        };
        let condition = |cell: &'static str| {
            let read = || Condition::read(cell).ok_or_else(|| format!("`{cell}` is not ELEMENT=VALUES: {line}"));
            if cell == "-" { Ok(None) } else { read().map(Some) }
        };
        let undoes = match (condition(undoes)?, condition(until)?) {
            (Some(_), _) if key == "-" => return Err(format!("there is no key: {line}")),
            (None, Some(_)) => return Err(format!("`until` says nothing without `undoes`: {line}")),
            (None, None) => None,
            (Some(earlier), until) => {
                let (within, numbers) = key.split_once('+').unwrap_or(("", key));
                let elements = |cell: &'static str, by| {
                    cell.split(by).map(str::trim).filter(|element| !element.is_empty()).collect()
                };
                Some(Undoes { earlier, within: elements(within, ' '), numbers: elements(numbers, '|'), until })
            }
        };
        if at.is_empty() || element.is_empty() || source.is_empty() {
            return Err(format!("`at`, `element` or `source` is empty: {line}"));
        }
        Ok(Self { at, element, values: Values::read(values), matters, undoes, source })
    }

    /// The name of a row by which one record undoes another, of which a table has one.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.at, self.element)
    }

    /// The result that quotes a value of this row: what is there, and what must not be.
    #[must_use]
    pub fn quoted(&self, path: impl Into<String>, value: Value) -> FieldResult {
        if self.values.any || self.values.words.is_empty() {
            return FieldResult::constraint(path, Value::Null, value, false).with_operator(Operator::Empty);
        }
        let unsafe_values =
            self.values.words.iter().map(|word| if *word == "true" { json!(true) } else { json!(word) });
        let operator = if self.values.all_but { Operator::In } else { Operator::NotIn };
        FieldResult::constraint(path, unsafe_values.collect(), value, false).with_operator(operator)
    }
}

impl SafetyTable {
    /// Reads a table. A line that is not a row is left out, and is among the [`SafetyTable::faults`]: a test of the
    /// check asserts that there are no faults.
    #[must_use]
    pub fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            table.faults.push(format!("the first line is not the header {HEADER:?}"));
        }
        for line in lines {
            match SafetyRow::read(line) {
                Ok(row) if row.undoes.is_some() && table.rows.iter().any(|other| other.name() == row.name()) => {
                    table.faults.push(format!("a second row `{}`", row.name()));
                }
                Ok(row) => table.rows.push(row),
                Err(fault) => table.faults.push(fault),
            }
        }
        table
    }

    /// The rows, in their order.
    #[must_use]
    pub fn rows(&self) -> &[SafetyRow] {
        &self.rows
    }

    /// The faults of the table.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}
