//! The results of an agent over a benchmark: tasks and epochs as a table, read line by line out of a results file.

mod shortened;

use std::collections::HashMap;

use candor_check::Status;
use candor_json::{Value, json};
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};
use candor_scoring::{BenchmarkResult, BenchmarkScorer};
use serde::Deserialize;

use crate::model::BenchmarkOutcome;
use crate::text::layout::{Color, fitted, painted, wrapped};
use crate::text::{AGAIN, CRITERIA, benchmark_statistics, mark};
use crate::{Style, numbers, plain};
use shortened::shortened;

/// A line of a results file: the task run of an entry in an epoch, as far as a table needs it.
#[derive(Debug, Deserialize)]
pub struct BenchLine {
    /// The benchmark's id.
    pub benchmark_id: String,
    /// The digest of the benchmark's entries, tasks and worlds.
    pub benchmark_digest: String,
    /// The digest of the agent's command, or of its URL.
    pub command_digest: String,
    /// The entry's id.
    pub entry: String,
    /// The epoch, counted from 1.
    pub epoch: u32,
    /// Who did the work.
    pub delegate_id: String,
    world: String,
    kept: Option<String>,
    seconds: f64,
    last_score: Option<f64>,
    attempts: u32,
    verdict: String,
    conclusive: bool,
    score: f64,
    criterion_runs: Vec<Criterion>,
}

#[derive(Debug, Deserialize)]
struct Criterion {
    label: String,
    status: String,
    details: String,
}

impl BenchLine {
    /// Reads a line.
    ///
    /// # Errors
    /// When it is not JSON, or lacks a member.
    pub fn read(line: &str) -> Result<Self, String> {
        candor_json::from_str(line).map_err(|error| error.to_string())
    }

    fn status(&self) -> Status {
        match (self.conclusive, self.verdict.as_str()) {
            (false, _) => Status::Unverifiable,
            (true, "pass") => Status::Passed,
            (true, _) => Status::Failed,
        }
    }
}

/// Tasks and epochs as a table. It holds a row a task and the first task runs that did not pass, whatever number of task
/// runs it was given.
///
/// ```
/// use candor_report::{BenchTable, Style};
/// let mut table = BenchTable::new("front-desk", ["book", "refill"]);
/// let line = r#"{"benchmark_id": "front-desk", "benchmark_digest": "d", "command_digest": "c", "entry": "book", "epoch": 1, "delegate_id": "agent",
///     "world": "worlds/book", "seconds": 1.5, "attempts": 1, "task_run_id": "tr_1", "task_id": "book", "verdict": "pass",
///     "conclusive": true, "score": 1.0, "criterion_runs": [{"criterion_id": "a", "label": "Booked", "status": "passed",
///     "score": 1.0, "details": "It is booked."}]}"#;
/// table.add(&line.replace('\n', " "))?;
/// let text = table.finish().text(Style { color: false, width: 80 });
/// assert!(text.contains(" ✓ book") && text.contains("1 task run passed"), "{text}");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct BenchTable {
    benchmark_id: String,
    delegate_id: String,
    rows: Vec<Row>,
    places: HashMap<String, usize>,
    scorer: BenchmarkScorer,
    open: Vec<Open>,
    more: usize,
    retried: u64,
    gained: f64,
    seconds: f64,
}

#[derive(Debug, Default)]
struct Row {
    entry: String,
    epochs: Vec<(u32, Status)>,
    score: f64,
    seconds: f64,
    gained: f64,
}

/// A task run that did not pass.
#[derive(Debug)]
struct Open {
    entry: String,
    epoch: u32,
    status: Status,
    reasons: Vec<String>,
    more: usize,
    world: String,
}

impl BenchTable {
    /// An empty table of a benchmark, with its entries in their order.
    #[must_use]
    pub fn new<'e>(benchmark_id: &str, entries: impl IntoIterator<Item = &'e str>) -> Self {
        let row = |entry: &'e str| Row { entry: entry.to_owned(), ..Row::default() };
        let rows: Vec<Row> = entries.into_iter().map(row).collect();
        let places = rows.iter().enumerate().map(|(place, row)| (row.entry.clone(), place)).collect();
        Self { benchmark_id: benchmark_id.to_owned(), rows, places, ..Self::default() }
    }

    /// Adds a line of the results file.
    ///
    /// # Errors
    /// When it is not a task run that can be scored.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let line = BenchLine::read(text)?;
        let mut runs = StoredRuns::new(Limits::default());
        runs.read("the task run", text.as_bytes(), |_| {}).map_err(|error| error.to_string())?;
        if let StoredOutcome::Task(run) = runs.finish(|_| {}).outcome {
            self.scorer.add(Some(&line.entry), &run.result);
        }
        let gained = line.last_score.filter(|_| line.attempts > 1).map_or(0.0, |last| last - line.score);
        let place = *self.places.entry(line.entry.clone()).or_insert(self.rows.len());
        if place == self.rows.len() {
            self.rows.push(Row { entry: line.entry.clone(), ..Row::default() });
        }
        if let Some(row) = self.rows.get_mut(place) {
            row.epochs.push((line.epoch, line.status()));
            row.score += line.score;
            row.seconds += line.seconds;
            row.gained += gained;
        }
        self.seconds += line.seconds;
        self.retried += u64::from(line.attempts > 1);
        self.gained += gained;
        if line.status() != Status::Passed {
            match self.open.len() < AGAIN {
                true => self.open.push(Open::of(&line)),
                false => self.more += 1,
            }
        }
        self.delegate_id = line.delegate_id;
        Ok(())
    }

    /// The table with its statistics.
    #[must_use]
    pub fn finish(mut self) -> BenchSummary {
        let result = std::mem::take(&mut self.scorer).finish();
        self.rows.iter_mut().for_each(|row| row.epochs.sort_unstable_by_key(|(epoch, _)| *epoch));
        let places = &self.places;
        self.open.sort_by_key(|open| (places.get(&open.entry).copied(), open.epoch));
        BenchSummary { table: self, result }
    }
}

impl Open {
    fn of(line: &BenchLine) -> Self {
        let open: Vec<&Criterion> = line.criterion_runs.iter().filter(|one| one.status != "passed").collect();
        let reasons = open.iter().take(CRITERIA).map(|one| format!("{}: {}", one.label, one.details)).collect();
        Self {
            entry: line.entry.clone(),
            epoch: line.epoch,
            status: line.status(),
            reasons,
            more: open.len().saturating_sub(CRITERIA),
            world: line.kept.clone().unwrap_or_else(|| line.world.clone()),
        }
    }
}

impl Row {
    fn count(&self, status: Status) -> usize {
        self.epochs.iter().filter(|(_, one)| *one == status).count()
    }

    /// The status of the worst run.
    fn status(&self) -> Status {
        let has = |status: Status| self.count(status) > 0;
        match (has(Status::Failed), has(Status::Unverifiable)) {
            (true, _) => Status::Failed,
            (false, true) => Status::Unverifiable,
            (false, false) => Status::Passed,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
    fn mean(&self, sum: f64) -> f64 {
        sum / self.epochs.len().max(1) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
    fn pass_rate(&self) -> f64 {
        self.mean(self.count(Status::Passed) as f64)
    }

    /// The estimated chance that as many runs as there were all pass.
    fn pass_all(&self) -> f64 {
        if self.status() == Status::Passed { 1.0 } else { 0.0 }
    }
}

/// The results of an agent over a benchmark.
#[derive(Debug)]
pub struct BenchSummary {
    table: BenchTable,
    /// The same figures as `candor score` computes.
    pub result: BenchmarkResult,
}

/// The columns of a row after its name.
const FIGURE: usize = 7;
const TIME: usize = 9;
/// The most columns that the epochs of a row take.
const EPOCHS: usize = 24;

impl BenchSummary {
    fn count(&self, status: Status) -> usize {
        self.table.rows.iter().map(|row| row.count(status)).sum()
    }

    /// How much higher the mean score of the last answers is than that of the first ones.
    #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
    fn gain(&self) -> f64 {
        self.table.gained / self.result.task_runs.max(1) as f64
    }

    /// The table for a person.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let table = &self.table;
        let title = format!("{} by {}", plain(&table.benchmark_id), plain(&table.delegate_id));
        let mut out = format!("{}\n\n", painted(style, Color::Bold, wrapped(&title, 0, style).trim_end()));
        let most = table.rows.iter().map(|row| row.epochs.len()).max().unwrap_or_default();
        let epochs = most.clamp("epochs".len(), EPOCHS);
        let figures = if table.retried > 0 { 4 } else { 3 };
        let name = style.width.saturating_sub(3 + epochs + figures * (FIGURE + 1) + TIME + 2).max(16);
        let line = |mark: &str, name: &str, epochs: &str, figures: [&str; 5]| {
            let [first, all, mean, gain, time] = figures;
            let gain = if table.retried > 0 { format!(" {gain:>FIGURE$}") } else { String::new() };
            let line =
                format!(" {mark} {name} {epochs} {first:>FIGURE$} {all:>FIGURE$} {mean:>FIGURE$}{gain} {time:>TIME$}");
            line.trim_end().to_owned() + "\n"
        };
        let power = format!("pass^{most}");
        out += &line(" ", &fitted("task", name), &fitted("epochs", epochs), ["pass@1", &power, "mean", "gain", "time"]);
        for row in table.rows.iter().filter(|row| !row.epochs.is_empty()) {
            let marks: String = row.epochs.iter().take(epochs).map(|(_, status)| mark(*status, style)).collect();
            let filled = marks + &" ".repeat(epochs.saturating_sub(row.epochs.len()));
            let figures = [row.pass_rate(), row.pass_all(), row.mean(row.score)].map(numbers::score);
            let [first, all, mean] = &figures;
            let time = format!("{:.1} s", row.mean(row.seconds));
            let gain =
                if row.gained.abs() > f64::EPSILON { format!("{:+.2}", row.mean(row.gained)) } else { String::new() };
            let name = fitted(&plain(&row.entry), name);
            out += &line(&mark(row.status(), style), &name, &filled, [first, all, mean, &gain, &time]);
        }
        out.push('\n');
        out += &self.open(style);
        out += &benchmark_statistics(&BenchmarkOutcome::from(&self.result), &self.counted(), style);
        out
    }

    /// The line that counts the runs: those that could not be verified are not among those that failed.
    fn counted(&self) -> String {
        let (passed, failed) = (self.count(Status::Passed), self.count(Status::Failed));
        let mut out = match passed {
            1 => " 1 task run passed".to_owned(),
            passed => format!(" {passed} task runs passed"),
        };
        out += &format!(", {failed} failed, {} not verified", self.count(Status::Unverifiable));
        out += &format!("; {:.1} s of work", self.table.seconds);
        if self.table.retried > 0 {
            let (asked, gain) = (self.table.retried, self.gain());
            let last = numbers::score(self.result.score.to_f64() + gain);
            let runs = if asked == 1 { "task run" } else { "task runs" };
            out += &format!("\n {asked} {runs} had further answers: mean score {last} with the last one ({gain:+.2})");
        }
        out
    }

    fn open(&self, style: Style) -> String {
        let mut out = String::new();
        for open in &self.table.open {
            let place = format!("{}, epoch {}: {}", plain(&open.entry), open.epoch, plain(&open.world));
            out += &format!(" {} {place}\n", mark(open.status, style));
            for reason in &open.reasons {
                out += &wrapped(&plain(&shortened(&reason.replace('\n', " "))), 5, style);
            }
            if open.more > 0 {
                out += &format!("     and {} more criteria\n", open.more);
            }
        }
        if self.table.more > 0 {
            out += &format!(" and {} more task runs that did not pass\n", self.table.more);
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    /// The table as JSON: the members of a benchmark's score, and `entries` and `not_passed`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let table = &self.table;
        let entry = |row: &Row| {
            let epochs: Vec<Value> =
                row.epochs.iter().map(|(epoch, status)| json!({"epoch": epoch, "status": status})).collect();
            json!({
                "entry": row.entry,
                "epochs": epochs,
                "passed": row.count(Status::Passed),
                "failed": row.count(Status::Failed),
                "unverifiable": row.count(Status::Unverifiable),
                "pass_rate": row.pass_rate(),
                "mean": row.mean(row.score),
                "gained": row.mean(row.gained),
                "seconds": row.mean(row.seconds),
            })
        };
        let open = |open: &Open| {
            json!({
                "entry": open.entry,
                "epoch": open.epoch,
                "status": open.status,
                "reasons": open.reasons,
                "world": open.world,
            })
        };
        let entries: Vec<Value> = table.rows.iter().filter(|row| !row.epochs.is_empty()).map(entry).collect();
        let mut value = json!({
            "benchmark_id": table.benchmark_id,
            "delegate_id": table.delegate_id,
            "passed": self.count(Status::Passed),
            "failed": self.count(Status::Failed),
            "unverifiable": self.count(Status::Unverifiable),
            "asked_again": table.retried,
            "gained": self.gain(),
            "seconds": table.seconds,
            "entries": entries,
            "not_passed": table.open.iter().map(open).collect::<Vec<_>>(),
        });
        let result = candor_json::to_value(&self.result).unwrap_or_default();
        if let (Some(members), Value::Object(result)) = (value.as_object_mut(), result) {
            members.extend(result);
        }
        value
    }
}
