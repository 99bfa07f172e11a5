//! From the files that were seen to evidence: what was kept is parsed again and compared. Pure.

use std::borrow::Cow;

use candor_check::compare::{DateForm, Datum, Operator, References};
use candor_check::field::{Field, FieldReason, FieldResult, Found, ReadFrom, Selection, judge_entries};
use candor_check::records::{Candidate, Judgement, Judging, Wording, conclude};
use candor_check::{Evidence, Failure};
use candor_json::{Value, json};
use jiff::Timestamp;

use crate::content::{Content, ContentPath, Input};
use crate::format::Format;
use crate::hygiene::{
    Captures, Unique, companion_results, control_results, forbidden_result, unique_result, unique_rows_result,
};
use crate::items::FileThing;
use crate::seen::{Dropped, Seen};
use crate::settings::Settings;
use crate::trailer::input;
use crate::unproven::unproven_field;

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let wording = Wording {
        one: "file".to_owned(),
        several: "files".to_owned(),
        selected_by: format!("matching {:?}", settings.glob.as_str()),
        place: seen.place.clone(),
        field: "field",
    };
    let judging = Judging {
        rules: settings.rules,
        asserts_content: settings.asserts_content(),
        whole: together(settings, seen),
        hangs_on_all: false,
        wording: &wording,
    };
    let evidence = conclude(&judging, &seen.observation, |candidate| judgement(settings, candidate));
    evidence.with("matchedPaths", json!(seen.matched))
}

fn together(settings: &Settings, seen: &Seen) -> Vec<(Failure, FieldResult)> {
    let candidates = &seen.observation.candidates;
    let unique = settings.unique.as_ref().filter(|_| !candidates.is_empty()).map(|unique| match unique {
        Unique::Content => unique_result(candidates),
        Unique::Rows(columns) => unique_rows_result(settings, columns, candidates),
    });
    let sequence = settings.name.as_ref().and_then(|rule| rule.in_sequence(&seen.matched));
    let forbidden = (!settings.none.is_empty()).then(|| forbidden_result(&seen.forbidden.clone().unwrap_or_default()));
    unique.into_iter().chain(sequence).chain(forbidden).collect()
}

fn judgement(settings: &Settings, candidate: &Candidate<Dropped>) -> Judgement {
    let file = &candidate.content;
    let mut judgement = Judgement::default();
    let place = candidate.source.place();
    let mut constrain = |result: FieldResult| {
        judgement.constraints.push((Failure::FieldMismatch, result.at(place.clone())));
    };
    if let Some(size) = settings.size {
        let fits = size.min.is_none_or(|min| file.bytes >= min) && size.max.is_none_or(|max| file.bytes <= max);
        let (operator, expected) = bounds(size.min.map(Value::from), size.max.map(Value::from));
        constrain(FieldResult::constraint("$bytes", expected, json!(file.bytes), fits).with_operator(operator));
    }
    if let Some(expected) = &settings.sha256 {
        let actual = candidate.source.sha256.as_deref();
        let is_it = actual == Some(expected.as_str());
        constrain(FieldResult::constraint("$sha256", json!(expected), json!(actual), is_it));
    }
    if let Some((charset, name)) = &settings.encoding {
        let bytes = file.content.as_ref().map(|content| &*content.0).unwrap_or_default();
        let actual = match charset.decode(bytes).invalid {
            None => name.clone(),
            Some(at) => format!("bytes that are not {name}, the first at byte {at}"),
        };
        let valid = file.content.is_some() && actual == *name;
        constrain(FieldResult::constraint("$encoding", json!(name), json!(actual), valid));
    }
    if settings.modified_after.is_some() || settings.modified_before.is_some() {
        constrain(modified(settings, file));
    }
    if let Some(arrived) = &settings.arrived {
        constrain(arrived.result(file.modified.as_deref()));
    }
    if let Some(name) = &settings.name {
        constrain(name.pattern.result(&file.path));
    }
    if let (Some(pgp), Some(seen)) = (&settings.pgp, &file.pgp) {
        pgp.results(seen).into_iter().for_each(&mut constrain);
    }
    if settings.no_partials {
        let partials = &file.beside.partials;
        constrain(FieldResult::constraint("$partials", json!([]), json!(partials), partials.is_empty()));
    }
    if let Some(stable) = &settings.stable {
        constrain(match &file.beside.looks {
            Some(looks) => stable.result(looks),
            None => {
                FieldResult::constraint("$stable", Value::Null, Value::Null, false).because(FieldReason::Undecidable)
            }
        });
    }
    if !settings.companions.is_empty() {
        companion_results(&file.beside.companions).for_each(&mut constrain);
    }
    // What could not be opened failed before, by whom it is encrypted to.
    if !file.is_closed {
        read_content(settings, candidate, &mut judgement);
    }
    judgement
}

fn bounds(low: Option<Value>, high: Option<Value>) -> (Operator, Value) {
    match (low, high) {
        (Some(low), Some(high)) => (Operator::Between, json!([low, high])),
        (Some(low), None) => (Operator::GreaterOrEqual, low),
        (None, high) => (Operator::LessOrEqual, high.unwrap_or_default()),
    }
}

/// When the file was last modified, both bounds included.
fn modified(settings: &Settings, file: &Dropped) -> FieldResult {
    let text = |bound: &Option<(Timestamp, String)>| bound.as_ref().map(|(_, text)| json!(text));
    let (operator, expected) = bounds(text(&settings.modified_after), text(&settings.modified_before));
    let actual = file.modified.as_deref().and_then(|text| text.parse::<Timestamp>().ok());
    let fits = actual.is_some_and(|actual| {
        settings.modified_after.as_ref().is_none_or(|(after, _)| actual >= *after)
            && settings.modified_before.as_ref().is_none_or(|(before, _)| actual <= *before)
    });
    let result = FieldResult::constraint("$modified", expected, json!(file.modified), fits).with_operator(operator);
    if actual.is_none() { result.because(FieldReason::Undecidable) } else { result }
}

fn read_content(settings: &Settings, candidate: &Candidate<Dropped>, judgement: &mut Judgement) {
    if settings.fields.is_empty() && settings.control.is_none() {
        return;
    }
    let file = &candidate.content;
    let named = settings.name.as_ref().and_then(|rule| rule.pattern.captures(&file.path)).unwrap_or_default();
    let references = References::default();
    let reading = ReadFrom { locator: &candidate.source.locator, span: None, references: &references };
    if let Some(pages) = &file.pages {
        let pages = pages.clone().joined();
        let whole = |field: &Field<ContentPath>| {
            of_name(field, &named, reading).unwrap_or_else(|| pages.evaluate(field, reading))
        };
        judge_fields(settings, &FileThing::file(None, reading, &whole, file.unwrapped), judgement);
    }
    let bytes = file.content.as_ref().map(|content| &*content.0).unwrap_or_default();
    let format = settings.format_of(&file.path).unwrap_or(Format::Bytes);
    // What `observe` found that it can be read.
    let parses = settings.parses_content() && file.pages.is_none();
    let (input, trailer) = parses.then(|| input(settings, bytes, format).ok()).flatten().unzip();
    let content = input.as_ref().and_then(|input| Some((input, input.parse(format, &settings.shape).ok()?)));
    if file.pages.is_none() {
        let content = content.as_ref().map(|(input, content)| (*input, content));
        let whole = |field: &Field<ContentPath>| {
            of_name(field, &named, reading).unwrap_or_else(|| evaluated(field, content, file.unwrapped, reading))
        };
        judge_fields(settings, &FileThing::file(content, reading, &whole, file.unwrapped), judgement);
    }
    if let Some(control) = &settings.control {
        let seen = file.beside.control.as_ref();
        let content = content.as_ref().map(|(_, content)| content);
        let results = control_results(control, content, trailer.flatten().as_deref(), seen, &settings.shape);
        let place = candidate.source.place();
        judgement.constraints.extend(results.into_iter().map(|r| (Failure::FieldMismatch, r.at(place.clone()))));
    }
}

fn judge_fields(settings: &Settings, thing: &FileThing<'_, '_>, judgement: &mut Judgement) {
    for judged in judge_entries(&settings.fields, thing) {
        judgement.fields.extend(judged.results);
        judgement.explained.extend(judged.explained);
    }
}

/// A field over what the name of the file says; nothing where it reads the content.
fn of_name(field: &Field<ContentPath>, named: &Captures, reading: ReadFrom<'_>) -> Option<FieldResult> {
    let name = field.path.name.as_ref()?;
    let found = |(_, value): &(String, Value)| Found { datum: Datum::Json(Cow::Owned(value.clone())), span: None };
    let found = named.iter().filter(|(place, _)| place == name).map(found);
    Some(field.evaluate_dated(Selection::texts(found.collect()), reading, &[DateForm::Iso]))
}

/// A field over the content. What was unwrapped has no places in the file.
fn evaluated(
    field: &Field<ContentPath>,
    content: Option<(&Input<'_>, &Content<'_>)>,
    unwrapped: bool,
    reading: ReadFrom<'_>,
) -> FieldResult {
    let Some((input, content)) = content else { return field.evaluate(Selection::default(), reading) };
    // Another list of a `one_of` may pass.
    let mut selection = match unproven_field(field, content).is_some() {
        true => Selection::open(),
        false => input.locate(content.select(&field.path)),
    };
    if unwrapped {
        selection.values.iter_mut().for_each(|found| found.span = None);
    }
    match content {
        Content::Hl7(_) | Content::X12(_) => {
            field.clone().where_empty_is_nothing().evaluate_dated(selection, reading, content.dates())
        }
        Content::Text(text) if !unwrapped => {
            pinpointed(field.evaluate_dated(selection, reading, content.dates()), text, input)
        }
        _ => field.evaluate_dated(selection, reading, content.dates()),
    }
}

/// The result with the place in a text that decided it, where a part of the text did.
fn pinpointed(mut result: FieldResult, text: &str, input: &Input<'_>) -> FieldResult {
    let holds = match result.operator {
        Operator::Contains => result.passed,
        Operator::NotContains => !result.passed && result.reason.is_none(),
        _ => false,
    };
    // Under a rule the part may be written otherwise than it is there.
    let at = result.expected.as_str().filter(|_| holds).and_then(|part| Some((text.find(part)?, part.len())));
    if let (Some((start, length)), Some(source)) = (at, &mut result.source) {
        let place = input.place(start as u64..(start + length) as u64);
        source.span = Some((place.start, place.end));
    }
    result
}
