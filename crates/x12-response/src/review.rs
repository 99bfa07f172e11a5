//! What the settings are worth by themselves.

use candor_check::review::{RecordReview, Review};

use crate::settings::{Envelope, Settings};

pub(crate) fn review(settings: &Settings) -> Review {
    let review = RecordReview {
        one: if settings.selection.asks_for_ta1() { "TA1 segment" } else { "readable transaction set" },
        member: "fields",
        fields: &settings.fields,
        rules: settings.rules,
        selected: !settings.selection.correlation.0.is_empty(),
        select_by: "correlate_by",
        beside: settings.answer.is_some()
            || settings.validate.is_some()
            || settings.answers.is_some()
            || settings.envelope == Envelope::Strict,
        whole: false,
    };
    review.review()
}
