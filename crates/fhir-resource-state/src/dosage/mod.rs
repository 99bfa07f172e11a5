//! `dosage`: dose, frequency, route, as needed and days of an order, in any of FHIR's forms.

mod amount;
mod frequency;
mod route;

use std::cmp::Ordering;

use candor_check::meaning::{Meaning, Understanding, Understood};
use candor_check::settings::nearest;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use amount::Amount;
use frequency::Frequency;

/// The rows of a table: its columns, without comments.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| line.split('\t').collect())
}

/// The abbreviation of a `Timing.repeat`.
pub(crate) fn coded_timing(repeat: &Value) -> Option<&'static str> {
    frequency::rows().find(|row| Frequency::of_repeat(repeat).as_ref() == Some(&row.frequency)).map(|row| row.code)
}

/// Times, period and unit of a timing by its abbreviation or in words.
pub(crate) fn timing_of(text: &str) -> Option<(u64, u64, &'static str)> {
    let said = Frequency::parse(text)?;
    frequency::rows().find(|row| row.frequency == said).and_then(|row| row.repeat)
}

/// The name of a route, where its codes and words are of one.
pub(crate) fn route_of(route: &Value) -> Option<&'static str> {
    match route::of_concept(route).as_slice() {
        [name] => Some(name),
        _ => None,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Dosage {
    dose: Option<(Amount, Amount)>,
    frequency: Option<Frequency>,
    routes: Vec<&'static str>,
    as_needed: bool,
    days: Option<u64>,
    matching: Matching,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Matching {
    #[default]
    Only,
    Any,
    All,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    dose: Option<Dose>,
    #[serde(default)]
    frequency: Option<String>,
    #[serde(default)]
    route: Option<OneOrMore>,
    #[serde(default)]
    as_needed: bool,
    #[serde(default)]
    days: Option<u64>,
    #[serde(default, rename = "match")]
    matching: Matching,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Dose {
    One(String),
    Range { between: [String; 2] },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A form in which a dosage holds one of its parts: its element, its words, and the result of the comparison. The result is `None` if the
/// tables do not have the form.
struct Form {
    place: &'static str,
    said: String,
    holds: Option<bool>,
}

impl Form {
    fn new(place: &'static str, said: impl Into<String>, holds: Option<bool>) -> Self {
        Self { place, said: said.into(), holds }
    }
}

impl Dosage {
    /// Reads the member `dosage`.
    ///
    /// # Errors
    /// A malformed member, with the nearest known word.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let written = Written::deserialize(value).map_err(|error| format!("`dosage`: {error}"))?;
        let Written { dose, frequency, route, as_needed, days, matching } = written;
        let dose = match dose {
            None => None,
            Some(Dose::One(text)) => {
                let amount = asserted_amount(&text)?;
                Some((amount.clone(), amount))
            }
            Some(Dose::Range { between: [low, high] }) => Some((asserted_amount(&low)?, asserted_amount(&high)?)),
        };
        if let Some((low, high)) = &dose
            && low.compare(high).is_none_or(Ordering::is_gt)
        {
            return Err("`dosage.dose.between` needs two amounts of one kind, the smaller first".to_owned());
        }
        let frequency = frequency
            .map(|text| {
                let known = frequency::names();
                Frequency::parse(&text).ok_or_else(|| unknown("dosage.frequency", "frequency", &text, &known))
            })
            .transpose()?;
        let texts = match route {
            None => Vec::new(),
            Some(OneOrMore::One(text)) => vec![text],
            Some(OneOrMore::More(texts)) => texts,
        };
        let route =
            |text: &String| route::named(text).ok_or_else(|| unknown("dosage.route", "route", text, &route::names()));
        let routes = texts.iter().map(route).collect::<Result<Vec<_>, _>>()?;
        if days == Some(0) {
            return Err("`dosage.days` is 0; expected a number of days from 1 on".to_owned());
        }
        if dose.is_none() && frequency.is_none() && routes.is_empty() && days.is_none() && !as_needed {
            return Err("`dosage` says nothing; give `dose`, `frequency`, `route`, `days` or `as_needed`".to_owned());
        }
        Ok(Self { dose, frequency, routes, as_needed, days, matching })
    }

    /// The element that holds the dosage in resources of a type; `None` if the type has no dosage.
    pub(crate) fn path_of(resource_type: &str) -> Option<&'static str> {
        match resource_type {
            "MedicationRequest" | "MedicationDispense" => Some("dosageInstruction"),
            "MedicationStatement" | "MedicationUsage" | "MedicationAdministration" => Some("dosage"),
            _ => None,
        }
    }

    fn told(&self, dosage: &Value) -> Understood {
        let mut shown = Map::new();
        let (mut fails, mut unknown, mut absent, mut contradiction) = (false, false, false, None);
        if dosage.get("doseAndRate").and_then(Value::as_array).is_some_and(|doses| doses.len() > 1) {
            let actual = json!({"doseAndRate": dosage.get("doseAndRate")});
            return Understood { state: Understanding::Several, actual, contradiction: None };
        }
        let parts = [
            ("dose", self.dose.as_ref().map(|dose| doses(dosage, dose))),
            ("frequency", self.frequency.as_ref().map(|frequency| frequencies(dosage, frequency))),
            ("route", (!self.routes.is_empty()).then(|| routes(dosage, &self.routes))),
            ("as_needed", Some(as_needed(dosage, self.as_needed))),
            ("days", self.days.map(|days| self.lengths(dosage, days))),
        ];
        for (name, forms) in parts {
            let Some(forms) = forms else { continue };
            let is = |wanted: Option<bool>| forms.iter().find(|form| form.holds == wanted);
            match (is(Some(true)), is(Some(false))) {
                (Some(_), Some(other)) => {
                    contradiction.get_or_insert(format!("its {} says {:?}", other.place, other.said));
                }
                (None, Some(_)) => fails = true,
                (Some(_), None) => {}
                (None, None) if forms.is_empty() => absent = true,
                (None, None) => unknown = true,
            }
            if let Some(form) = forms.first() {
                shown.insert(name.to_owned(), json!(form.said));
            }
        }
        let state = match (fails || absent, unknown) {
            (true, _) => Understanding::Fails,
            (false, true) => Understanding::Unknown,
            (false, false) => Understanding::Holds,
        };
        let contradiction = contradiction.filter(|_| state == Understanding::Holds);
        Understood { state, actual: Value::Object(shown), contradiction }
    }

    /// For how long.
    fn lengths(&self, dosage: &Value, days: u64) -> Vec<Form> {
        let mut forms = Vec::new();
        let repeat = dosage.get("timing").and_then(|timing| timing.get("repeat"));
        if let Some(duration) = repeat.and_then(|repeat| repeat.get("boundsDuration")) {
            let unit =
                duration.get("code").or_else(|| duration.get("unit")).and_then(Value::as_str).unwrap_or_default();
            let per_unit = match unit {
                "d" | "day" | "days" => Some(1),
                "wk" | "week" | "weeks" => Some(7),
                _ => None,
            };
            let number = duration.get("value").map(Value::to_string).unwrap_or_default();
            let own = number.trim_end_matches(".0").parse::<u64>().ok().zip(per_unit).map(|(number, per)| number * per);
            forms.push(Form::new(
                "timing.repeat.boundsDuration",
                format!("{number} {unit}"),
                own.map(|own| own == days),
            ));
        }
        if let Some(count) = repeat.and_then(|repeat| repeat.get("count")).and_then(Value::as_u64)
            && let Some(frequency) = repeat.and_then(Frequency::of_repeat).or_else(|| self.frequency.clone())
        {
            forms.push(Form::new(
                "timing.repeat.count",
                count.to_string(),
                frequency.in_days(days).map(|all| all == count),
            ));
        }
        let text = text(dosage);
        let words = candor_check::meaning::words_of(&text);
        let said = words.windows(3).find_map(|window| match window {
            [four, number, unit] if four == "for" && unit.starts_with("day") => frequency::number(number),
            [four, number, unit] if four == "for" && unit.starts_with("week") => {
                frequency::number(number).map(|n| n * 7)
            }
            _ => None,
        });
        forms.extend(said.map(|own| Form::new("text", text.clone(), Some(own == days))));
        let has_bounds = repeat.is_some_and(|repeat| repeat.get("boundsPeriod").is_some());
        if forms.is_empty() && has_bounds {
            forms.push(Form::new("timing.repeat.boundsPeriod", "a period", None));
        } else if forms.is_empty() && !text.is_empty() {
            forms.push(Form::new("text", text, None));
        }
        forms
    }
}

fn asserted_amount(text: &str) -> Result<Amount, String> {
    Amount::parse(text).map_err(|unit| match unit {
        Some(unit) => unknown("dosage.dose", "unit", unit, &amount::names()),
        None => format!("`dosage.dose` is {text:?}; expected a number with a unit, as in \"40 mg\""),
    })
}

fn unknown(member: &str, what: &str, text: &str, known: &[&'static str]) -> String {
    let advice = match nearest(text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are `{}` and others", known.iter().take(8).copied().collect::<Vec<_>>().join("`, `")),
    };
    format!("`{member}`: no {what} is known as `{text}`; {advice}")
}

/// The texts of a dosage: `text` and `patientInstruction`.
fn text(dosage: &Value) -> String {
    let texts = ["text", "patientInstruction"].into_iter().filter_map(|name| dosage.get(name)?.as_str());
    texts.collect::<Vec<_>>().join(". ")
}

fn doses(dosage: &Value, (low, high): &(Amount, Amount)) -> Vec<Form> {
    let within = |amount: &Amount| Some(amount.compare(low)?.is_ge() && amount.compare(high)?.is_le());
    let shown = |quantity: &Value| {
        let part = |name: &str| {
            quantity.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        format!("{} {}", part("value").unwrap_or_default(), part("unit").or_else(|| part("code")).unwrap_or_default())
    };
    let of_quantity = |place, quantity: &Value| {
        Form::new(place, shown(quantity), Amount::of_quantity(quantity).and_then(|amount| within(&amount)))
    };
    let mut forms = Vec::new();
    let rated = dosage.get("doseAndRate").and_then(Value::as_array).into_iter().flatten();
    for holder in rated.chain([dosage]) {
        for name in ["doseQuantity", "doseSimpleQuantity", "dose"] {
            forms.extend(holder.get(name).filter(|dose| dose.is_object()).map(|dose| of_quantity("dose", dose)));
        }
        if let Some(range) = holder.get("doseRange") {
            let ends: Vec<Option<bool>> = ["low", "high"]
                .into_iter()
                .filter_map(|end| range.get(end))
                .map(|end| Amount::of_quantity(end).and_then(|amount| within(&amount)))
                .collect();
            let holds =
                if ends.iter().all(Option::is_some) { Some(ends.iter().all(|end| *end == Some(true))) } else { None };
            forms.push(Form::new("doseRange", range.to_string(), holds));
        }
    }
    // A text may name tablets as well as milligrams: only amounts of the asserted kind count.
    let text = text(dosage);
    let said: Vec<bool> = Amount::within(&text).iter().filter_map(within).collect();
    if !said.is_empty() {
        forms.push(Form::new("text", text, Some(said.contains(&true))));
    } else if forms.is_empty() && !text.is_empty() {
        forms.push(Form::new("text", text, None));
    }
    forms
}

fn frequencies(dosage: &Value, asserted: &Frequency) -> Vec<Form> {
    let mut forms = Vec::new();
    let holds = |own: Option<Frequency>| own.map(|own| asserted.is_met_by(&own));
    if let Some(timing) = dosage.get("timing") {
        if let Some(repeat) = timing.get("repeat") {
            let bounds_alone =
                repeat.as_object().is_some_and(|members| members.keys().all(|name| name.starts_with("bounds")));
            if !bounds_alone {
                forms.push(Form::new("timing.repeat", repeat.to_string(), holds(Frequency::of_repeat(repeat))));
            }
        }
        let codings =
            timing.get("code").and_then(|code| code.get("coding")).and_then(Value::as_array).into_iter().flatten();
        for coding in codings {
            let part = |name: &str| coding.get(name).and_then(Value::as_str);
            let own = part("code").and_then(Frequency::parse).or_else(|| part("display").and_then(Frequency::parse));
            forms.push(Form::new(
                "timing.code",
                part("code").or_else(|| part("display")).unwrap_or_default(),
                holds(own),
            ));
        }
        if let Some(text) = timing.get("code").and_then(|code| code.get("text")).and_then(Value::as_str) {
            forms.push(Form::new("timing.code.text", text, holds(Frequency::parse(text))));
        }
        if let Some(events) = timing.get("event").and_then(Value::as_array).filter(|events| !events.is_empty()) {
            let own = (events.len() == 1).then_some(Frequency::Once);
            forms.push(Form::new("timing.event", format!("{} times", events.len()), holds(own)));
        }
    }
    let text = text(dosage);
    match Frequency::within(&text).as_slice() {
        [] if forms.is_empty() && !text.is_empty() => forms.push(Form::new("text", text, None)),
        [] => {}
        said => {
            let met = said.iter().any(|own| asserted.is_met_by(own));
            forms.push(Form::new("text", text, Some(met)));
        }
    }
    forms
}

fn routes(dosage: &Value, asserted: &[&'static str]) -> Vec<Form> {
    let mut forms = Vec::new();
    if let Some(route) = dosage.get("route") {
        let own = route::of_concept(route);
        let shown = route.get("text").and_then(Value::as_str).map_or_else(|| route.to_string(), str::to_owned);
        match own.as_slice() {
            [] => forms.push(Form::new("route", shown, None)),
            all => forms.extend(all.iter().map(|own| Form::new("route", *own, Some(asserted.contains(own))))),
        }
    }
    let text = text(dosage);
    match route::within(&text).as_slice() {
        [] if forms.is_empty() && !text.is_empty() => forms.push(Form::new("text", text, None)),
        [] => {}
        said => forms.push(Form::new("text", text, Some(said.iter().any(|own| asserted.contains(own))))),
    }
    forms
}

fn as_needed(dosage: &Value, asserted: bool) -> Vec<Form> {
    let mut forms = Vec::new();
    for name in ["asNeededBoolean", "asNeeded"] {
        if let Some(own) = dosage.get(name).and_then(Value::as_bool) {
            forms.push(Form::new("asNeededBoolean", own.to_string(), Some(own == asserted)));
        }
    }
    for name in ["asNeededCodeableConcept", "asNeededFor"] {
        if let Some(own) = dosage.get(name).filter(|own| !own.is_null()) {
            forms.push(Form::new("asNeededCodeableConcept", own.to_string(), Some(asserted)));
        }
    }
    let text = text(dosage);
    let words = candor_check::meaning::words_of(&text);
    let says = words.iter().any(|word| word == "prn")
        || words
            .windows(2)
            .any(|pair| matches!(pair, [as_, needed] if as_ == "as" && (needed == "needed" || needed == "required")));
    if says {
        forms.push(Form::new("text", text, Some(asserted)));
    } else if forms.is_empty() {
        // Silence says that it is taken as ordered.
        forms.push(Form::new("dosage", "not as needed", Some(!asserted)));
    }
    forms
}

impl Meaning for Dosage {
    fn member(&self) -> &'static str {
        "dosage"
    }

    fn understood(&self, values: &[Value]) -> Understood {
        let all: Vec<&Value> = values
            .iter()
            .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
            .collect();
        let whole = |state| Understood { state, actual: json!(values), contradiction: None };
        if all.is_empty() {
            return Understood { state: Understanding::Absent, actual: Value::Null, contradiction: None };
        }
        if all.iter().any(|value| !value.is_object()) {
            return whole(Understanding::Mismatch);
        }
        let mut told = all.iter().map(|dosage| self.told(dosage));
        match (self.matching, all.len()) {
            (Matching::Only, 2..) => whole(Understanding::Several),
            (Matching::Only | Matching::Any, _) => best(told, &[Understanding::Holds, Understanding::Unknown]),
            (Matching::All, _) => told
                .find(|one| one.state == Understanding::Fails || one.contradiction.is_some())
                .unwrap_or_else(|| best(all.iter().map(|dosage| self.told(dosage)), &[Understanding::Unknown])),
        }
    }
}

/// The first in the first of these states, else the first.
fn best(told: impl Iterator<Item = Understood>, states: &[Understanding]) -> Understood {
    let all: Vec<Understood> = told.collect();
    let of = |state: &Understanding| all.iter().find(|one| one.state == *state);
    let found = states.iter().find_map(of).or_else(|| all.first()).cloned();
    found.unwrap_or(Understood { state: Understanding::Absent, actual: Value::Null, contradiction: None })
}

#[cfg(test)]
mod tests;
