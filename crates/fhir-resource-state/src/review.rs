//! The weaknesses of the settings by themselves.

use std::collections::BTreeMap;

use candor_check::field::{Field, FieldEntry};
use candor_check::records::RecordRules;
use candor_check::review::{Claim, RecordReview, Review, Statuses, Weakness, WeaknessKind};
use candor_json::Value;

use crate::definitions;
use crate::orders;
use crate::path::FhirPath;
use crate::settings::Settings;
use crate::unsafe_match;

pub(crate) fn review(settings: &Settings) -> Review {
    let review = RecordReview {
        one: settings.search.resource_type(),
        member: "fields",
        fields: &settings.fields,
        rules: RecordRules { matching: settings.matching, count: settings.count },
        selected: settings.read.is_some() || settings.search.conditions().len() > 0 || !settings.concepts.is_empty(),
        select_by: "search",
        beside: false,
        whole: false,
    };
    let resource_type = settings.search.resource_type();
    let mut review =
        review.review_shaped(&searched(settings), &|inside, path| definitions::shape(resource_type, inside, path));
    review.weaknesses.extend(definitions::notes_of(resource_type, &settings.fields));
    review.weaknesses.extend(asked_at_once(settings));
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

/// Two values of one element that a search asks for at once, where the element has one value.
fn asked_at_once(settings: &Settings) -> Option<Weakness> {
    let mut asked: BTreeMap<Vec<&str>, Vec<Vec<String>>> = BTreeMap::new();
    for codes in settings.search.codes_of_each() {
        let mut by_path: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
        codes.into_iter().for_each(|(path, code)| by_path.entry(path).or_default().push(code));
        by_path.into_iter().for_each(|(path, codes)| asked.entry(path).or_default().push(codes));
    }
    asked.into_iter().find_map(|(path, conditions)| {
        let (first, rest) = conditions.split_first()?;
        let other = rest.iter().find(|codes| !codes.iter().any(|code| first.contains(code)))?;
        if !definitions::is_single(settings.search.resource_type(), &path) {
            return None;
        }
        let (name, first, other) = (path.join("."), first.join(","), other.join(","));
        let message = format!(
            "`{name}` has one value, and the search asks for `{first}` and for `{other}` at once; for either write `{first},{other}`"
        );
        Some(Weakness::new(WeaknessKind::NeverHolds, "search", message))
    })
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
    if !forbids {
        orders::review(settings, &mut statuses);
    }
    statuses
}
