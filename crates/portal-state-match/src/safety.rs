//! Rows that say of themselves that they are gone: `data/unsafe-columns.tsv`.

use std::sync::LazyLock;
use std::time::SystemTime;

use candor_check::compare::{Date, DateForm, Operator};
use candor_check::evidence::quoted;
use candor_check::field::{Field, FieldReason, Quantifier};
use candor_check::records::{Asserting, Candidate, Element, SafetyRow, SafetyTable, UnsafeMatch};
use candor_json::Value;

use crate::path::ColumnPath;
use crate::rows::Content;
use crate::selection::Wanted;
use crate::settings::Settings;

pub(crate) static TABLE: LazyLock<SafetyTable> =
    LazyLock::new(|| SafetyTable::read(include_str!("../data/unsafe-columns.tsv")));

/// The kind of the rules that a row of an older version meets, too.
pub(crate) const REPLACED: &str = "replaced";

const SECOND: i128 = 1_000_000_000;
/// The farthest a civil clock is ahead of UTC.
const AHEAD: i128 = 14 * 3600 * SECOND;

/// Whole numbers from here on are seconds since 1970 (1973 and later), and from there on milliseconds.
const SECONDS_FROM: i64 = 100_000_000;
const MILLISECONDS_FROM: i64 = 100_000_000_000;
/// From these on they are microseconds and nanoseconds.
const MICROSECONDS_FROM: i64 = 100_000_000_000_000;
const NANOSECONDS_FROM: i64 = 100_000_000_000_000_000;

/// The time of an observation, in seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Affixes around the word of a rule in the name of a column: `is_deleted`, `dateVoided`, `DELETED_FLAG`.
pub(crate) const AFFIXES: [&str; 31] = [
    "is",
    "has",
    "was",
    "been",
    "at",
    "on",
    "date",
    "datetime",
    "time",
    "timestamp",
    "ts",
    "utc",
    "flag",
    "ind",
    "indicator",
    "yn",
    "bool",
    "status",
    "state",
    "key",
    "code",
    "row",
    "record",
    "soft",
    "marked",
    "for",
    "logically",
    "logical",
    "logic",
    "dt",
    "gmt",
];

/// The longest name that can be made of a word and affixes, in bytes.
const LONGEST: usize = 64;

/// Has a row a column, or an object in a column, that may say that it is gone?
pub(crate) fn may_be_gone(row: &Content) -> bool {
    fn holds_one(object: &Value) -> bool {
        let mut members = object.as_object().into_iter().flatten();
        members.any(|(name, value)| rule_of(name).is_some() || holds_one(value))
    }
    holds_one(row.columns())
}

/// Why a row is unsafe to accept, if it is. `compared` are the columns that were compared, with whether they passed.
pub(crate) fn unsafe_row(
    settings: &Settings,
    asserting: &Asserting,
    observed_at: Option<i64>,
    row: &Candidate<Content>,
    compared: &[(&Field<ColumnPath>, bool)],
) -> Option<UnsafeMatch> {
    first(asserting, observed_at, row, compared, |name, rule| is_named(settings, name, rule, compared))
}

/// The same for a row as a step of a sequence, which an older version may be. `states` are those of the row: they, and
/// `voided_at` next to the state `voided`, are not a reason.
pub(crate) fn unsafe_step(
    settings: &Settings,
    asserting: &Asserting,
    observed_at: Option<i64>,
    row: &Candidate<Content>,
    column: &ColumnPath,
    states: &[&Value],
) -> Option<UnsafeMatch> {
    first(asserting, observed_at, row, &[], |name, rule| {
        rule.at == REPLACED
            || is_column(column.as_str(), name)
            || states.iter().any(|state| begins(state, stem(rule.element)))
            || is_named(settings, name, rule, &[])
    })
}

/// The first column that says that the row is gone, else the first that may say so.
fn first(
    asserting: &Asserting,
    observed_at: Option<i64>,
    row: &Candidate<Content>,
    compared: &[(&Field<ColumnPath>, bool)],
    is_expected: impl Fn(&str, &SafetyRow) -> bool,
) -> Option<UnsafeMatch> {
    let mut open = None;
    for (name, value) in columns(&row.content, compared) {
        let own_name = name.rsplit('.').next().unwrap_or_default();
        let rules = [rule_of(own_name), rule_of_status(own_name, value)].into_iter().flatten();
        let mut rules = rules.map(|rule| (rule, gone(rule, value, observed_at)));
        let matters = |rule: &SafetyRow| asserting.concerns(rule) && !is_expected(&name, rule);
        let Some((rule, gone)) = rules.find(|(rule, gone)| *gone != Some(false) && matters(rule)) else { continue };
        let source = row.source.place();
        if gone.is_some() && rule.at == "gone" {
            let (path, assert, value) = (name.clone(), name, value.clone());
            return rule.unsafe_match(Element { path, value, source, named: false, assert });
        }
        let result = rule.quoted(&*name, value.clone()).at(source).because(FieldReason::Undecidable);
        let why = match gone {
            Some(_) => format!("{name} is {}, so that the row may be gone; assert it to say which", quoted(value)),
            None => format!("{name} is {}, which may mean that the row is gone or not", quoted(value)),
        };
        open.get_or_insert(UnsafeMatch { result, why });
    }
    open
}

/// The columns of a row, and the members of each object that the path of a compared field goes through.
fn columns<'a>(row: &'a Content, compared: &[(&Field<ColumnPath>, bool)]) -> Vec<(String, &'a Value)> {
    let root = row.columns();
    let mut objects = vec![(String::new(), root)];
    for (field, _) in compared {
        let path = field.path.as_str();
        let path = path.strip_prefix("$.").unwrap_or(path);
        let mut at = root;
        for (end, _) in path.match_indices('.') {
            let Some(before) = path.get(..end) else { break };
            let step = before.rsplit('.').next().unwrap_or_default();
            let Some(next) = at.get(step).filter(|next| next.is_object()) else { break };
            at = next;
            objects.push((format!("{before}."), next));
        }
    }
    objects.dedup_by(|one, other| one.0 == other.0);
    let members = objects.into_iter().flat_map(|(before, object)| {
        object.as_object().into_iter().flatten().map(move |(name, value)| (format!("{before}{name}"), value))
    });
    members.collect()
}

/// The rule for a column: its word is in the name, and everything else of the name is an affix, however it is written.
fn rule_of(name: &str) -> Option<&'static SafetyRow> {
    if name.len() > LONGEST {
        return None;
    }
    let bare = bare(name);
    TABLE.rows().iter().find(|rule| {
        let parts = bare.split_once(rule.element);
        parts.is_some_and(|(before, behind)| is_affixes(before) && is_affixes(behind))
    })
}

/// The rule whose word is the value of a status: `record_status` is `deleted`.
pub(crate) fn rule_of_status(name: &str, value: &Value) -> Option<&'static SafetyRow> {
    let text = value.as_str().filter(|text| text.len().max(name.len()) <= LONGEST)?;
    let (name, word) = (bare(name), bare(text));
    let is_status = (name.contains("status") || name.contains("state")) && is_affixes(&name);
    TABLE.rows().iter().find(|rule| is_status && rule.at == "gone" && rule.element == word)
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

fn is_affixes(text: &str) -> bool {
    text.is_empty() || AFFIXES.iter().any(|affix| text.strip_prefix(affix).is_some_and(is_affixes))
}

/// Returns `true` if the author named the value of a column: asserted it, or selected by it.
/// What is asserted in the word of the rule names it, too: `status` equals `voided`.
fn is_named(settings: &Settings, column: &str, rule: &SafetyRow, compared: &[(&Field<ColumnPath>, bool)]) -> bool {
    let in_its_word = |value: &Value| begins(value, rule.element);
    let selected = settings.correlate_by.conditions.iter().any(|condition| {
        is_column(condition.path.as_str(), column)
            && matches!(condition.wanted(), Wanted::Value(value) if !value.is_null())
    });
    let by_word = settings
        .correlate_by
        .conditions
        .iter()
        .any(|condition| matches!(condition.wanted(), Wanted::Value(value) if in_its_word(value)));
    selected
        || by_word
        || compared.iter().any(|(field, passed)| {
            let names = matches!(field.operator, Operator::Equals | Operator::In);
            let about = is_column(field.path.as_str(), column) || in_its_word(&field.expected_value);
            *passed && about && names && field.quantifier != Quantifier::None && !field.expected_value.is_null()
        })
}

/// Returns `true` for a text that begins with a word, however it is written.
fn begins(value: &Value, word: &str) -> bool {
    value.as_str().is_some_and(|text| bare(text).starts_with(word))
}

/// The part of a word that its forms share: `delet` of `deleted` and `deletion`.
fn stem(word: &str) -> &str {
    ["ed", "ion", "al"].into_iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word)
}

/// Returns `true` if a path is of one column: its name, also as a JSONPath.
fn is_column(path: &str, column: &str) -> bool {
    let bracketed = |start: &str, end: &str| path.strip_prefix(start)?.strip_suffix(end);
    let name = path.strip_prefix("$.").or_else(|| bracketed("$['", "']")).or_else(|| bracketed("$[\"", "\"]"));
    name.unwrap_or(path) == column
}

/// Texts of a row that is there. Null, the empty text and dates to come mean the same.
const THERE: [&str; 10] = ["false", "0", "f", "n", "no", "none", "null", "n/a", "-", "infinity"];
/// How dates begin that languages and databases write for "no date": .NET and Go, SQL Server, Access, Unix.
const NO_DATE: [&str; 5] = ["0000", "0001-01-01", "1753-01-01", "1900-01-01", "1970-01-01"];

/// Does a value say that its row is gone? `None` for a word, an object, and a date whose form or zone is
/// not known.
pub(crate) fn gone(rule: &SafetyRow, value: &Value, observed_at: Option<i64>) -> Option<bool> {
    let trimmed = match value {
        Value::String(text) => Value::from(text.trim()),
        other => other.clone(),
    };
    if rule.values.hold(&trimmed) {
        return Some(true);
    }
    // `is_active` and `row_status` say so by some of their words: any other means that the row is there.
    if !rule.values.hold_text("true") || is_there(&trimmed) {
        return Some(false);
    }
    if !rule.values.past_dates {
        return None;
    }
    // A recording of an earlier version does not say when it was made. What it holds was then in the past.
    let now = observed_at.map_or(i128::from(u32::MAX) * SECOND, |now| i128::from(now) * SECOND);
    let is_day = |text: &str| text.len() == 8 && text.starts_with(['1', '2']);
    let text = match &trimmed {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    if let Some(number) = text.parse::<i64>().ok().filter(|_| !is_day(&text)) {
        let unit = match number {
            ..SECONDS_FROM => return None,
            SECONDS_FROM..MILLISECONDS_FROM => SECOND,
            MILLISECONDS_FROM..MICROSECONDS_FROM => SECOND / 1_000,
            MICROSECONDS_FROM..NANOSECONDS_FROM => SECOND / 1_000_000,
            NANOSECONDS_FROM.. => 1,
        };
        return Some(i128::from(number) * unit <= now);
    }
    // PostgreSQL writes a blank for `T`, and whole hours of an offset alone.
    let text = text.strip_suffix(" UTC").map_or_else(|| text.clone(), |time| format!("{time}Z"));
    let hours_alone = text.len() > 13 && matches!(text.as_bytes().iter().rev().nth(2), Some(b'+' | b'-'));
    let text = text.replacen(' ', "T", 1).replacen(',', ".", 1) + if hours_alone { ":00" } else { "" };
    // `20261101`, `…+0000`
    let date = Date::parse(&text, DateForm::Iso)
        .or_else(|| Date::parse(&text.replace(['-', ':', 'T'], ""), DateForm::Hl7).filter(|_| is_day(&text)))
        .or_else(|| {
            let (time, minutes) = text.split_at_checked(text.len().saturating_sub(2))?;
            Date::parse(&format!("{time}:{minutes}"), DateForm::Iso)
        })?;
    let (start, _) = date.bounds();
    if start <= now {
        return Some(true);
    }
    if !date.is_zoned() && start - AHEAD <= now { None } else { Some(false) }
}

fn is_there(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => {
            text.is_empty()
                || THERE.iter().any(|word| text.eq_ignore_ascii_case(word))
                || NO_DATE.iter().any(|begin| text.starts_with(begin))
        }
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}
