//! When a set was sent: ISA09 and ISA10 of its interchange, and ISA13 where these are equal.

use candor_check::compare::{Date, DateForm};
use candor_check::records::{Moment, Standing};
use candor_x12::SetView;
use serde::{Deserialize, Serialize};

/// The time at which an interchange was sent, as ISA writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sent {
    date: String,
    time: String,
    number: String,
}

impl Sent {
    pub(crate) fn of(set: &SetView<'_>) -> Self {
        let isa = set.segment("ISA");
        let text = |element| isa.map(|isa| isa.text(element).trim().to_owned()).unwrap_or_default();
        Self { date: text(9), time: text(10), number: text(13) }
    }

    /// Without a time that can be read it is the day; without a date it is nothing.
    pub(crate) fn moment(&self) -> Option<Moment> {
        let day = Date::parse(&self.date, DateForm::X12)?;
        let century = match self.date.as_str() {
            date if date.len() == 6 && date < "80" => "20",
            date if date.len() == 6 => "19",
            _ => "",
        };
        let with_time = Date::parse(&format!("{century}{}{}", self.date, self.time), DateForm::X12);
        Some(Moment { time: with_time.unwrap_or(day), number: self.number.parse().ok() })
    }
}

/// True if one comes after another: by their interchanges, or by position if these were sent at one time under one
/// number. `None` if that is not known.
pub(crate) fn is_after(one: &Standing<'_>, other: &Standing<'_>) -> Option<bool> {
    let apart = Standing { stream: "", position: 0, ..*other };
    match apart.before(&Standing { stream: "-", position: 0, ..*one }) {
        None if one.stream == other.stream && one.moment == other.moment => Some(one.position > other.position),
        by_interchange => by_interchange,
    }
}
