//! What the settings are worth by themselves.

use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, Review};

use crate::history::HistorySettings;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let states = |history: &HistorySettings| history.sequence.is_some() || history.never.is_some();
    let review = RecordReview {
        one: &format!("{} row", settings.correlate_by.resource),
        member: "assertions",
        fields: &settings.assertions,
        rules: RecordRules { matching: settings.matching, count: settings.count },
        selected: !settings.correlate_by.conditions.is_empty(),
        select_by: "correlate_by",
        beside: settings.history.as_ref().is_some_and(states),
        whole: settings.unique.is_some(),
    };
    review.review()
}
