//! Date parameters. Source: FHIR R4, Search, 3.1.1.4.5 (prefixes) and 3.1.1.4.7 (date).

use std::borrow::Cow;

use candor_json::Value;

use crate::moment::Moment;
use crate::path::Item;
use crate::prefix::Prefix;
use crate::text;

#[derive(Clone, Debug)]
pub(crate) struct Range {
    prefix: Prefix,
    wanted: Moment,
    /// How far `ap` reaches to either side.
    slack: i128,
}

/// The time that an element covers; a missing end is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Covered {
    low: Option<Moment>,
    high: Option<Moment>,
}

impl Range {
    pub(crate) fn parse(escaped: &str) -> Result<Self, Cow<'static, str>> {
        let plain = text::unescape(escaped);
        let (prefix, date) = Prefix::split(&plain)?;
        let wanted = Moment::parse(date)
            .ok_or("it is not a date: `YYYY[-MM[-DD[Thh:mm[:ss]]]]`, with a time zone `Z` or `+hh:mm` after a time")?;
        Ok(Self { prefix, wanted, slack: 0 })
    }

    /// The prefix and the date of `_filter`, where the operator is the prefix.
    pub(crate) fn of(prefix: &str, date: &str) -> Result<Self, Cow<'static, str>> {
        if date.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err("it is not a date".into());
        }
        if prefix == "po" {
            return Ok(Self { prefix: Prefix::Po, ..Self::parse(date)? });
        }
        Self::parse(&format!("{prefix}{date}"))
    }

    pub(crate) fn matches(&self, item: &Item<'_>) -> bool {
        covered(item).is_some_and(|covered| self.finds(&covered))
    }

    pub(crate) fn asks_for_about(&self) -> bool {
        self.prefix == Prefix::Ap
    }

    /// The same, asked at a moment: `ap` reaches as far as a tenth of what lies between it and the date.
    pub(crate) fn at(&self, now: &Moment) -> Self {
        if self.prefix != Prefix::Ap {
            return self.clone();
        }
        let gap = (now.utc_start() - self.wanted.utc_start()).abs();
        Self { slack: gap / 10, ..self.clone() }
    }

    /// The wanted prefix and period: the first instant in it and the first one after it, in UTC or, without a time
    /// zone, on the local clock.
    pub(crate) fn wanted(&self) -> (Prefix, i128, i128) {
        (self.prefix, self.wanted.utc_start() - self.slack, self.wanted.utc_end() + self.slack)
    }

    pub(crate) fn finds(&self, covered: &Covered) -> bool {
        let wanted = &self.wanted;
        let below = |low: &Moment| low.start_beside(wanted) < wanted.start_beside(low);
        let above = |high: &Moment| high.end_beside(wanted) > wanted.end_beside(high);
        let reaches_below = covered.low.as_ref().is_none_or(below);
        let reaches_above = covered.high.as_ref().is_none_or(above);
        let within = !reaches_below && !reaches_above;
        match self.prefix {
            Prefix::Eq => within,
            Prefix::Ne => !within,
            Prefix::Gt => reaches_above,
            Prefix::Lt => reaches_below,
            Prefix::Ge => reaches_above || within,
            Prefix::Le => reaches_below || within,
            Prefix::Sa => covered.low.as_ref().is_some_and(|low| low.start_beside(wanted) >= wanted.end_beside(low)),
            Prefix::Eb => {
                covered.high.as_ref().is_some_and(|high| high.end_beside(wanted) <= wanted.start_beside(high))
            }
            Prefix::Ap | Prefix::Po => {
                let starts = |low: &Moment| low.start_beside(wanted) < wanted.end_beside(low) + self.slack;
                let ends = |high: &Moment| high.end_beside(wanted) > wanted.start_beside(high) - self.slack;
                covered.low.as_ref().is_none_or(starts) && covered.high.as_ref().is_none_or(ends)
            }
        }
    }
}

/// The time that an element covers: a date, a Period, or the outer limits of a Timing. Other types of a choice (a
/// string, an Age) are not dates.
pub(crate) fn covered(item: &Item<'_>) -> Option<Covered> {
    if item.chosen.is_some_and(|chosen| !matches!(chosen, "Date" | "DateTime" | "Instant" | "Period" | "Timing")) {
        return None;
    }
    match item.value {
        Value::String(text) => Moment::parse(text).map(|at| Covered { low: Some(at), high: Some(at) }),
        Value::Object(members) if members.contains_key("event") || members.contains_key("repeat") => timing(item.value),
        value => period(value),
    }
}

fn period(value: &Value) -> Option<Covered> {
    let end = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Some(None),
        // A date that cannot be read is not an open end.
        Some(text) => text.as_str().and_then(Moment::parse).map(Some),
    };
    let covered = Covered { low: end("start")?, high: end("end")? };
    (covered.low.is_some() || covered.high.is_some()).then_some(covered)
}

fn timing(value: &Value) -> Option<Covered> {
    let events = value.get("event").and_then(Value::as_array).into_iter().flatten();
    let events = events.map(|event| event.as_str().and_then(Moment::parse)).collect::<Option<Vec<_>>>()?;
    let bounds = value.pointer("/repeat/boundsPeriod").and_then(period);
    let first = events.iter().min_by_key(|event| event.utc_start());
    let last = events.iter().max_by_key(|event| event.utc_start());
    match (bounds, first, last) {
        (Some(bounds), None, _) | (Some(bounds), _, None) => Some(bounds),
        (None, Some(first), Some(last)) => Some(Covered { low: Some(*first), high: Some(*last) }),
        (Some(bounds), Some(first), Some(last)) => Some(Covered {
            low: bounds.low.map(|low| if first.utc_start() < low.utc_start() { *first } else { low }),
            high: bounds.high.map(|high| if last.utc_start() > high.utc_start() { *last } else { high }),
        }),
        (None, None, _) | (None, _, None) => None,
    }
}

impl Covered {
    pub(crate) fn ends(&self) -> (i128, i128) {
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        (low.map_or(i128::MIN, Moment::utc_start), high.map_or(i128::MAX, Moment::utc_end))
    }
}
