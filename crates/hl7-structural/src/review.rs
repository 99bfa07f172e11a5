//! What the settings are worth by themselves.

use candor_check::review::{RecordReview, Review, Weakness, WeaknessKind};

use crate::segments::SegmentCardinality;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let vacuous = |(_, segment): &(usize, &SegmentCardinality)| segment.allows_any();
    let beside = settings.asserts_beside_fields() || settings.segments.iter().any(|segment| !segment.allows_any());
    let review = RecordReview {
        one: "message",
        member: "fields",
        fields: &settings.fields,
        rules: settings.rules(),
        selected: settings.correlate_by.selects(),
        select_by: "correlate_by",
        beside,
        whole: settings.unique.is_some() || settings.sequence.is_some(),
    };
    let mut review = review.review();
    review.weaknesses.extend(settings.segments.iter().enumerate().filter(vacuous).map(|(index, _)| {
        let message = "any number of this segment is right; write a `min` of 1 or more, or a `max`";
        Weakness::new(WeaknessKind::AlwaysHolds, format!("segments[{index}]"), message)
    }));
    review
}
