//! `dosage`: dose, frequency, route, as needed and days of an order, in any of FHIR's forms.

pub(crate) mod amount;
pub(crate) mod frequency;
pub(crate) mod route;
pub(crate) mod sig;
pub(crate) mod words;

use std::cmp::Ordering;

use candor_check::meaning::{Meaning, Understanding, Understood};
use candor_check::settings::{nearest, read_settings};
use candor_json::{Map, Value, json};
use serde::Deserialize;

use amount::Amount;
use frequency::Frequency;
use sig::Sig;

/// The rows of a table: its columns, without comments.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
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
    written: Value,
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
    dose: Option<Dose>,
    frequency: Option<String>,
    route: Option<OneOrMore>,
    #[serde(default)]
    as_needed: bool,
    days: Option<u64>,
    #[serde(default, rename = "match")]
    matching: Matching,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected an amount with its unit, as in \"40 mg\", or {between: [\"30 mg\", \"40 mg\"]}"
)]
enum Dose {
    One(String),
    Range { between: [String; 2] },
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a route, or an array of routes")]
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
    lacks_unit: bool,
}

impl Form {
    fn new(place: &'static str, said: impl Into<String>, holds: Option<bool>) -> Self {
        Self { place, said: said.into(), holds, lacks_unit: false }
    }

    /// Notes if one of its quantities has no unit.
    fn of<'v>(self, mut quantities: impl Iterator<Item = &'v Value>) -> Self {
        let has = |quantity: &Value, name: &str| {
            quantity.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
        };
        let lacks_unit = quantities.any(|quantity| !has(quantity, "unit") && !has(quantity, "code"));
        Self { lacks_unit: lacks_unit && self.holds.is_none(), ..self }
    }
}

impl Dosage {
    /// Reads the member `dosage`.
    ///
    /// # Errors
    /// A malformed member, with the nearest known word.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let Written { dose, frequency, route, as_needed, days, matching } =
            read_settings(value.clone()).map_err(|error| match error.place.as_str() {
                "" => format!("`dosage`: {error}"),
                place => format!("`dosage.{place}`: {}", error.message),
            })?;
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
        Ok(Self { dose, frequency, routes, as_needed, days, matching, written: value.clone() })
    }

    /// The element that holds the dosage in resources of a type; `None` if the type has no dosage.
    pub(crate) fn path_of(resource_type: &str) -> Option<&'static str> {
        match resource_type {
            "MedicationRequest" | "MedicationDispense" => Some("dosageInstruction"),
            "MedicationStatement" | "MedicationUsage" | "MedicationAdministration" => Some("dosage"),
            _ => None,
        }
    }

    /// True if a field expects a dosage, and a quantity without its unit leaves open whether the only one is that.
    pub(crate) fn is_vague(expected: &Value, values: &[Value]) -> bool {
        let own = expected.get("dosage").and_then(|written| Self::read(written).ok());
        own.is_some_and(|own| matches!(items(values).as_slice(), [only] if own.judged(only).1))
    }

    fn told(&self, dosage: &Value) -> Understood {
        self.judged(dosage).0
    }

    /// The result, and `true` if a quantity without its unit leaves it open.
    fn judged(&self, dosage: &Value) -> (Understood, bool) {
        if dosage.get("doseAndRate").and_then(Value::as_array).is_some_and(|doses| doses.len() > 1) {
            let actual = json!({"doseAndRate": dosage.get("doseAndRate")});
            return (Understood { state: Understanding::Several, actual, contradiction: None }, false);
        }
        let sig = Sig::read(text(dosage));
        let (mut shown, mut contradiction, mut is_vague) = (Map::new(), None, false);
        let (mut fails, mut unknown, mut by_elements) = (Vec::new(), Vec::new(), false);
        let parts = [
            ("dose", self.dose.as_ref().map(|dose| doses(dosage, dose, &sig))),
            ("frequency", self.frequency.as_ref().map(|frequency| frequencies(dosage, frequency, &sig))),
            ("route", (!self.routes.is_empty()).then(|| routes(dosage, &self.routes, &sig))),
            ("as_needed", Some(as_needed(dosage, self.as_needed, &sig))),
            ("days", self.days.map(|days| self.lengths(dosage, days, &sig))),
        ];
        for (name, forms) in parts {
            let Some(forms) = forms else { continue };
            let is = |wanted: Option<bool>| forms.iter().find(|form| form.holds == wanted);
            by_elements |=
                forms.iter().any(|form| form.holds == Some(true) && !matches!(form.place, "text" | "dosage"));
            let wanted = self.written.get(name).map_or_else(|| json!(false), Value::clone);
            match (is(Some(true)), is(Some(false))) {
                (Some(_), Some(other)) => {
                    contradiction.get_or_insert(format!("its {} says {:?}", other.place, other.said));
                }
                (None, Some(other)) => fails.push(format!("{name} is {:?}, expected {wanted}", other.said)),
                (None, None) if forms.is_empty() => fails.push(format!("{name} is nothing, expected {wanted}")),
                (None, None) => {
                    is_vague |= forms.iter().any(|form| form.lacks_unit);
                    unknown.extend(is(None).map(|form| match form.place {
                        "text" => {
                            sig.open().unwrap_or_else(|| format!("the text {:?} does not state one {name}", form.said))
                        }
                        _ if form.lacks_unit => format!("{name} is {:?} without a unit, expected {wanted}", form.said),
                        _ => format!("{name} is {:?}, and no table says whether that is {wanted}", form.said),
                    }));
                }
                (Some(_), None) if is(None).is_some_and(|form| form.place == "text") => {
                    unknown.push(format!("the text {:?} does not state one {name}", sig.text));
                }
                (Some(_), None) => {}
            }
            if let Some(form) = forms.first() {
                shown.insert(name.to_owned(), json!(form.said));
            }
        }
        // Elements that hold are opened by a text that takes them back, a text alone by any doubt.
        if fails.is_empty() && unknown.is_empty() && contradiction.is_none() {
            unknown.extend(if by_elements { sig.taken_back() } else { sig.open().filter(|_| sig.doubt.is_some()) });
        }
        let (state, because) = match (fails.is_empty(), unknown.is_empty()) {
            (false, _) => (Understanding::Fails, fails),
            (true, false) => (Understanding::Unknown, unknown),
            (true, true) => (Understanding::Holds, Vec::new()),
        };
        if !because.is_empty() {
            let mut because = because;
            because.dedup();
            shown.insert("because".to_owned(), json!(because.join("; ")));
        }
        let contradiction = contradiction.filter(|_| state == Understanding::Holds);
        let is_vague = is_vague && state == Understanding::Unknown;
        (Understood { state, actual: Value::Object(shown), contradiction }, is_vague)
    }

    fn lengths(&self, dosage: &Value, days: u64, sig: &Sig) -> Vec<Form> {
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
            let said = format!("{number} {unit}").trim().to_owned();
            let form = Form::new("timing.repeat.boundsDuration", said, own.map(|own| own == days));
            forms.push(form.of(std::iter::once(duration)));
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
        let has_bounds = repeat.is_some_and(|repeat| repeat.get("boundsPeriod").is_some());
        if forms.is_empty() && has_bounds && sig.days.is_empty() {
            forms.push(Form::new("timing.repeat.boundsPeriod", "a period", None));
        } else {
            said(&mut forms, sig, &sig.days.iter().map(|own| Some(*own == days)).collect::<Vec<_>>());
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

/// Adds the text to the forms, by what it says of a part. Next to an element that holds, a text with unknown words counts where
/// nothing in it agrees.
fn said(forms: &mut Vec<Form>, sig: &Sig, told: &[Option<bool>]) {
    let is_beside = forms.iter().any(|form| form.holds == Some(true));
    let all = |wanted: bool| !told.is_empty() && told.iter().all(|one| *one == Some(wanted));
    let holds = match sig.is_whole() {
        true if all(true) => Some(true),
        true if all(false) => Some(false),
        false if all(false) && is_beside && !sig.limits => Some(false),
        _ => None,
    };
    let has_both = sig.is_whole() && told.contains(&Some(true)) && told.contains(&Some(false));
    if holds.is_some() || has_both || forms.is_empty() && !sig.text.is_empty() {
        forms.push(Form::new("text", sig.text.clone(), holds));
    }
}

fn doses(dosage: &Value, (low, high): &(Amount, Amount), sig: &Sig) -> Vec<Form> {
    let within = |amount: &Amount| Some(amount.compare(low)?.is_ge() && amount.compare(high)?.is_le());
    let shown = |quantity: &Value| {
        let part = |name: &str| {
            quantity.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let unit = part("unit").or_else(|| part("code"));
        format!("{} {}", part("value").unwrap_or_default(), unit.unwrap_or_default()).trim().to_owned()
    };
    let of_quantity = |place, quantity: &Value| {
        let holds = Amount::of_quantity(quantity).and_then(|amount| within(&amount));
        Form::new(place, shown(quantity), holds).of(std::iter::once(quantity))
    };
    let mut forms = Vec::new();
    let rated = dosage.get("doseAndRate").and_then(Value::as_array).into_iter().flatten();
    for holder in rated.chain([dosage]) {
        for name in ["doseQuantity", "doseSimpleQuantity", "dose"] {
            forms.extend(holder.get(name).filter(|dose| dose.is_object()).map(|dose| of_quantity("dose", dose)));
        }
        if let Some(range) = holder.get("doseRange") {
            let quantities = || ["low", "high"].into_iter().filter_map(|end| range.get(end));
            let ends: Vec<Option<bool>> =
                quantities().map(|end| Amount::of_quantity(end).and_then(|amount| within(&amount))).collect();
            let holds =
                if ends.iter().all(Option::is_some) { Some(ends.iter().all(|end| *end == Some(true))) } else { None };
            forms.push(Form::new("doseRange", range.to_string(), holds).of(quantities()));
        }
    }
    // A text may name tablets as well as milligrams: only amounts of the asserted kind count.
    let (mut told, mut agrees) = (Vec::<Option<bool>>::new(), false);
    for readings in &sig.amounts {
        let all: Vec<bool> = readings.iter().filter_map(within).collect();
        agrees |= all.contains(&true);
        told.extend(all.first().map(|first| all.iter().all(|one| one == first).then_some(*first)));
    }
    // One other amount is enough to contradict an element, unless words that are not read may explain it: half of a 25 mg tablet.
    let is_beside = forms.iter().any(|form| form.holds == Some(true));
    if is_beside && told.contains(&Some(false)) {
        let may_explain = agrees && !sig.is_whole() && !sig.chooses;
        told.retain(|one| *one == Some(false) && !may_explain);
        if may_explain && sig.frequencies.len() > 1 {
            // Each amount may have its own frequency.
            forms.push(Form::new("text", sig.text.clone(), None));
        }
    }
    said(&mut forms, sig, &told);
    forms
}

fn frequencies(dosage: &Value, asserted: &Frequency, sig: &Sig) -> Vec<Form> {
    let mut forms = Vec::new();
    let holds = |own: Option<Frequency>| own.map(|own| asserted.is_met_by(&own));
    if let Some(timing) = dosage.get("timing") {
        if let Some(repeat) = timing.get("repeat") {
            let bounds_alone =
                repeat.as_object().is_some_and(|members| members.keys().all(|name| name.starts_with("bounds")));
            if !bounds_alone {
                let often = repeat.as_object().into_iter().flatten().filter(|(name, _)| !name.starts_with("bounds"));
                let shown = often.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>();
                let shown = Value::Object(shown).to_string();
                forms.push(Form::new("timing.repeat", shown, holds(Frequency::of_repeat(repeat))));
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
    let told: Vec<Option<bool>> = sig.frequencies.iter().map(|own| Some(asserted.is_met_by(own))).collect();
    let times_of_day = sig.frequencies.iter().filter(|own| own.has_time_of_day()).count();
    let is_beside = forms.iter().any(|form| form.holds == Some(true));
    // Next to an element that holds, another frequency may be that of something else: check blood pressure weekly.
    let agrees = is_beside && told.contains(&Some(true)) && times_of_day < 2 && !sig.chooses;
    if told.len() < 2 {
        said(&mut forms, sig, &told);
    } else if !agrees {
        // They may be parts of one: in the morning and at bedtime.
        forms.push(Form::new("text", sig.text.clone(), None));
    }
    forms
}

fn routes(dosage: &Value, asserted: &[&'static str], sig: &Sig) -> Vec<Form> {
    let mut forms = Vec::new();
    if let Some(route) = dosage.get("route") {
        let own = route::of_concept(route);
        let shown = route.get("text").and_then(Value::as_str).map_or_else(|| route.to_string(), str::to_owned);
        match own.as_slice() {
            [] => forms.push(Form::new("route", shown, None)),
            all => forms.extend(all.iter().map(|own| Form::new("route", *own, Some(asserted.contains(own))))),
        }
    }
    let is_one = |own: &&'static str| own.split(" or ").any(|own| asserted.contains(&own));
    said(&mut forms, sig, &sig.routes.iter().map(|own| Some(is_one(own))).collect::<Vec<_>>());
    forms
}

fn as_needed(dosage: &Value, asserted: bool, sig: &Sig) -> Vec<Form> {
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
    if sig.as_needed {
        forms.push(Form::new("text", sig.text.clone(), Some(asserted)));
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
        let all = items(values);
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

fn items(values: &[Value]) -> Vec<&Value> {
    values.iter().flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)).collect()
}

/// The first in the first of these states, else the first.
fn best(told: impl Iterator<Item = Understood>, states: &[Understanding]) -> Understood {
    let all: Vec<Understood> = told.collect();
    let of = |state: &Understanding| all.iter().find(|one| one.state == *state);
    let found = states.iter().find_map(of).or_else(|| all.first()).cloned();
    found.unwrap_or(Understood { state: Understanding::Absent, actual: Value::Null, contradiction: None })
}
