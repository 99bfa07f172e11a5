//! Which rows `correlate_by` selects.

use std::borrow::Cow;

use candor_check::compare::{Comparison, DateForm, Datum, MatchMode, References, Rule, equal, normalized};
use candor_check::evidence::quoted;
use candor_check::field::{FieldPath as _, Selection};
use candor_check::settings::nearest;
use candor_json::Value;

use crate::mask::{self, bare};
use crate::path::ColumnPath;
use crate::rows::{Content, Held, Sought, mark};
use crate::synonyms::Synonyms;

/// The member `correlate_by`, validated.
#[derive(Clone, Debug)]
pub struct CorrelateBy {
    /// The table or collection.
    pub resource: String,
    /// The conditions that a row must meet, `key` first.
    pub conditions: Vec<Condition>,
    /// True if the first condition is that of `key`.
    pub has_key: bool,
    /// Further columns that the resource must have, as something is asserted of all rows by them.
    pub needed: Vec<ColumnPath>,
    /// The columns that something is asserted of, those of `needed` among them.
    pub asserted: Vec<ColumnPath>,
    /// Rows of CSV may lack columns at their end.
    pub short_rows: bool,
    /// True if a row more could turn the verdict, so that one that may be selected is as good as one that was not read.
    pub bounded: bool,
}

/// A condition on one column.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The column.
    pub path: ColumnPath,
    wanted: Wanted,
    rules: Vec<Rule>,
    synonyms: Vec<Value>,
}

/// The condition on a column.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Anything but null.
    NotNull,
    /// This value; null means that nothing is there.
    Value(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Yes,
    /// Only by comparing values of different types as text.
    AsText,
    /// Only by rules of `using`.
    ByRules,
    /// No one can tell: what the path selects stays open.
    Open,
    BySynonym,
    /// No one can tell: the row ends before the column.
    Lacking,
    No,
}

impl Met {
    /// The remark on columns that were met so, as the end of a sentence; nothing where they simply are.
    pub(crate) fn how(self) -> Option<&'static str> {
        match self {
            Self::Yes | Self::No | Self::Open | Self::Lacking => None,
            Self::AsText => Some("was compared as text, as its type differs from the assertion's value"),
            Self::ByRules => Some("is the assertion's value only by the rules of `using`"),
            Self::BySynonym => Some("holds a synonym of the assertion's value"),
        }
    }
}

const DATES: &[DateForm] = ColumnPath::DATES;

impl Condition {
    pub(crate) fn new(path: ColumnPath, wanted: Wanted, rules: Vec<Rule>) -> Self {
        Self { path, wanted, rules, synonyms: Vec::new() }
    }

    pub(crate) fn with_synonyms(&mut self, synonyms: &Synonyms) {
        if let Wanted::Value(wanted) = &self.wanted {
            self.synonyms = synonyms.of(wanted, &self.rules).cloned().collect();
        }
    }

    /// Compares as fields do, and as text where the types differ.
    pub(crate) fn met_by(&self, row: &Content) -> Met {
        let (wanted, selection) = match &self.wanted {
            Wanted::Value(wanted) => (wanted, self.path.select_for(row, wanted)),
            Wanted::NotNull => (&Value::Null, self.path.select(row)),
        };
        if selection.open {
            return Met::Open;
        }
        match &self.wanted {
            Wanted::NotNull => return yes(!selection.values.is_empty()),
            Wanted::Value(Value::Null) => return yes(selection.values.is_empty()),
            Wanted::Value(_) => {}
        }
        let data = data(&selection, wanted);
        let any = |wanted: &Value, rules: &[Rule]| data.iter().any(|datum| same(datum, wanted, rules));
        let any_as_text = |wanted: &Value, rules: &[Rule]| data.iter().any(|datum| equal_as_text(datum, wanted, rules));
        match wanted {
            wanted if any(wanted, &[]) => Met::Yes,
            wanted if any_as_text(wanted, &[]) => Met::AsText,
            wanted if any(wanted, &self.rules) || any_as_text(wanted, &self.rules) => Met::ByRules,
            _ if self.synonyms.iter().any(|other| any(other, &self.rules)) => Met::BySynonym,
            _ => Met::No,
        }
    }

    /// The wanted value, if only a row with exactly this value meets the condition: a source may select by it. `None`
    /// if rules or synonyms make other values the same.
    #[must_use]
    pub fn plain(&self) -> Option<&Wanted> {
        (self.rules.is_empty() && self.synonyms.is_empty()).then_some(&self.wanted)
    }

    /// The rows of JSON that may meet it or hide what does; nothing where any row may. Without rules those that nearly meet
    /// it are among them.
    pub(crate) fn sought(&self, rows: &Held) -> Option<Sought> {
        let Wanted::Value(wanted) = &self.wanted else { return None };
        let of_value = |value: &Value| match value {
            Value::String(text) => Some(mark(text, &self.rules)),
            Value::Number(number) => {
                let text = number.to_string();
                text.bytes().all(|byte| byte.is_ascii_digit()).then(|| mark(&text, &self.rules))
            }
            _ => None,
        };
        let wanted = self.synonyms.iter().chain([wanted]).map(of_value).collect::<Option<_>>()?;
        self.path.is_column().then(|| Sought { marks: rows.marks(self.path.as_str(), &self.rules), wanted })
    }

    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    pub(crate) fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// Returns `true` if it asks for rows where the column is null.
    #[must_use]
    pub fn wants_null(&self) -> bool {
        matches!(self.wanted, Wanted::Value(Value::Null))
    }

    /// The text of a row that hides a part of itself and may be the wanted one.
    pub(crate) fn masked_in(&self, row: &Content) -> Option<String> {
        let Wanted::Value(wanted) = &self.wanted else { return None };
        let wanted = Datum::Json(Cow::Borrowed(wanted));
        let wanted = wanted.scalar()?;
        let values = self.path.values(row);
        let masked = values.iter().filter_map(Datum::string).find(|text| mask::may_be(text, &wanted));
        masked.map(str::to_owned)
    }

    /// True if a row meets it once case and everything but letters and digits are left out: what makes of two rows that
    /// do not meet it the nearer one, and nothing else.
    pub(crate) fn nearly_met_by(&self, row: &Content) -> bool {
        let Wanted::Value(wanted) = &self.wanted else { return false };
        let wanted = Datum::Json(Cow::Borrowed(wanted));
        let Some(wanted) = wanted.scalar() else { return false };
        let alike = |text: &str| bare(text).eq(bare(&wanted)) || mask::may_be(text, &wanted);
        self.path.select(row).values.iter().any(|found| found.datum.scalar().is_some_and(|text| alike(&text)))
    }

    pub(crate) fn actual(&self, row: &Content) -> Value {
        let mut values: Vec<Value> = self.path.select(row).values.iter().map(|found| found.datum.to_value()).collect();
        match values.len() {
            0 => Value::Null,
            1 => values.swap_remove(0),
            _ => Value::Array(values.into_iter().take(20).collect()),
        }
    }

    pub(crate) fn expected(&self) -> Value {
        match &self.wanted {
            Wanted::NotNull => Value::String("any value".to_owned()),
            Wanted::Value(value) => value.clone(),
        }
    }

    /// The condition as a clause: `request_id "PA-1001"`.
    fn described(&self) -> String {
        let column = self.path.as_str();
        match &self.wanted {
            Wanted::NotNull => format!("any {column}"),
            Wanted::Value(Value::Null) => format!("no {column}"),
            Wanted::Value(value) => format!("{column} {}", quoted(value)),
        }
    }
}

impl CorrelateBy {
    pub(crate) fn key(&self) -> Option<&ColumnPath> {
        self.conditions.first().filter(|_| self.has_key).map(|condition| &condition.path)
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        self.conditions.first().filter(|_| self.has_key).map_or(&[], |condition| &condition.rules)
    }

    /// The selection in words, as the rest of a sentence; empty when it asks for every row.
    pub(crate) fn described(&self) -> String {
        match self.conditions.as_slice() {
            [] => String::new(),
            conditions => {
                let clauses: Vec<String> = conditions.iter().map(Condition::described).collect();
                format!("with {}", clauses.join(" and "))
            }
        }
    }
}

fn yes(met: bool) -> Met {
    if met { Met::Yes } else { Met::No }
}

/// The values to compare: an array represents its elements unless an array is wanted.
fn data<'a>(selection: &'a Selection<'a>, wanted: &Value) -> Vec<Datum<'a>> {
    let mut data = Vec::with_capacity(selection.values.len());
    for found in &selection.values {
        match &found.datum {
            Datum::Json(value) if selection.expands && !wanted.is_array() => match value.as_ref() {
                Value::Array(items) => data.extend(items.iter().map(|item| Datum::Json(Cow::Borrowed(item)))),
                value => data.push(Datum::Json(Cow::Borrowed(value))),
            },
            Datum::Json(value) => data.push(Datum::Json(Cow::Borrowed(value.as_ref()))),
            Datum::Text(text) => data.push(Datum::Text(Cow::Borrowed(text.as_ref()))),
        }
    }
    data
}

fn same(datum: &Datum<'_>, wanted: &Value, rules: &[Rule]) -> bool {
    let references = References::default();
    let manner = MatchMode::new(rules, DATES, &references);
    !hidden(datum, wanted, rules) && equal(datum, wanted, &manner) == Comparison::Holds
}

fn equal_as_text(datum: &Datum<'_>, wanted: &Value, rules: &[Rule]) -> bool {
    let same_type = match datum {
        Datum::Text(_) => wanted.is_string(),
        Datum::Json(value) => std::mem::discriminant(value.as_ref()) == std::mem::discriminant(wanted),
    };
    let wanted_text = Datum::Json(Cow::Borrowed(wanted));
    let texts = datum.scalar().zip(wanted_text.scalar());
    !same_type
        && !hidden(datum, wanted, rules)
        && texts.is_some_and(|(found, wanted)| normalized(rules, &found) == normalized(rules, &wanted))
}

/// Returns `true` if rules would take what a text hides for nothing: `*****6789` is not 6789.
fn hidden(datum: &Datum<'_>, wanted: &Value, rules: &[Rule]) -> bool {
    !rules.is_empty() && datum.string().is_some_and(mask::is_masked) && !wanted.as_str().is_some_and(mask::is_masked)
}

const TEXT_RULES: &[Rule] = &[
    Rule::Case,
    Rule::Whitespace,
    Rule::Accents,
    Rule::Punctuation,
    Rule::Digits,
    Rule::LeadingZeros,
    Rule::Icd10,
    Rule::Ndc,
    Rule::PersonName,
];

/// Reads names of rules that are about texts.
///
/// # Errors
/// The first name that is not a rule for texts, in a sentence.
pub(crate) fn text_rules(names: &[String]) -> Result<Vec<Rule>, String> {
    let rule = |name: &String| match Rule::named(name).filter(|rule| TEXT_RULES.contains(rule)) {
        Some(rule) => Ok(rule),
        None => {
            let known: Vec<&str> = TEXT_RULES.iter().map(|rule| rule.name()).collect();
            let near = nearest(name, &known).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_else(|| format!("; expected one of {}", known.join(", ")));
            Err(format!("`{name}` is not a rule by which columns are compared{near}"))
        }
    };
    names.iter().map(rule).collect()
}
