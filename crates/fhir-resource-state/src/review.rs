//! What the settings are worth by themselves.

use candor_check::field::{Expected, Field};
use candor_check::records::RecordRules;
use candor_check::review::{Change, RecordReview, Review};

use crate::definitions;
use crate::path::FhirPath;
use crate::settings::Settings;
use crate::unsafe_match;

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
    review.weaknesses.extend(definitions::notes_of(settings.search.resource_type(), &settings.fields));
    review
}

/// What version 0.1 decided otherwise.
pub(crate) fn changes(settings: &Settings) -> Vec<Change> {
    let resource_type = settings.search.resource_type();
    // Item groups are newer than the rules that changed.
    let plain = || settings.fields.iter().enumerate().filter_map(|(index, entry)| Some((index, entry.as_field()?)));
    let named = |element: &str| {
        let by_field = plain().any(|(_, field)| names(field, element));
        by_field || settings.search.codes().any(|(path, _)| path == [element])
    };
    let none = settings.count.is_some_and(|count| count.is_none());
    let counts = !settings.allow_modifiers && !none;
    let rows = unsafe_match::rows_of(resource_type).filter(|(element, _)| counts && !named(element));
    let safety = rows.map(|(element, values)| {
        let message = format!(
            "{resource_type} resources whose `{element}` is {} no longer count; assert `{element}` with the values that are right, or write `allow_modifiers: true`",
            values.join(", ")
        );
        Change::new("", message)
    });
    let typed = plain().filter_map(|(index, field)| {
        let message = definitions::compared_as(resource_type, field)?;
        Some(Change::new(format!("fields[{index}].expected"), message))
    });
    safety.chain(typed).chain(Change::of_dates("fields", &settings.fields)).collect()
}

/// Whether a field names a value of an element at the root.
fn names(field: &Field<FhirPath>, element: &str) -> bool {
    if field.path.expression().is_some() {
        let text = &field.path_text;
        return [" =", " in ", " ~"].iter().any(|operator| text.contains(&format!("{element}{operator}")));
    }
    field.path_text == element && matches!(field.expected, Expected::Equals(_) | Expected::In(_))
}
