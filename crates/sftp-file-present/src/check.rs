//! The check: `observe` and `judge`.

use std::sync::Arc;

use candor_check::{
    Candidate, Check, Evidence, Failure, Field, FieldReason, FieldResult, Judgement, Judging, Meta, Operator, Reading,
    References, Sandbox, Selection, Unverifiable, Wording, conclude,
};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::content::{Content, ContentPath, Input};
use crate::format::Format;
use crate::observe::{Dropped, Seen, observe};
use crate::settings::Settings;
use crate::store::{Files, PART};

/// The assertion `sftp-file-present`.
#[derive(Clone, Debug)]
pub struct SftpFilePresent(Arc<Settings>);

impl<'de> Deserialize<'de> for SftpFilePresent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Settings::deserialize(deserializer).map(|settings| Self(Arc::new(settings)))
    }
}

impl Check for SftpFilePresent {
    const META: Meta = Meta {
        assert: "sftp-file-present",
        about: "Asserts which files were dropped, and what they hold",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        let files = sandbox.source::<Files>().await?;
        let settings = Arc::clone(&self.0);
        let name = files.store().name().to_owned();
        sandbox.blocking(&name, move || observe(&settings, files.store())).await
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        let settings = &self.0;
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
            whole: Vec::new(),
            hangs_on_all: false,
            wording: &wording,
        };
        let evidence = conclude(&judging, &seen.observation, |candidate| judgement(settings, candidate));
        evidence.with("matchedPaths", json!(seen.matched))
    }
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
        let actual = candidate.source.sha256.as_ref();
        constrain(FieldResult::constraint("$sha256", json!(expected), json!(actual), actual == Some(expected)));
    }
    if let Some((charset, name)) = &settings.encoding {
        let bytes = file.content.as_ref().map(|content| content.0.as_slice()).unwrap_or_default();
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
    if settings.no_partials {
        constrain(FieldResult::constraint("$partials", json!([]), json!(file.partials), file.partials.is_empty()));
    }
    judgement.fields = fields(settings, candidate);
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

fn fields(settings: &Settings, candidate: &Candidate<Dropped>) -> Vec<FieldResult> {
    if settings.fields.is_empty() {
        return Vec::new();
    }
    let references = References::default();
    let reading = Reading { locator: &candidate.source.locator, span: None, references: &references };
    if let Some(pages) = &candidate.content.pages {
        let pages = pages.clone().joined();
        return settings.fields.iter().map(|field| pages.evaluate(field, reading)).collect();
    }
    let bytes = candidate.content.content.as_ref().map(|content| content.0.as_slice()).unwrap_or_default();
    let format = settings.format.or_else(|| Format::of_path(&candidate.content.path).ok()).unwrap_or(Format::Bytes);
    let charset = settings.encoding.as_ref().map(|(charset, _)| *charset);
    // What `observe` found that it can be read.
    let input = Input::new(bytes, format, charset).ok();
    let content = input.as_ref().and_then(|input| Some((input, input.parse(format, &settings.shape).ok()?)));
    let evaluated = |field: &Field<ContentPath>| match &content {
        Some((input, content)) => {
            let selection = input.locate(content.select(&field.path));
            let result =
                |field: &Field<ContentPath>, selection| field.evaluate_dated(selection, reading, content.dates());
            match content {
                Content::Hl7(_) | Content::X12(_) => result(&field.clone().where_empty_is_nothing(), selection),
                Content::Text(text) => pinpointed(result(field, selection), text, input),
                _ => result(field, selection),
            }
        }
        None => field.evaluate(Selection::default(), reading),
    };
    settings.fields.iter().map(evaluated).collect()
}

/// The result with the place in a text that decided it, where a part of the text did.
fn pinpointed(mut result: FieldResult, text: &str, input: &Input<'_>) -> FieldResult {
    let holds = match result.operator {
        Operator::Contains => result.passed,
        Operator::NotContains => !result.passed && result.reason.is_none(),
        _ => false,
    };
    // Under a rule the part may be written otherwise than it stands there.
    let at = result.expected.as_str().filter(|_| holds).and_then(|part| Some((text.find(part)?, part.len())));
    if let (Some((start, length)), Some(source)) = (at, &mut result.source) {
        let place = input.place(start as u64..(start + length) as u64);
        source.span = Some((place.start, place.end));
    }
    result
}
