//! From the resources that were seen to evidence. Pure.

use std::borrow::Cow;

use candor_check::Evidence;
use candor_check::compare::{Datum, Operator};
use candor_check::field::{Expected, Quantifier, ReadFrom};
use candor_check::records::{Asserting, Candidate, Judgement, Judging, Observation, RecordRules, Wording, conclude};
use serde_json::Value;

use crate::path;
use crate::resolved::Kept;
use crate::seen::Content;
use crate::settings::{Retracted, Settings};
use crate::source::PART;
use crate::unsafe_match::{self, Asserted, Passed, only_items};

pub(crate) fn judge(settings: &Settings, seen: &Observation<Content>) -> Evidence {
    let name = format!("{} resource", settings.search.resource_type());
    let conditions: Vec<String> = settings.search.conditions().map(|(name, value)| format!("{name}={value}")).collect();
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
        hangs_on_all: settings.search.hangs_on_absence(),
    };
    let asserting = Asserting::new(settings.allow_modifiers, judging.rules, true, seen.environment);
    let searched: Vec<_> = settings.search.codes().collect();
    conclude(&judging, seen, |candidate| judge_one(settings, candidate, &searched, &asserting))
}

fn judge_one(
    settings: &Settings,
    candidate: &Candidate<Content>,
    searched: &[(Vec<&str>, String)],
    asserting: &Asserting,
) -> Judgement {
    let Content { resource, references, resolved, hidden } = &candidate.content;
    let reading = ReadFrom { locator: &candidate.source.locator, span: candidate.source.span, references };
    let resolver = Kept { resolved };
    let mut asserted = Asserted { searched, ..Asserted::default() };
    let mut fields = Vec::with_capacity(settings.fields.len());
    let mut passed = Vec::new();
    for field in &settings.fields {
        let path::Judged { result, selected, looked_at, named } =
            path::judge(field, resource, &resolver, *hidden, reading);
        if let [one] = selected.as_slice() {
            asserted.alone.push((*one, field.operator));
        }
        // What an expression compares it compares with operators of its own.
        let compared = looked_at.iter().filter(|_| selected.is_empty());
        asserted.alone.extend(compared.map(|value| (*value, Operator::Equals)));
        asserted.named.extend(named.into_iter().map(|value| (value, value)));
        let is_named = |value: &&Value| field.names(&Datum::Json(Cow::Borrowed(*value)), references);
        let items =
            selected.iter().flat_map(|value| value.as_array().map_or(std::slice::from_ref(*value), Vec::as_slice));
        asserted.named.extend(items.filter(is_named).map(|value| (value, &field.expected_value)));
        // An array that is compared as a whole is none of the values that are expected in it.
        if result.passed
            && field.quantifier != Quantifier::None
            && matches!(field.expected, Expected::Equals(Value::Array(_)))
        {
            asserted.named.extend(selected.iter().map(|value| (*value, &field.expected_value)));
        }
        asserted.selected.extend(&selected);
        if result.passed {
            let resolver = &resolver;
            passed.push(Passed {
                operator: field.operator,
                reached: [selected, looked_at].concat(),
                passes: Box::new(move |other| path::judge(field, other, resolver, *hidden, reading).result.passed),
            });
        }
        fields.push(result);
    }
    let is_ignored = settings.retracted == Retracted::Ignore && unsafe_match::is_retracted(resource);
    if asserting.allow_modifiers {
        return Judgement { fields, is_ignored, ..Judgement::default() };
    }
    asserted.only_items = only_items(resource, &asserted.named, &passed);
    let unsafe_match = unsafe_match::find(resource, &asserted, asserting, &candidate.source.place());
    Judgement { fields, unsafe_match, is_ignored, ..Judgement::default() }
}
