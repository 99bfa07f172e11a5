//! `arrived`: a file was last modified within a window.

use candor_check::compare::{Operator, Zone};
use candor_check::field::{FieldReason, FieldResult};
use candor_json::json;
use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};

/// A window, both ends included.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    window: Window,
    written: [String; 2],
}

#[derive(Clone, Debug)]
enum Window {
    Instants(Timestamp, Timestamp),
    Local(DateTime, DateTime, Zone),
    /// Every day; over midnight where the second is before the first.
    Daily(Time, Time, Zone),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    between: [String; 2],
    zone: Option<String>,
}

impl<'de> Deserialize<'de> for Arrived {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { between, zone } = Members::deserialize(deserializer)?;
        let window = window(&between, zone.as_deref()).map_err(serde::de::Error::custom)?;
        Ok(Self { window, written: between })
    }
}

enum End {
    Local(DateTime),
    Daily(Time),
}

fn end(text: &str) -> Option<End> {
    // A time of day has no `T`, `-` or blank, and a day has.
    match text.contains(['-', 'T', ' ']) {
        true => text.parse().ok().map(End::Local),
        false => text.parse().ok().map(End::Daily),
    }
}

fn window(between: &[String; 2], zone: Option<&str>) -> Result<Window, String> {
    let [first, second] = between;
    let order = |holds: bool| {
        holds.then_some(()).ok_or_else(|| format!("`between` ends ({second}) before it begins ({first})"))
    };
    if let (Ok(from), Ok(to)) = (first.parse::<Timestamp>(), second.parse::<Timestamp>()) {
        if zone.is_some() {
            return Err("`between` has offsets, so that `zone` says nothing; leave one of them out".to_owned());
        }
        return order(from <= to).map(|()| Window::Instants(from, to));
    }
    let zoned = || -> Result<Zone, String> {
        let zone = zone.ok_or("`between` has no offsets, and `zone` is missing; write `zone: America/New_York`, or an offset in both values")?;
        Zone::named(zone).map_err(|error| format!("`zone`: {error}"))
    };
    // An offset in one of them alone says nothing of the other.
    match (end(first), end(second)) {
        (Some(End::Local(from)), Some(End::Local(to))) if !has_offset(first) && !has_offset(second) => {
            let zone = zoned()?;
            order(from <= to).map(|()| Window::Local(from, to, zone))
        }
        (Some(End::Daily(from)), Some(End::Daily(to))) => Ok(Window::Daily(from, to, zoned()?)),
        _ => Err(format!(
            "`between` is {between:?}; expected two times, as in 2026-11-20T06:00:00, or two times of every day, as in 06:00; both with an offset or neither"
        )),
    }
}

fn has_offset(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

impl Arrived {
    pub(crate) fn result(&self, modified: Option<&str>) -> FieldResult {
        let at = modified.and_then(|text| text.parse::<Timestamp>().ok());
        let fits = at.is_some_and(|at| self.holds(at));
        let result = FieldResult::constraint("$arrived", json!(self.written), json!(modified), fits)
            .with_operator(Operator::Between);
        if at.is_none() { result.because(FieldReason::Undecidable) } else { result }
    }

    fn holds(&self, at: Timestamp) -> bool {
        match &self.window {
            Window::Instants(from, to) => (*from..=*to).contains(&at),
            Window::Local(from, to, zone) => (*from..=*to).contains(&clock(zone, at)),
            Window::Daily(from, to, zone) => {
                let time = clock(zone, at).time();
                if from <= to { (*from..=*to).contains(&time) } else { time >= *from || time <= *to }
            }
        }
    }
}

fn clock(zone: &Zone, at: Timestamp) -> DateTime {
    let shown = at.as_nanosecond() + zone.ahead(at.as_nanosecond());
    let shown = Timestamp::from_nanosecond(shown).unwrap_or(at);
    TimeZone::UTC.to_datetime(shown)
}
