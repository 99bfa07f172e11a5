//! The weaknesses of the settings by themselves.

use candor_check::records::RecordRules;
use candor_check::review::{Claim, RecordReview, Review, Shape};

use crate::history::HistorySettings;
use crate::path::ColumnPath;
use crate::selection::Wanted;
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
    let conditions = settings.correlate_by.conditions.iter().filter_map(|condition| {
        let Wanted::Value(value) = condition.plain()? else { return None };
        let value = value.clone();
        Claim::one_of::<ColumnPath>(condition.path.as_str(), vec![value], "`correlate_by`", false)
    });
    review.review_shaped(&conditions.collect::<Vec<_>>(), &|inside, path| shape(inside, path))
}

/// A column has one value, unless its name is a plural: then it may hold a list.
fn shape(inside: &[&str], path: &str) -> Shape {
    if path.starts_with('$') {
        return Shape::of_json_path(path);
    }
    let plural = path.ends_with('s') && !["ss", "us", "is"].iter().any(|end| path.ends_with(end));
    Shape { single: inside.is_empty() && !path.contains('.') && !plural, ..Shape::default() }
}
