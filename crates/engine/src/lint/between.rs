//! Criteria compared with each other: what both assert, what they cannot both have, and what neither asserts.

use std::collections::{HashMap, HashSet};

use candor_check::review::{Claim, Review};
use candor_check::settings::Cardinality;
use candor_json::{Map, Value};

use super::{Code, Finding, codes};
use crate::plan::Plan;

/// The members of a record-shaped assertion that say what must hold of what is selected.
const SAYS: [&str; 4] = ["fields", "assertions", "count", "match"];
const UNORDERED: [&str; 6] = ["fields", "assertions", "where", "not_contains", "segments", "exclude"];
/// The parts of a sandbox whose records may be there twice.
const RECORDS: [&str; 4] = ["fhir", "hl7", "portal", "x12"];
/// Members by which one record is selected, or a second one would show.
const ONE: [&str; 6] = ["read", "unique", "ack", "history", "sequence", "answers"];
/// Keys of a selection that only one record has.
const IDENTIFIES: [&str; 3] = ["_id", "control_id", "MSH.10"];

struct Asked<'p> {
    index: usize,
    assertion: &'p Map<String, Value>,
    selection: String,
    count: Option<Cardinality>,
    claims: &'p [Claim],
}

impl<'p> Asked<'p> {
    fn of(plan: &'p Plan, index: usize, review: &'p Review) -> Option<Self> {
        let assertion = plan.criteria.get(index)?.criterion.assertion.as_object()?;
        let selects = assertion.iter().filter(|(name, _)| !SAYS.contains(&name.as_str()));
        let selects: Map<String, Value> = selects.map(|(name, value)| (name.clone(), value.clone())).collect();
        let count = assertion.get("count").and_then(|count| Cardinality::from_value(count).ok());
        let selection = canonical(&Value::Object(selects));
        Some(Self { index, assertion, selection, count, claims: &review.claims })
    }

    fn number(&self) -> Cardinality {
        self.count.unwrap_or(Cardinality::SOME)
    }

    fn matching(&self) -> &str {
        self.assertion.get("match").and_then(Value::as_str).unwrap_or("any")
    }

    fn is_about_all(&self) -> bool {
        self.matching() == "all" || !self.number().allows(2) && !self.number().is_none()
    }

    fn kind(&self) -> String {
        let resource = self.assertion.get("correlate_by").and_then(|correlate_by| correlate_by.get("resource"));
        let named = ["assert", "resource_type", "transaction"].iter().filter_map(|name| self.assertion.get(*name));
        named.chain(resource).map(|value| format!("{value} ")).collect()
    }
}

/// Faults between criteria, by the index of the later one.
pub(super) fn of_criteria(plan: &Plan, reviews: &[Option<Review>]) -> Vec<(usize, Finding)> {
    let asked: Vec<Asked<'_>> =
        reviews.iter().enumerate().filter_map(|(index, review)| Asked::of(plan, index, review.as_ref()?)).collect();
    let mut of_selection: HashMap<&str, Vec<&Asked<'_>>> = HashMap::new();
    let mut found = Vec::new();
    for later in &asked {
        let before = of_selection.entry(&later.selection).or_default();
        found.extend(before.iter().find_map(|earlier| of_pair(plan, earlier, later)).map(|one| (later.index, one)));
        before.push(later);
    }
    found.extend(several(plan, &asked));
    found.extend(apart(plan, &asked));
    found
}

/// A criterion that selects, by which keys and values, and its assertion as a text.
type Selecting<'a, 'p> = (&'a Asked<'p>, Vec<(String, String)>, String);

/// Keys of a selection that many records share.
const SHARED: [&str; 5] = ["message_type", "resource", "status", "intent", "type"];

/// Criteria of one kind of record that select by different keys, neither of which names what the other selects by: two
/// records may satisfy them, where one is meant.
fn apart<'p>(plan: &Plan, asked: &[Asked<'p>]) -> Vec<(usize, Finding)> {
    /// Of so many criteria before it each is held against one.
    const MOST: usize = 200;
    let object = |asked: &Asked<'p>, name: &str| asked.assertion.get(name).and_then(Value::as_object);
    let keys = |asked: &Asked<'p>| -> Vec<(String, String)> {
        let correlate_by = object(asked, "correlate_by");
        if let Some((key, value)) = correlate_by.and_then(|by| Some((by.get("key")?.as_str()?, by.get("value")?))) {
            return vec![(key.to_owned(), value.to_string())];
        }
        let all = object(asked, "search").into_iter().chain(correlate_by).flatten();
        let own = all.filter(|(name, _)| !SHARED.contains(&name.as_str()));
        own.map(|(name, value)| (name.clone(), value.to_string())).collect()
    };
    let type_of = |asked: &Asked<'p>| object(asked, "correlate_by").and_then(|by| by.get("message_type"));
    let is_about_work = |asked: &&Asked<'p>| !asked.number().is_none();
    let selecting: Vec<Selecting<'_, 'p>> = asked
        .iter()
        .filter(is_about_work)
        .map(|asked| (asked, keys(asked), Value::Object(asked.assertion.clone()).to_string()))
        .filter(|(_, keys, _)| !keys.is_empty())
        .collect();
    let mut found = Vec::new();
    for (at, (later, own, text)) in selecting.iter().enumerate() {
        let is_apart = |(earlier, keys, other): &&Selecting<'_, 'p>| {
            let names =
                |keys: &[(String, String)], text: &str| keys.iter().any(|(_, value)| text.contains(value.as_str()));
            earlier.kind() == later.kind()
                && type_of(earlier) == type_of(later)
                && !names(keys, text)
                && !names(own, other)
        };
        let Some((earlier, keys, _)) = selecting.iter().take(at).rev().take(MOST).find(is_apart) else { continue };
        let (Some((key, value)), Some((own, _))) = (keys.first(), own.first()) else { continue };
        let id = plan.criteria.get(earlier.index).map_or("", |planned| planned.criterion.id.as_str());
        let message = format!(
            "it selects by `{own}`, and `{id}` by `{key}`: two records may satisfy them; where one is meant, add `{key}` {value} to its selection or its fields"
        );
        let steps = ["assertion".to_owned()];
        found.push((later.index, finding(plan, later.index, codes::TWO_RECORDS, &steps, &message)));
    }
    found
}

fn of_pair(plan: &Plan, earlier: &Asked<'_>, later: &Asked<'_>) -> Option<Finding> {
    let criterion = |asked: &Asked<'_>| plan.criteria.get(asked.index).map(|planned| &planned.criterion);
    let (one, other) = (criterion(earlier)?, criterion(later)?);
    let (steps, why) = excludes(earlier, later)?;
    let (code, result) = if one.gate && other.gate {
        (codes::GATES_EXCLUDE, "both are gates, so the task never passes; leave one of them out")
    } else {
        (codes::CRITERIA_EXCLUDE, "one of them always fails; leave it out, or select other records")
    };
    let message = format!("it and `{}` cannot both pass: {why}; {result}", one.id);
    Some(finding(plan, later.index, code, &steps, &message))
}

/// Why two criteria over one selection cannot both pass, with the steps to what says so in the later one.
fn excludes(earlier: &Asked<'_>, later: &Asked<'_>) -> Option<(Vec<String>, String)> {
    let assertion = |steps: &[&str]| ["assertion"].iter().chain(steps).map(|step| (*step).to_owned()).collect();
    let (one, other) = (earlier.number(), later.number());
    let counts = earlier.count.is_some() || later.count.is_some();
    if counts && !one.overlaps(&other) {
        let why =
            format!("of the same selection one asks for {} and the other for {}", one.in_words(), other.in_words());
        return Some((assertion(if later.count.is_some() { &["count"] } else { &[] }), why));
    }
    if !earlier.is_about_all() && !later.is_about_all() {
        return None;
    }
    let mut pairs = later.claims.iter().flat_map(|claim| earlier.claims.iter().map(move |before| (before, claim)));
    let (before, claim) = pairs
        .find(|(before, claim)| before.path == claim.path && before.single && claim.single && before.excludes(claim))?;
    let steps = crate::document::steps_of(&claim.place);
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    Some((assertion(&steps), format!("no value of `{}` satisfies both", before.path)))
}

/// Selections without a bound on the number of records: one finding for each kind of record.
fn several(plan: &Plan, asked: &[Asked<'_>]) -> Vec<(usize, Finding)> {
    let bounded = |asked: &&Asked<'_>| {
        let counts = asked.count.is_some_and(|count| !count.allows(u64::MAX));
        counts || asked.matching() == "exactly_one" || ONE.iter().any(|member| asked.assertion.contains_key(*member))
    };
    let mut told: HashSet<String> = asked.iter().filter(bounded).map(Asked::kind).collect();
    let mut found = Vec::new();
    for asked in asked {
        let is_record =
            plan.criteria.get(asked.index).is_some_and(|p| p.part.is_some_and(|part| RECORDS.contains(&part)));
        let selects = ["search", "correlate_by"].iter().filter_map(|member| asked.assertion.get(*member)?.as_object());
        let identified = selects.clone().any(|keys| keys.keys().any(|key| IDENTIFIES.contains(&key.as_str())));
        if !is_record || identified || asked.matching() != "any" || !told.insert(asked.kind()) {
            continue;
        }
        let message = "a second record that matches, or a wrong one next to the right one, changes nothing; where there must be only one, write `count: 1`, and select by what older records of the kind do not share, such as the day";
        found.push((
            asked.index,
            finding(plan, asked.index, codes::SEVERAL_MAY_PASS, &["assertion".to_owned()], message),
        ));
    }
    found
}

fn finding(plan: &Plan, index: usize, code: Code, steps: &[String], message: &str) -> Finding {
    let id = plan.criteria.get(index).map_or("", |planned| planned.criterion.id.as_str());
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    Finding::new(code, plan.task.error_in(index, &steps, format!("criterion `{id}`: {message}")))
}

/// A text that is the same for assertions that are, whatever the order of their members and of their fields.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let ordered = members.get("ordered") == Some(&Value::Bool(true));
            let member = |(name, value): (&String, &Value)| {
                let unordered = UNORDERED.contains(&name.as_str()) || name == "contains" && !ordered;
                let value = match value {
                    Value::Array(items) if unordered => {
                        let mut items: Vec<String> = items.iter().map(canonical).collect();
                        items.sort_unstable();
                        format!("[{}]", items.join(","))
                    }
                    value => canonical(value),
                };
                format!("{}:{value}", Value::from(name.as_str()))
            };
            let mut members: Vec<String> = members.iter().map(member).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}
