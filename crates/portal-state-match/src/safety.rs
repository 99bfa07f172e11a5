//! Rows that say of themselves that they are gone: `data/unsafe-columns.tsv`.

use std::sync::LazyLock;
use std::time::SystemTime;

use candor_check::compare::{Date, DateForm, Operator};
use candor_check::evidence::quoted;
use candor_check::field::{Field, FieldReason, Quantifier};
use candor_check::records::{Asserting, Candidate, Element, SafetyRow, SafetyTable, UnsafeMatch};
use serde_json::Value;

use crate::path::ColumnPath;
use crate::rows::Content;
use crate::selection::Wanted;
use crate::settings::Settings;

static TABLE: LazyLock<SafetyTable> = LazyLock::new(|| SafetyTable::read(include_str!("../data/unsafe-columns.tsv")));

const SECOND: i128 = 1_000_000_000;
/// The farthest a civil clock is ahead of UTC.
const AHEAD: i128 = 14 * 3600 * SECOND;

/// Whole numbers from here on are seconds since 1970 (1973 and later), and from there on milliseconds.
const SECONDS_FROM: i64 = 100_000_000;
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// The time of an observation, in seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Whether a row has a column that may say that it is gone.
pub(crate) fn may_be_gone(row: &Content) -> bool {
    TABLE.rows().iter().any(|rule| columns(rule, row).next().is_some())
}

/// What makes a row unsafe. `compared` are the columns that were compared, with whether they passed.
pub(crate) fn unsafe_row(
    settings: &Settings,
    asserting: &Asserting,
    observed_at: Option<i64>,
    row: &Candidate<Content>,
    compared: &[(&Field<ColumnPath>, bool)],
) -> Option<UnsafeMatch> {
    let mut open = None;
    for rule in TABLE.rows().iter().filter(|rule| asserting.concerns(rule)) {
        for (name, value) in columns(rule, &row.content) {
            let gone = gone(rule, value, observed_at);
            if gone == Some(false) || is_named(settings, name, compared) {
                continue;
            }
            let source = row.source.place();
            if gone.is_some() {
                let (path, assert, value) = (name.to_owned(), name.to_owned(), value.clone());
                return rule.unsafe_match(Element { path, value, source, named: false, assert });
            }
            let result = rule.quoted(name, value.clone()).at(source).because(FieldReason::Undecidable);
            let why = format!("{name} is {}, which may be a past date or not", quoted(value));
            open.get_or_insert(UnsafeMatch { result, why });
        }
    }
    open
}

/// The columns of a row that a rule is about, however their names are written: `deleted_at`, `deletedAt`, `DELETED_AT`.
fn columns<'a>(rule: &'static SafetyRow, row: &'a Content) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let bare = |name: &str| name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect::<String>();
    let wanted = bare(rule.element);
    let all = row.columns().as_object().into_iter().flatten();
    all.filter(move |(name, _)| name.len() <= 2 * rule.element.len() && bare(name) == wanted)
        .map(|(name, value)| (name.as_str(), value))
}

/// Whether the author named the value of a column: asserted it, or selected by it.
fn is_named(settings: &Settings, column: &str, compared: &[(&Field<ColumnPath>, bool)]) -> bool {
    let selected = settings.correlate_by.conditions.iter().any(|condition| {
        is_column(condition.path.as_str(), column)
            && matches!(condition.wanted(), Wanted::Value(value) if !value.is_null())
    });
    let mut asserted = compared.iter().filter(|(field, _)| is_column(field.path.as_str(), column));
    selected
        || asserted.any(|(field, passed)| {
            let names = matches!(field.operator, Operator::Equals | Operator::In);
            *passed && names && field.quantifier != Quantifier::None && !field.expected_value.is_null()
        })
}

/// Whether a path is of one column: its name, or `$.` before it.
fn is_column(path: &str, column: &str) -> bool {
    path.strip_prefix("$.").unwrap_or(path) == column
}

/// Whether a value says that its row is gone; nothing where that hangs on a zone that is not written.
fn gone(rule: &SafetyRow, value: &Value, observed_at: Option<i64>) -> Option<bool> {
    let trimmed = match value {
        Value::String(text) => Value::from(text.trim()),
        other => other.clone(),
    };
    if rule.values.hold(&trimmed) {
        return Some(true);
    }
    if !rule.values.past_dates {
        return Some(false);
    }
    // A recording of an earlier version does not say when it was made. What it holds was then in the past.
    let now = observed_at.map_or(i128::from(u32::MAX) * SECOND, |now| i128::from(now) * SECOND);
    let is_day = |text: &str| text.len() == 8 && text.starts_with(['1', '2']);
    let whole = match &trimmed {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok().filter(|_| !is_day(text)),
        _ => None,
    };
    if let Some(number) = whole {
        return Some(match number {
            ..SECONDS_FROM => false,
            SECONDS_FROM..MILLISECONDS_FROM => i128::from(number) * SECOND <= now,
            MILLISECONDS_FROM.. => i128::from(number) * (SECOND / 1000) <= now,
        });
    }
    let date = trimmed.as_str().and_then(|text| {
        // PostgreSQL writes a blank for `T`, and whole hours of an offset alone.
        let text = text.strip_suffix(" UTC").map_or_else(|| text.to_owned(), |time| format!("{time}Z"));
        let hours_alone = text.len() > 13 && matches!(text.as_bytes().iter().rev().nth(2), Some(b'+' | b'-'));
        let text = text.replacen(' ', "T", 1).replacen(',', ".", 1) + if hours_alone { ":00" } else { "" };
        // `20261101`, `…+0000`
        Date::parse(&text, DateForm::Iso)
            .or_else(|| Date::parse(&text.replace(['-', ':', 'T'], ""), DateForm::Hl7).filter(|_| is_day(&text)))
            .or_else(|| {
                let (time, minutes) = text.split_at_checked(text.len().saturating_sub(2))?;
                Date::parse(&format!("{time}:{minutes}"), DateForm::Iso)
            })
    });
    let Some(date) = date else {
        // What has the digits of a year may be a date in another form: `11/20/2026`.
        let digits = trimmed.as_str().map_or(0, |text| text.bytes().filter(u8::is_ascii_digit).count());
        let is_zero = trimmed.as_str().is_some_and(|text| text.starts_with("0000"));
        return if digits >= 6 && !is_zero { None } else { Some(false) };
    };
    let (start, _) = date.bounds();
    if start <= now {
        return Some(true);
    }
    if !date.is_zoned() && start - AHEAD <= now { None } else { Some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// 2026-11-22T12:00:00Z.
    const NOW: i64 = 1_795_348_800;

    fn found(value: &Value) -> Option<bool> {
        gone(TABLE.rows().first().unwrap(), value, Some(NOW))
    }

    #[test]
    fn every_line_is_a_row() {
        assert_eq!(TABLE.faults(), &[] as &[String]);
        assert!(TABLE.rows().iter().all(|row| row.values.past_dates && row.undoes.is_none()));
    }

    #[test]
    fn what_says_that_a_row_is_gone() {
        for value in [
            json!(true),
            json!(1),
            json!("1"),
            json!("TRUE"),
            json!("t"),
            json!("Y"),
            json!("Yes"),
            json!(" yes "),
            json!("2026-11-20T10:00:00Z"),
            json!("2026-11-20"),
            json!("2026-11-20 10:00:00"),
            json!("2026-11-22"),
            json!("2026-11-20 10:00:00.123+00:00"),
            json!("2026-11-20 10:00:00+00"),
            json!("2026-11-20 10:00:00.123456+00"),
            json!(1_795_000_000),
            json!("1795000000000"),
            json!("1970-01-01"),
            json!("20261101"),
            json!("2026-11-20T10:00:00+0000"),
            json!("2026-11-20 10:00:00 UTC"),
            json!("2026-11-20T10:00:00,5Z"),
        ] {
            assert_eq!(found(&value), Some(true), "{value}");
        }
        for value in [
            json!(null),
            json!(false),
            json!(0),
            json!("0"),
            json!("N"),
            json!("no"),
            json!("f"),
            json!("false"),
            json!(""),
            json!(" "),
            json!("0000-00-00"),
            json!("0000-00-00 00:00:00"),
            json!("9999-12-31"),
            json!("9999-12-31T23:59:59Z"),
            json!("2027-01-01"),
            json!("2026-11-22T12:00:01Z"),
            json!(2),
            json!(-1),
            json!(1_795_348_801),
            json!([]),
            json!({}),
        ] {
            assert_eq!(found(&value), Some(false), "{value}");
        }
        assert_eq!(found(&json!("20270101")), Some(false));
        // A date in a form that is not known.
        assert_eq!(found(&json!("11/20/2026")), None);
        // An hour later than now by the clock in Greenwich is past in Tokyo.
        assert_eq!(found(&json!("2026-11-22T13:00:00")), None);
        assert_eq!(found(&json!("2026-11-24T13:00:00")), Some(false));
        let of_old_recording = |value: Value| gone(TABLE.rows().first().unwrap(), &value, None);
        assert_eq!(of_old_recording(json!("2026-11-20")), Some(true));
        assert_eq!(of_old_recording(json!("9999-12-31")), Some(false));
    }

    #[test]
    fn a_column_has_its_name_in_any_case() {
        for (name, is) in
            [("deleted_at", true), ("deletedAt", true), ("DELETED_AT", true), ("IsDeleted", true), ("Voided", true)]
                .into_iter()
                .chain([("archived", false), ("deleted_by", false), ("undeleted", false), ("void", false)])
        {
            assert_eq!(may_be_gone(&Content::Typed(json!({name: null}))), is, "{name}");
        }
    }

    proptest! {
        /// Whatever is written: a flag is one in any case, and reading a value ends.
        #[test]
        fn any_value_is_judged(text in ".{0,40}", number in any::<i64>(), now in any::<i64>()) {
            let rule = TABLE.rows().first().unwrap();
            let _ = gone(rule, &json!(text), Some(now));
            let is_past = gone(rule, &json!(number), Some(now));
            prop_assert!(is_past.is_some());
            prop_assert_eq!(is_past, gone(rule, &json!(number.to_string()), Some(now)));
        }
    }
}
