//! CSV for spreadsheets: a line for each field result.

use candor_json::Value;
use csv::WriterBuilder;

use crate::model::{CriterionRun, Entry, Place, TaskRun, record_at};
use crate::{numbers, plain};

const COLUMNS: [&str; 17] = [
    "task",
    "criterion",
    "label",
    "axis",
    "weight",
    "status",
    "score",
    "reason",
    "path",
    "op",
    "expected",
    "actual",
    "passed",
    "place",
    "bytes",
    "details",
    "record",
];

/// A table as CSV, a row a line. Control characters are visible escapes, and no cell is a formula to a spreadsheet: text that
/// begins like one has an apostrophe before it.
///
/// ```
/// let table = candor_report::csv_table(&["path", "actual"], [vec!["PID.7".to_owned(), "=1+1".to_owned()]]);
/// assert_eq!(table, b"path,actual\nPID.7,'=1+1\n");
/// ```
#[must_use]
pub fn csv_table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing into a vector does not fail.
    let _ = writer.write_record(columns);
    for row in rows {
        let _ = writer.write_record(row.iter().map(|cell| harmless(cell)));
    }
    writer.into_inner().unwrap_or_default()
}

fn harmless(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    format!("{}{}", if is_formula { "'" } else { "" }, plain(cell))
}

pub(crate) fn task_runs(runs: &[&TaskRun]) -> Vec<u8> {
    csv_table(&COLUMNS, runs.iter().flat_map(|run| task_run(run)))
}

fn task_run(run: &TaskRun) -> Vec<Vec<String>> {
    let task = run.shown_id().unwrap_or_default().to_owned();
    if run.scored || run.criterion_runs.is_none() {
        let outcome = &run.outcome;
        let failures = outcome.failures.as_ref().filter(|_| !run.scored);
        let named = failures.map(|failures| format!(", {}", numbers::failures(failures, str::to_owned)));
        let verdict = outcome.verdict.as_str().to_owned() + &named.unwrap_or_default();
        let mut row = vec![task, String::new(), "verdict".to_owned(), String::new(), String::new()];
        row.extend([run.status().name().to_owned(), outcome.score.to_string()]);
        row.extend(std::iter::repeat_n(String::new(), 8));
        row.extend([verdict, String::new()]);
        return vec![row];
    }
    run.criteria().iter().flat_map(|criterion| criterion_run(&task, criterion)).collect()
}

/// A line for each result of a criterion; one line for a criterion without any.
fn criterion_run(task: &str, run: &CriterionRun) -> Vec<Vec<String>> {
    let own = [
        task.to_owned(),
        run.criterion_id.clone(),
        run.label.clone(),
        run.axis.clone().unwrap_or_default(),
        run.weight.clone(),
        run.status.name().to_owned(),
        run.score.to_string(),
    ];
    let entries = run.entries();
    let records = run.records();
    let record =
        |place: Option<&Place>| place.and_then(|place| record_at(&records, place)).unwrap_or_default().to_owned();
    let results: Vec<([String; 8], String)> = match entries.as_slice() {
        [] => {
            let place = run.nearest().map(|nearest| nearest.place);
            let [at, bytes] = placed(place.as_ref());
            let empty = String::new;
            let reason = run.reason.clone().unwrap_or_default();
            vec![([reason, empty(), empty(), empty(), empty(), empty(), at, bytes], record(place.as_ref()))]
        }
        entries => entries.iter().map(|entry| (result(run, entry), record(entry.source()))).collect(),
    };
    let line = |(result, record): ([String; 8], String)| {
        own.iter().cloned().chain(result).chain([run.details.clone(), record]).collect()
    };
    results.into_iter().map(line).collect()
}

fn result(run: &CriterionRun, entry: &Entry) -> [String; 8] {
    let [place, bytes] = placed(entry.source());
    let passed = entry.passed().to_string();
    // A result that passed has no reason of its own, and none of its criterion's.
    let reason = |own: &Option<String>| match (own, entry.passed()) {
        (Some(reason), _) => reason.clone(),
        (None, true) => String::new(),
        (None, false) => run.reason.clone().unwrap_or_default(),
    };
    match entry {
        Entry::Field(field) => {
            let op = field.op.clone().unwrap_or_else(|| "equals".to_owned());
            let (expected, actual) = (value(&field.expected), value(&field.actual));
            [reason(&field.reason), field.path.clone(), op, expected, actual, passed, place, bytes]
        }
        Entry::Phrase(phrase) => {
            let op = if phrase.forbidden { "not_contains" } else { "contains" };
            let path = phrase.turn.map(|turn| format!("turn {turn}")).unwrap_or_default();
            let quote = phrase.quote.clone().unwrap_or_default();
            [reason(&phrase.reason), path, op.to_owned(), phrase.phrase.clone(), quote, passed, place, bytes]
        }
    }
}

fn placed(place: Option<&Place>) -> [String; 2] {
    let bytes = place.and_then(|place| place.span).map(|(start, end)| format!("{start}..{end}"));
    [place.map(|place| place.locator.clone()).unwrap_or_default(), bytes.unwrap_or_default()]
}

/// Text as it is, nothing as nothing, all else as JSON.
fn value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
