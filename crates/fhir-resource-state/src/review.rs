//! What the settings are worth by themselves.

use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, Review};

use crate::definitions;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let review = RecordReview {
        one: settings.search.resource_type(),
        member: "fields",
        fields: &settings.fields,
        rules: RecordRules { matching: settings.matching, count: settings.count },
        selected: settings.read.is_some() || settings.search.conditions().len() > 0,
        select_by: "search",
        beside: false,
        whole: false,
    };
    let mut review = review.review();
    let of_release = |(index, field)| definitions::notes(settings.search.resource_type(), index, field);
    review.weaknesses.extend(settings.fields.iter().enumerate().flat_map(of_release));
    review
}
