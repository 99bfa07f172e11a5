//! From the rows that were seen to evidence. Pure.

use candor_check::compare::{Operator, References};
use candor_check::evidence::{Candidates, Entry};
use candor_check::field::{FieldResult, ReadFrom, judge_entries};
use candor_check::records::{Asserting, Candidate, Judgement, Judging, Observation, RecordRules, Wording, conclude};
use candor_check::settings::{Cardinality, nearest};
use candor_check::{Evidence, Failure, Share, Status};
use candor_json::{Value, json};

use crate::history::{Histories, HistorySettings, agreed, histories};
use crate::items::RowThing;
use crate::rows::Content;
use crate::safety;
use crate::seen::{Missing, Seen};
use crate::settings::Settings;
use crate::unique::Unique;

/// The most names that a sentence lists.
const MOST_NAMES: usize = 12;

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let resource = &settings.correlate_by.resource;
    let wording = Wording {
        one: format!("{resource} row"),
        several: format!("{resource} rows"),
        selected_by: settings.correlate_by.described(),
        place: if seen.place.is_empty() { "portal/".to_owned() } else { seen.place.clone() },
        field: "assertion",
    };
    let evidence = match &settings.history {
        Some(history) if !seen.rows.candidates.is_empty() => judge_histories(settings, history, seen, &wording),
        _ => judge_rows(settings, seen, &wording),
    };
    match &seen.missing {
        // What could not be read may hold what is missing.
        Some(missing) if evidence.status() != Status::Unverifiable => without(settings, missing, &wording, &seen.rows),
        _ => evidence,
    }
}

fn judge_rows(settings: &Settings, seen: &Seen, wording: &Wording) -> Evidence {
    let rows = &seen.rows;
    let unique = |unique: &Unique| unique.judge(&rows.candidates.iter().map(|row| vec![row]).collect::<Vec<_>>());
    let judging = Judging {
        rules: RecordRules { matching: settings.matching, count: settings.count },
        asserts_content: !settings.assertions.is_empty(),
        wording,
        whole: settings.unique.iter().filter(|_| !rows.candidates.is_empty()).map(unique).collect(),
        // Behind what could not be read may be a further row of a history.
        hangs_on_all: settings.history.is_some(),
    };
    conclude(&judging, rows, |row| judge_row(settings, seen, row))
}

/// The assertions are about the last row of each history.
fn judge_histories(settings: &Settings, asserted: &HistorySettings, seen: &Seen, wording: &Wording) -> Evidence {
    let Histories { observation, doubts } = histories(&seen.rows, asserted);
    let resource = &settings.correlate_by.resource;
    let wording =
        Wording { one: format!("{resource} history"), several: format!("{resource} histories"), ..wording.clone() };
    let lasts = || observation.candidates.iter().map(|history| history.content.last()).collect::<Vec<_>>();
    let unique = |unique: &Unique| unique.judge(&lasts());
    let states = asserted.sequence.is_some() || asserted.never.is_some();
    let judging = Judging {
        rules: RecordRules { matching: settings.matching, count: settings.count },
        asserts_content: states || !settings.assertions.is_empty(),
        wording: &wording,
        whole: settings.unique.iter().filter(|_| !observation.candidates.is_empty()).map(unique).collect(),
        hangs_on_all: true,
    };
    let evidence = conclude(&judging, &observation, |candidate| {
        let history = &candidate.content;
        let last = agreed(history.last().into_iter().map(|row| judge_row(settings, seen, row)).collect());
        let of_step = || {
            history.unsafe_step(asserted, &settings.synonyms, |row, column, states| {
                safety::unsafe_step(settings, &asserting(settings, seen), seen.observed_at, row, column, states)
            })
        };
        let unsafe_match = last.unsafe_match.clone().or_else(of_step);
        Judgement { constraints: history.judge(asserted, &settings.synonyms), unsafe_match, ..last }
    });
    let undecided = |entry: &Entry| matches!(entry, Entry::Field(field) if field.is_undecidable());
    match doubts.first().filter(|_| evidence.results.iter().any(undecided)) {
        Some(doubt) => evidence.adding(doubt),
        None => evidence,
    }
}

fn judge_row(settings: &Settings, seen: &Seen, row: &Candidate<Content>) -> Judgement {
    let references = References::default();
    let reading = ReadFrom { locator: &row.source.locator, span: row.source.span, references: &references };
    let thing = RowThing { row: &row.content, synonyms: &settings.synonyms, reading, item: None };
    let (mut fields, mut explained, mut of_row) = (Vec::new(), Vec::new(), Vec::new());
    for judged in judge_entries(&settings.assertions, &thing) {
        fields.extend(judged.results);
        explained.extend(judged.explained);
        of_row.extend(judged.notes.into_iter().filter(|noted| noted.note).map(|noted| (noted.field, noted.passed)));
    }
    let unsafe_match = safety::unsafe_row(settings, &asserting(settings, seen), seen.observed_at, row, &of_row);
    Judgement { fields, unsafe_match, explained, ..Judgement::default() }
}

fn asserting(settings: &Settings, seen: &Seen) -> Asserting {
    let rules = RecordRules { matching: settings.matching, count: settings.count };
    Asserting::new(settings.allow_modifiers, rules, true, seen.rows.environment)
}

/// A resource or a column that is not there has no candidates, and not even their absence was observed.
fn without(settings: &Settings, missing: &Missing, wording: &Wording, rows: &Observation<Content>) -> Evidence {
    let (result, why) = match missing {
        Missing::Resource(known) => {
            let name = &settings.correlate_by.resource;
            let why = format!("there is no resource `{name}`{}", instead(name, known, "resources"));
            (FieldResult::constraint("$resource", json!(name), Value::Null, false), why)
        }
        Missing::Column(name, known) => {
            let why = format!("no row has a column `{name}`{}", instead(name, known, "columns"));
            (FieldResult::constraint("$column", json!(name), Value::Null, false), why)
        }
    };
    let asked = settings.count.unwrap_or(Cardinality::SOME);
    let count = FieldResult::constraint("$count", asked.to_value(), json!(0), asked.allows(0));
    let results = vec![count.with_operator(Operator::Count).into(), result.into()];
    let selected = if wording.selected_by.is_empty() { String::new() } else { format!(" {}", wording.selected_by) };
    let details = format!("no {}{selected} in {}: {why}.", wording.one, wording.place);
    let details = rows.notes.iter().take(3).fold(details, |details, note| format!("{details} {note}"));
    let candidates = Candidates { considered: rows.considered, matched: 0, nearest: None };
    Evidence::failed(Failure::NoCandidate, Share::default(), results, details).over(candidates, Vec::new())
}

fn instead(name: &str, known: &[String], what: &str) -> String {
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let meant = nearest(name, &names).map(|near| format!("; did you mean `{near}`?"));
    let listed = || match names.as_slice() {
        [] => String::new(),
        names => {
            let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
            let more = if names.len() > MOST_NAMES { " and others" } else { "" };
            format!("; the {what} are {}{more}", shown.join(", "))
        }
    };
    meant.unwrap_or_else(listed)
}
