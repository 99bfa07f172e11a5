//! What the settings are worth by themselves.

use std::collections::BTreeMap;

use candor_check::field::{Expected, Field, FieldEntry};
use candor_check::records::RecordRules;
use candor_check::review::{Change, Claim, RecordReview, Review, Statuses, Weakness, WeaknessKind};
use serde_json::Value;

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
    let resource_type = settings.search.resource_type();
    let mut review =
        review.review_shaped(&searched(settings), &|inside, path| definitions::shape(resource_type, inside, path));
    review.weaknesses.extend(definitions::notes_of(resource_type, &settings.fields));
    review.statuses = statuses(settings);
    review
}

/// The codes that the search asks for, as claims about the elements that they are read from.
fn searched(settings: &Settings) -> Vec<Claim> {
    let mut codes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (path, code) in settings.search.codes() {
        codes.entry(path.join(".")).or_default().push(code.into());
    }
    let claim = |(path, codes): (String, Vec<Value>)| Claim::one_of::<FhirPath>(&path, codes, "`search`", true);
    codes.into_iter().filter_map(claim).collect()
}

/// So many codes are named as examples.
const EXAMPLES: usize = 3;

/// Which of status and intent are asserted, and which are left open though others than the usual one are safe.
fn statuses(settings: &Settings) -> Statuses {
    let resource_type = settings.search.resource_type();
    let says = |element: &str| {
        let is_in =
            |field: &Field<FhirPath>| field.path_text.split(|c: char| !c.is_alphanumeric()).any(|word| word == element);
        settings.fields.iter().flat_map(FieldEntry::fields).any(is_in)
            || settings.search.codes().any(|(path, _)| path == [element])
    };
    let mut statuses = Statuses { kind: resource_type.to_owned(), ..Statuses::default() };
    let forbids = settings.count.is_some_and(|count| count.is_none());
    for (element, refused) in unsafe_match::rows_of(resource_type).filter(|_| !forbids) {
        if says(element) {
            statuses.asserted.push(element);
            continue;
        }
        let safe = |code: &&str| !refused.contains(code) && *code != "entered-in-error";
        let open: Vec<&str> = definitions::codes_of(resource_type, element).into_iter().filter(safe).collect();
        if open.len() < 2 {
            continue;
        }
        let some: Vec<String> = open.iter().take(EXAMPLES).map(|code| format!("`{code}`")).collect();
        let message = format!(
            "nothing says which `{element}` of {resource_type} is right, so any of {} passes; write `{{path: {element}, expected: …}}`",
            some.join(", ")
        );
        statuses.open.push((element, Weakness::new(WeaknessKind::StatusOpen, "", message)));
    }
    statuses
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
