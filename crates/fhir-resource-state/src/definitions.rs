//! Fields against FHIR's definitions: elements that a type has in no release, and codes that its binding does not allow.

mod paths;

use candor_check::compare::{CompareAs, Date, Rule, normalized};
use candor_check::field::{Expected, Field, FieldEntry, FieldPath as _, ItemGroup};
use candor_check::review::{Weakness, WeaknessKind};
use candor_check::settings::placed;
use candor_fhirpath::definitions::{Codes, Position, Releases};
use candor_json::Value;

use crate::path::FhirPath;
pub(crate) use paths::shape;
use paths::steps;

/// So many codes are named where none is like the one that was written.
const NAMED: usize = 12;

struct Defined {
    end: Position,
    /// Elements on the way that R4 does not have.
    later: Vec<(String, Position)>,
}

/// Refuses fields and groups that no resource of the type can meet as their author meant them.
pub(crate) fn check_all(resource_type: &str, entries: &[FieldEntry<FhirPath>]) -> Result<(), String> {
    let from = From { resource_type, start: Position::of(resource_type) };
    from.check_list("fields", entries).map_err(|(place, message)| placed(&place, &message))
}

/// The fault, and its place in the assertion.
type Misplaced = (String, String);

/// Where paths begin: at the resource, or at the items of a group.
struct From<'t> {
    resource_type: &'t str,
    start: Position,
}

impl From<'_> {
    fn check_list(&self, name: &str, entries: &[FieldEntry<FhirPath>]) -> Result<(), Misplaced> {
        for (index, entry) in entries.iter().enumerate() {
            let place = format!("{name}[{index}]");
            match entry {
                FieldEntry::Field(field) => check(self, field).map_err(|message| (place, message))?,
                FieldEntry::Group(group) => {
                    let inside = self.inside(group).map_err(|message| (format!("{place}.item"), message))?.inside;
                    inside.check_list(&format!("{place}.where"), &group.conditions)?;
                    inside.check_list(&format!("{place}.fields"), &group.fields)?;
                }
                FieldEntry::OneOf(one) => {
                    for (number, list) in one.lists.iter().enumerate() {
                        self.check_list(&format!("{place}.one_of[{number}]"), list)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn inside(&self, group: &ItemGroup<FhirPath>) -> Result<Inside<'_>, String> {
        let Defined { end, later } = Defined::of_path(self, "item", &group.item_text, &group.item)?;
        Ok(Inside { inside: From { resource_type: self.resource_type, start: end }, later })
    }

    fn notes(&self, place: &str, entry: &FieldEntry<FhirPath>) -> Vec<Weakness> {
        match entry {
            FieldEntry::Field(field) => notes(self, place, field),
            FieldEntry::Group(group) => {
                let Ok(Inside { inside, later }) = self.inside(group) else { return Vec::new() };
                let mut found: Vec<Weakness> =
                    later.iter().map(|element| of_later(element, &format!("{place}.item"))).collect();
                for (list, entries) in [("where", &group.conditions), ("fields", &group.fields)] {
                    let each = entries.iter().enumerate();
                    found.extend(each.flat_map(|(at, entry)| inside.notes(&format!("{place}.{list}[{at}]"), entry)));
                }
                found
            }
            FieldEntry::OneOf(one) => {
                let list = |(number, list): (usize, &Vec<FieldEntry<FhirPath>>)| {
                    let each = list.iter().enumerate();
                    each.flat_map(|(at, entry)| self.notes(&format!("{place}.one_of[{number}][{at}]"), entry))
                        .collect::<Vec<_>>()
                };
                one.lists.iter().enumerate().flat_map(list).collect()
            }
        }
    }
}

struct Inside<'t> {
    inside: From<'t>,
    /// Elements on the way that R4 does not have.
    later: Vec<(String, Position)>,
}

fn of_later((name, position): &(String, Position), place: &str) -> Weakness {
    let message = format!("`{name}` is an element of {}, and not of R4", position.releases());
    Weakness::new(WeaknessKind::OtherRelease, place, message)
}

fn check(from: &From<'_>, field: &Field<FhirPath>) -> Result<(), String> {
    let defined = Defined::of(from, field)?;
    if let Some(text) = no_date(field, &defined) {
        return Err(format!(
            "expected `{text}`: `{}` is a date, and this text is not one; write `2026-11-20`",
            field.path_text
        ));
    }
    if let Expected::Meaning(meaning) = &field.expected {
        return has_meaning(field, meaning.member(), &defined);
    }
    let Some(codes) = bound(field, &defined) else { return Ok(()) };
    match expected_codes(field).into_iter().find(|code| releases(field, &codes, code).is_none()) {
        Some(code) => Err(unknown_code(field, &codes, code)),
        None => Ok(()),
    }
}

/// Refuses a meaning that no value of the element has.
fn has_meaning(field: &Field<FhirPath>, member: &str, defined: &Defined) -> Result<(), String> {
    const CODED: [&str; 6] = ["CodeableConcept", "Coding", "CodeableReference", "Reference", "code", "string"];
    let Some(types) = defined.end.types().filter(|types| !types.is_empty()) else { return Ok(()) };
    let known: &[&str] = if member == "dosage" { &["Dosage", "BackboneElement"] } else { &CODED };
    if types.iter().any(|of| known.contains(&of.name())) {
        return Ok(());
    }
    let found: Vec<&str> = types.iter().map(|of| of.name()).collect();
    let what = if member == "dosage" { "which is not a dosage" } else { "which is not coded" };
    Err(format!("`{member}`: `{}` is {}, {what}", field.path_text, found.join(" or ")))
}

/// The first text that a field expects of a date and that is not a date.
fn no_date<'f>(field: &'f Field<FhirPath>, defined: &Defined) -> Option<&'f str> {
    const DATES: [&str; 3] = ["date", "dateTime", "instant"];
    let types = defined.end.types().filter(|types| !types.is_empty())?;
    let are_dates = field.rules.is_empty() && types.iter().all(|of| DATES.contains(&of.name()));
    let is_none =
        |text: &&str| !text.is_empty() && FhirPath::DATES.iter().all(|form| Date::parse(text, *form).is_none());
    expected_codes(field).into_iter().filter(|_| are_dates).find(is_none)
}

/// Elements and codes of a field that only later releases have: not wrong, but never met by resources of R4.
pub(crate) fn notes_of(resource_type: &str, entries: &[FieldEntry<FhirPath>]) -> Vec<Weakness> {
    let from = From { resource_type, start: Position::of(resource_type) };
    let notes = |(index, entry): (usize, _)| from.notes(&format!("fields[{index}]"), entry);
    entries.iter().enumerate().flat_map(notes).collect()
}

fn notes(from: &From<'_>, place: &str, field: &Field<FhirPath>) -> Vec<Weakness> {
    // The name of a choice without its type is an element of a later release, too.
    if matches!(field.expected, Expected::Meaning(_)) {
        return Vec::new();
    }
    let Ok(defined) = Defined::of(from, field) else { return Vec::new() };
    let note = |member: &str, message| Weakness::new(WeaknessKind::OtherRelease, format!("{place}.{member}"), message);
    let path = if field.path.expression().is_some() { "fhirpath" } else { "path" };
    let mut notes: Vec<Weakness> =
        defined.later.iter().map(|element| of_later(element, &format!("{place}.{path}"))).collect();
    if let Some(codes) = bound(field, &defined) {
        notes.extend(expected_codes(field).into_iter().filter_map(|code| {
            let releases = releases(field, &codes, code).filter(|releases| !releases.has_r4())?;
            Some(note("expected", format!("`{code}` is a code of {} in {releases}, and not in R4", codes.element())))
        }));
    }
    notes
}

/// Returns `true` if no element on a path repeats.
pub(crate) fn is_single(resource_type: &str, path: &[&str]) -> bool {
    let mut at = Position::of(resource_type);
    path.iter().all(|name| match at.member(name) {
        Ok(next) => {
            at = next;
            !at.repeats()
        }
        Err(_) => false,
    })
}

/// The codes of R4 that an element at the root of a type may have, if its binding is required.
pub(crate) fn codes_of(resource_type: &str, element: &str) -> Vec<&'static str> {
    let codes = Codes::of(&format!("{resource_type}.{element}"));
    let in_r4 = |codes: &Codes, code: &str| codes.releases(code).is_some_and(Releases::has_r4);
    codes.map(|codes| codes.iter().filter(|code| in_r4(&codes, code)).collect()).unwrap_or_default()
}

impl Defined {
    fn of(from: &From<'_>, field: &Field<FhirPath>) -> Result<Self, String> {
        let member = if field.path.expression().is_some() { "fhirpath" } else { "path" };
        Self::of_path(from, member, &field.path_text, &field.path)
    }

    fn of_path(from: &From<'_>, member: &str, text: &str, path: &FhirPath) -> Result<Self, String> {
        match path {
            FhirPath::Expression(expression) => {
                let reach = expression.reach_from(&from.start, from.resource_type);
                if let Some((at, unknown)) = reach.unknown.first() {
                    return Err(sentence(member, text, *at, unknown));
                }
                if let Some((at, never)) = reach.never_equal.first() {
                    return Err(sentence(member, text, *at, never));
                }
                let later = reach.later.into_iter().map(|(_, name, position)| (name, position)).collect();
                Ok(Self { end: reach.result, later })
            }
            FhirPath::Plain(_) => {
                let mut defined = Self { end: from.start.clone(), later: Vec::new() };
                for (at, name) in steps(text) {
                    let Some(name) = name else { return Ok(Self { end: Position::open(), ..defined }) };
                    defined.end = defined.end.member(name).map_err(|unknown| sentence(member, text, at, &unknown))?;
                    if !defined.end.releases().has_r4() {
                        defined.later.push((name.to_owned(), defined.end.clone()));
                    }
                }
                Ok(defined)
            }
        }
    }
}

fn sentence(member: &str, text: &str, at: usize, problem: &dyn std::error::Error) -> String {
    let characters = text.char_indices().take_while(|(offset, _)| *offset < at).count();
    format!("{member} `{text}`, at character {}: {problem}", characters + 1)
}

/// The codes that the element at the end of a field's path may have, where the field compares codes.
fn bound(field: &Field<FhirPath>, defined: &Defined) -> Option<Codes> {
    let as_text = field.read_as.is_none_or(|kind| kind == CompareAs::String);
    defined.end.codes().filter(|_| as_text)
}

fn expected_codes(field: &Field<FhirPath>) -> Vec<&str> {
    let values: Vec<&Value> = match &field.expected {
        Expected::Equals(Value::Array(values)) | Expected::NotEquals(Value::Array(values)) => values.iter().collect(),
        Expected::Equals(value) | Expected::NotEquals(value) => vec![value],
        Expected::In(values) | Expected::NotIn(values) => values.iter().collect(),
        _ => Vec::new(),
    };
    let codes = values.into_iter().filter_map(Value::as_str);
    if field.rules.contains(&Rule::Code) {
        // Written `system|code`.
        return codes.map(|code| code.rsplit('|').next().unwrap_or(code)).collect();
    }
    codes.collect()
}

/// The releases that have a code, under the field's rules: `case` finds `active` in `ACTIVE`.
fn releases(field: &Field<FhirPath>, codes: &Codes, code: &str) -> Option<Releases> {
    codes.releases(code).or_else(|| {
        let written = normalized(&field.rules, code);
        codes.iter().find(|known| normalized(&field.rules, known) == written).and_then(|known| codes.releases(known))
    })
}

fn unknown_code(field: &Field<FhirPath>, codes: &Codes, code: &str) -> String {
    let advice = match codes.nearest(code) {
        Some(near) if near.eq_ignore_ascii_case(code) => format!("codes have a case: did you mean `{near}`?"),
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let mut known: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
            known.sort_unstable();
            known.dedup();
            let more = if known.len() > NAMED { " and others" } else { "" };
            known.truncate(NAMED);
            format!("it has {}{more}", known.join(", "))
        }
    };
    format!("`expected` of `{}` is {code:?}, which is not a code of {}; {advice}", field.path_text, codes.element())
}
