//! From the resources that were seen to evidence. Pure.

use candor_check::compare::{Operator, Rule};
use candor_check::field::{Expected, FieldResult, ReadFrom};
use candor_check::records::{Candidate, Fault, Judgement, Judging, Observation, RecordRules, Unreadable, Wording};
use candor_check::{Evidence, Obstacle};
use serde_json::{Value, json};

use crate::path;
use crate::resolved::Kept;
use crate::seen::Content;
use crate::settings::Settings;
use crate::source::PART;
use crate::states;
use crate::unsafe_match::{self, Asserted};

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
        hangs_on_all: settings.search.hangs_on_absence() || goes_by_states(settings, seen),
    };
    states::conclude_all(&judging, seen, |candidate| judge_one(settings, candidate))
}

/// Whether the search goes by another resource that is there in several states: what it finds hangs on which one counts.
fn goes_by_states(settings: &Settings, seen: &Observation<Content>) -> bool {
    let undecided = |one: &Unreadable| one.fault == Fault::Obstacle(Obstacle::Undecidable);
    !settings.search.types_of_others().is_empty() && seen.unreadable.iter().any(undecided)
}

fn judge_one(settings: &Settings, candidate: &Candidate<Content>) -> Judgement {
    let Content { resource, references, resolved, hidden, .. } = &candidate.content;
    let reading = ReadFrom { locator: &candidate.source.locator, span: candidate.source.span, references };
    let resolver = Kept { resolved };
    let mut asserted = Asserted { searched: settings.search.elements().collect(), ..Asserted::default() };
    let mut fields = Vec::with_capacity(settings.fields.len());
    for field in &settings.fields {
        let judged = path::judge(field, resource, &resolver, *hidden, reading);
        // `as` and the rules about FHIR's types look at some members only.
        let as_a_whole = matches!(&field.expected, Expected::Equals(Value::Array(_) | Value::Object(_)))
            && field.read_as.is_none()
            && !field.rules.iter().any(|rule| matches!(rule, Rule::Code | Rule::Ucum));
        if let [one] = judged.selected.as_slice() {
            asserted.alone.push((*one, field.operator));
        }
        // What an expression compares it compares with operators of its own.
        asserted.alone.extend(
            judged.looked_at.iter().filter(|_| judged.selected.is_empty()).map(|value| (*value, Operator::Equals)),
        );
        asserted.looked_at.extend(judged.looked_at);
        let values = if as_a_whole { &mut asserted.whole } else { &mut asserted.selected };
        values.extend(judged.selected);
        fields.push(judged.result);
    }
    let unsafe_modifier = if settings.allow_modifiers || !fields.iter().all(|field| field.passed) {
        None
    } else {
        unsafe_match::find(resource, &asserted).map(|found| modifier(&found).at(candidate.source.place()))
    };
    Judgement { fields, constraints: Vec::new(), unsafe_modifier }
}

fn modifier(found: &unsafe_match::Unsafe<'_>) -> FieldResult {
    let actual = found.value.clone();
    if found.values.is_empty() {
        return FieldResult::constraint(found.path.clone(), Value::Null, actual, false).with_operator(Operator::Empty);
    }
    let values: Vec<Value> =
        found.values.iter().map(|value| if *value == "true" { json!(true) } else { json!(value) }).collect();
    FieldResult::constraint(found.path.clone(), Value::Array(values), actual, false).with_operator(Operator::NotIn)
}
