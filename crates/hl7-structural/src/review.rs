//! The weaknesses that the settings show.

use candor_check::field::Field;
use candor_check::review::{Claim, RecordReview, Review, Shape, Statuses, Weakness, WeaknessKind};

use crate::path::MessagePath;
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
    let conditions: Vec<Claim> =
        settings.correlate_by.fields().map(|field| Claim::of(field, "`correlate_by`", false)).collect();
    let mut review = review.review_shaped(&conditions, &|_, path| Shape::of_segments(path));
    review.statuses = statuses(settings);
    review.weaknesses.extend(settings.segments.iter().enumerate().filter(vacuous).map(|(index, _)| {
        let message = "any number of this segment is right; write a `min` of 1 or more, or a `max`";
        Weakness::new(WeaknessKind::AlwaysHolds, format!("segments[{index}]"), message)
    }));
    let plain = settings.fields.iter().enumerate().filter_map(|(index, entry)| Some((index, entry.as_field()?)));
    let as_text = |(_, field): &(usize, &Field<MessagePath>)| field.compares_date_as_text() && field.path.is_date();
    review.weaknesses.extend(plain.filter(as_text).map(|(index, field)| {
        let message = format!(
            "`{}` is a date or time by the standard, and is compared as text; write `as: date`, or `as: string` if the text is meant",
            field.path_text
        );
        Weakness::new(WeaknessKind::DateAsText, format!("fields[{index}].expected"), message)
    }));
    review
}

/// Finds out if a result (OBX-5) and its status (OBX-11) are asserted. Source: HL7 v2.8.2, 7.4.2.
fn statuses(settings: &Settings) -> Statuses {
    const VALUE: u32 = 5;
    const STATUS: u32 = 11;
    let reads = |number: u32| {
        settings.reads().any(|field| {
            let path = field.path.path();
            field.path.segment_id() == "OBX"
                && path.is_some_and(|path| path.elements().any(|((field, ..), _)| field == number))
        })
    };
    let mut statuses = Statuses { kind: "ORU".to_owned(), ..Statuses::default() };
    let is_result = settings.correlate_by.message_type().is_some_and(|kind| kind.starts_with("ORU"));
    if reads(STATUS) {
        statuses.asserted.push("OBX.11");
    } else if is_result && !settings.counts_none() && reads(VALUE) {
        let message = "nothing says which result status is right, so a preliminary result (OBX-11 `P`) passes as well; write `{path: OBX.11, expected: F}` next to the value, in the same item group or predicate";
        statuses.open.push(("OBX.11", Weakness::new(WeaknessKind::StatusOpen, "fields", message)));
    }
    statuses
}
