//! From the resources that were seen to evidence. Pure.

use std::borrow::Cow;

use candor_check::compare::{Datum, Operator};
use candor_check::field::{Expected, FieldResult, Judged, Noted, Quantifier, ReadFrom, judge_entries};
use candor_check::records::{
    Asserting, Candidate, Fault, Judgement, Judging, Observation, RecordRules, Unreadable, UnsafeMatch, Wording,
};
use candor_check::{Evidence, Obstacle};
use candor_json::{Value, json};

use crate::items::{self, Read};
use crate::resolved::Kept;
use crate::seen::Content;
use crate::settings::{Retracted, Settings};
use crate::source::PART;
use crate::states;
use crate::unsafe_match::{self, Asserted, Passed, add_rested, only_items};

pub(crate) fn judge(settings: &Settings, seen: &Observation<Content>) -> Evidence {
    let name = format!("{} resource", settings.search.resource_type());
    let mut conditions: Vec<String> =
        settings.search.conditions().map(|(name, value)| format!("{name}={value}")).collect();
    conditions.extend(settings.concepts.iter().map(|concept| format!("{} of the concept", concept.name)));
    let wording = Wording {
        several: format!("{name}s"),
        one: name,
        selected_by: match (&settings.read, conditions.is_empty()) {
            (Some(id), _) => format!("with the id {id}"),
            (None, true) => String::new(),
            (None, false) => format!("with {}", conditions.join(" and ")),
        },
        place: seen.server.clone().unwrap_or_else(|| format!("{PART}/")),
        field: "field",
    };
    let judging = Judging {
        rules: RecordRules { matching: settings.matching, count: settings.count },
        asserts_content: !settings.fields.is_empty(),
        wording: &wording,
        whole: Vec::new(),
        hangs_on_all: settings.search.hangs_on_absence() || goes_by_states(settings, seen) || lacks_a_file(seen),
    };
    let asserting = Asserting::new(settings.allow_modifiers, judging.rules, true, seen.environment);
    let searched: Vec<_> = settings.search.codes().collect();
    states::conclude_all(&judging, seen, |candidate| judge_one(settings, candidate, &searched, &asserting))
}

/// True if the search follows references to another type, and a resource of such a type has several states. Then the
/// result depends on which state counts.
fn goes_by_states(settings: &Settings, seen: &Observation<Content>) -> bool {
    let undecided = |one: &Unreadable| one.fault == Fault::Obstacle(Obstacle::Undecidable);
    !settings.search.types_of_others().is_empty() && seen.unreadable.iter().any(undecided)
}

/// True if a file was not read that may hold a later version of a resource, or its deletion. A gap within a file has a
/// span, and a server sends the latest versions.
fn lacks_a_file(seen: &Observation<Content>) -> bool {
    let outages = [Obstacle::LimitExceeded, Obstacle::SourceDenied, Obstacle::SourceUnavailable, Obstacle::Timeout];
    let is_unread = |one: &Unreadable| {
        one.place.span.is_none() && outages.iter().any(|outage| one.fault == Fault::Obstacle(*outage))
    };
    seen.server.is_none() && seen.unreadable.iter().any(is_unread)
}

fn judge_one(
    settings: &Settings,
    candidate: &Candidate<Content>,
    searched: &[(Vec<&str>, String)],
    asserting: &Asserting,
) -> Judgement {
    let Content { resource, references, resolved, hidden, contradiction, .. } = &candidate.content;
    let hidden = *hidden;
    let reading = ReadFrom { locator: &candidate.source.locator, span: candidate.source.span, references };
    let resolver = Kept { resolved };
    let mut asserted = Asserted { searched, ..Asserted::default() };
    let mut fields = Vec::with_capacity(settings.fields.len());
    let mut explained = Vec::new();
    let mut passed = Vec::new();
    let judging = items::Judging::new(resource, &resolver, hidden, reading);
    for (entry, judged) in settings.fields.iter().zip(judge_entries(&settings.fields, &judging.whole())) {
        let holds = judged.passed();
        let mut reached = Vec::new();
        let mut reads_values = false;
        for Noted { field, passed, note: Read { selected, looked_at, named } } in judged.notes {
            if let [one] = selected.as_slice() {
                asserted.alone.push((*one, field.operator));
            }
            // What an expression compares it compares with operators of its own.
            let compared = looked_at.iter().filter(|_| selected.is_empty());
            asserted.alone.extend(compared.map(|value| (*value, Operator::Equals)));
            asserted.named.extend(named.into_iter().map(|value| (value, value)));
            let is_named = |value: &&Value| field.names(&Datum::Json(Cow::Borrowed(*value)), references);
            let items = || {
                selected.iter().flat_map(|value| value.as_array().map_or(std::slice::from_ref(*value), Vec::as_slice))
            };
            asserted.named.extend(items().filter(is_named).map(|value| (value, &field.expected_value)));
            // An array that is compared as a whole is not one of the values that are expected in it.
            if passed
                && field.quantifier != Quantifier::None
                && matches!(field.expected, Expected::Equals(Value::Array(_)))
            {
                asserted.named.extend(selected.iter().map(|value| (*value, &field.expected_value)));
            }
            let as_needed = field.expected_value.get("dosage").and_then(|dosage| dosage.get("as_needed"));
            if passed && as_needed == Some(&Value::Bool(true)) {
                // A dosage says itself whether it is taken as needed.
                let members = items().flat_map(|dosage| dosage.as_object().into_iter().flatten());
                let needed = members.filter(|(name, _)| name.starts_with("asNeeded"));
                asserted.named.extend(needed.map(|(_, value)| (value, value)));
            }
            asserted.selected.extend(&selected);
            reads_values |= unsafe_match::reads_values(field.operator);
            reached.extend(selected.into_iter().chain(looked_at));
        }
        if holds {
            let resolver = &resolver;
            let passes = move |other: &Value| {
                let judging = items::Judging::new(other, resolver, hidden, reading);
                judge_entries(std::slice::from_ref(entry), &judging.whole()).iter().all(Judged::passed)
            };
            passed.push(Passed { reads_values, reached, passes: Box::new(passes) });
        }
        explained.extend(judged.explained);
        fields.extend(judged.results);
    }
    asserted.named.extend(judging.named().into_iter().map(|value| (value, value)));
    let is_ignored = settings.retracted == Retracted::Ignore && unsafe_match::is_retracted(resource);
    if asserting.allow_modifiers {
        return Judgement { fields, is_ignored, explained, ..Judgement::default() };
    }
    add_rested(resource, &passed, &mut asserted);
    asserted.only_items = only_items(resource, &asserted.named, &passed);
    let place = candidate.source.place();
    let unsafe_match = unsafe_match::find(resource, &asserted, asserting, &place);
    let unsafe_match = unsafe_match.or_else(|| {
        let (name, what) = contradiction.as_ref()?;
        let result = FieldResult::constraint(name.as_str(), Value::Null, json!(what), false).at(place);
        Some(UnsafeMatch { result, why: format!("`{name}` contradicts itself: {what}") })
    });
    Judgement { fields, unsafe_match, is_ignored, explained, ..Judgement::default() }
}
