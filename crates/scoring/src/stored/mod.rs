//! Criterion runs read back from NDJSON, of any length.
//!
//! A line is a criterion run, in the shape in which a task run lists them, or a whole task run. The lines
//! of one task run follow each other. What is kept is one line, the sums of the open task run, the
//! sums of the benchmark, and eight bytes for each id that must not come twice.

mod error;
mod ids;
mod json;
mod lines;
mod record;

use std::borrow::Cow;
use std::io::BufRead;

use serde::Serialize;

use crate::{BenchmarkResult, BenchmarkScorer, MAX_FAILED_BYTES, PassRule, Status, TaskResult, TaskScorer};
pub use error::{Problem, StoredError};
use ids::Ids;
use lines::Lines;
use record::{At, Record};

/// The most axes a task run or a benchmark may have; each costs memory until the end.
pub const MAX_AXES: usize = 512;

/// The longest name of an axis, in bytes.
pub const MAX_AXIS_BYTES: usize = 1024;

/// The limits of reading.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
}

impl Default for Limits {
    /// Lines of up to 64 MiB.
    fn default() -> Self {
        Limits { max_line_bytes: 64 << 20 }
    }
}

/// The score of one stored task run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredTaskRun {
    /// Its id, if its criterion runs name one.
    pub task_run_id: Option<String>,
    /// The id of its task, if its criterion runs name one.
    pub task_id: Option<String>,
    /// The result.
    #[serde(flatten)]
    pub result: TaskResult,
    /// How many criterion runs it has.
    pub criteria: u64,
    /// The ids of the criteria that no work can meet, because the task file is wrong, up to
    /// [`MAX_FAILED_BYTES`] of text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invalid_criteria: Vec<String>,
}

/// The score of stored criterion runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredScore {
    /// The result.
    pub outcome: StoredOutcome,
    /// Notes that a reader of the score should know.
    pub notes: Vec<String>,
    /// How many task runs have a wrong task file.
    pub invalid_task_runs: u64,
}

/// The result of one task run, or of any other number of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StoredOutcome {
    /// There was one task run.
    Task(Box<StoredTaskRun>),
    /// There were several, or none.
    Benchmark(Box<BenchmarkResult>),
}

/// Reads stored criterion runs, file after file, as if they were one.
///
/// ```
/// use candor_scoring::Verdict;
/// use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};
///
/// let text = r#"{"task_run_id": "tr_1", "criterion_id": "a", "weight": 2, "status": "passed", "score": 1.0}
/// {"task_run_id": "tr_1", "criterion_id": "b", "weight": 1, "status": "failed", "score": 0.0}
/// "#;
/// let mut runs = StoredRuns::new(Limits::default());
/// runs.read("runs.ndjson", text.as_bytes(), |_| {})?;
/// let StoredOutcome::Task(run) = runs.finish(|_| {}).outcome else { panic!() };
/// assert_eq!(run.result.verdict, Verdict::Partial);
/// # Ok::<(), candor_scoring::stored::StoredError>(())
/// ```
#[derive(Debug)]
pub struct StoredRuns {
    limits: Limits,
    open: Option<OpenRun>,
    criteria: Ids,
    finished: Ids,
    task_runs: u64,
    invalid_task_runs: u64,
    first: Option<Box<StoredTaskRun>>,
    benchmark: BenchmarkScorer,
}

#[derive(Debug)]
struct OpenRun {
    task_run_id: Option<String>,
    task_id: Option<String>,
    task_pass: Option<PassRule>,
    scorer: TaskScorer,
    criteria: u64,
    invalid: Vec<String>,
    /// The bytes of `invalid`.
    bytes: usize,
}

impl StoredRuns {
    /// Nothing read yet.
    pub fn new(limits: Limits) -> Self {
        StoredRuns {
            limits,
            open: None,
            criteria: Ids::default(),
            finished: Ids::default(),
            task_runs: 0,
            invalid_task_runs: 0,
            first: None,
            benchmark: BenchmarkScorer::new(),
        }
    }

    /// Reads one file to its end. `name` is what errors call it; `each` is given every task run
    /// that is complete, which the last one is not before [`finish`](StoredRuns::finish).
    ///
    /// # Errors
    /// The first line that cannot be scored, with its place. Nothing after an error is a result.
    pub fn read(
        &mut self,
        name: &str,
        reader: impl BufRead,
        mut each: impl FnMut(&StoredTaskRun),
    ) -> Result<(), StoredError> {
        let mut lines = Lines::new(reader, self.limits.max_line_bytes);
        loop {
            let result = match lines.next() {
                Ok(None) => return Ok(()),
                Ok(Some(line)) => self.line(line, &mut each),
                Err(at) => Err(at),
            };
            if let Err((column, problem)) = result {
                let (file, line) = (name.to_owned(), lines.number());
                return Err(StoredError { file, line, column, problem });
            }
        }
    }

    /// The result of all that was read.
    pub fn finish(mut self, mut each: impl FnMut(&StoredTaskRun)) -> StoredScore {
        self.close(&mut each);
        let mut notes = Vec::new();
        if self.criteria.overflowed() {
            notes.push(format!(
                "A task run has more than {} criterion runs; those beyond were not checked for \
                 coming twice.",
                Ids::LIMIT
            ));
        }
        if self.finished.overflowed() {
            notes.push(format!(
                "There are more than {} task runs; those beyond were not checked for standing \
                 together.",
                Ids::LIMIT
            ));
        }
        let invalid_task_runs = self.invalid_task_runs;
        let outcome = match self.first {
            Some(run) if self.task_runs == 1 => StoredOutcome::Task(run),
            _ => StoredOutcome::Benchmark(Box::new(self.benchmark.finish())),
        };
        if invalid_task_runs > 0 && matches!(outcome, StoredOutcome::Benchmark(_)) {
            let all = self.task_runs;
            let note = format!(
                "The task files of {invalid_task_runs} of {all} task runs are wrong: `candor lint` says where."
            );
            notes.push(note);
        }
        StoredScore { outcome, notes, invalid_task_runs }
    }

    fn line(&mut self, line: &str, each: &mut impl FnMut(&StoredTaskRun)) -> Result<(), (u64, Problem)> {
        let empty = Record::read_each(line, |record| {
            self.begin(record, each)?;
            self.criterion(record)
        })?;
        empty.map_or(Ok(()), |record| self.begin(&record, each))
    }

    /// Opens the task run of a line, if it is not open.
    fn begin(&mut self, record: &Record<'_>, each: &mut impl FnMut(&StoredTaskRun)) -> Result<(), (u64, Problem)> {
        let run_id = record.task_run_id.as_ref().map(|at| at.value.as_ref());
        let at_run_id = record.task_run_id.as_ref().map_or(1, |at| at.column);
        if self.open.as_ref().is_some_and(|open| open.task_run_id.as_deref() != run_id) {
            self.close(each);
            if self.benchmark.axis_count() > MAX_AXES {
                return Err((1, Problem::TooManyAxes));
            }
        }
        if self.open.is_none() {
            if self.finished.contains(&run_id) {
                let task_run_id = run_id.map(str::to_owned);
                return Err((at_run_id, Problem::RunComesBack { task_run_id }));
            }
            self.open = Some(OpenRun {
                task_run_id: run_id.map(str::to_owned),
                task_id: None,
                task_pass: None,
                scorer: TaskScorer::new(),
                criteria: 0,
                invalid: Vec::new(),
                bytes: 0,
            });
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if let Some(At { value: task_id, column }) = &record.task_id {
            match &open.task_id {
                None => open.task_id = Some(task_id.clone().into_owned()),
                Some(known) if known == task_id => {}
                Some(known) => {
                    let (first, second) = (known.clone(), task_id.clone().into_owned());
                    return Err((*column, Problem::TwoTasks { first, second }));
                }
            }
        }
        if let Some(At { value: pass, column }) = &record.task_pass {
            match &open.task_pass {
                None => open.task_pass = Some(pass.clone()),
                Some(known) if known == pass => {}
                Some(known) => {
                    let (first, second) = (known.to_string(), pass.to_string());
                    return Err((*column, Problem::TwoPassRules { first, second }));
                }
            }
        }
        Ok(())
    }

    fn criterion(&mut self, record: &Record<'_>) -> Result<(), (u64, Problem)> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let outcome = record.outcome()?;
        if !self.criteria.insert(&outcome.criterion_id()) {
            let criterion_id = outcome.criterion_id().to_owned();
            let column = record.criterion_id.as_ref().map_or(1, |at| at.column);
            return Err((column, Problem::CriterionTwice { criterion_id }));
        }
        open.scorer.add(&outcome);
        open.criteria += 1;
        if outcome.status() == Status::Failed && record.is_invalid() {
            open.bytes += outcome.criterion_id().len();
            if open.invalid.is_empty() || open.bytes <= MAX_FAILED_BYTES {
                open.invalid.push(outcome.criterion_id().to_owned());
            }
        }
        if open.scorer.axis_count() > MAX_AXES {
            return Err((record.axis_column(), Problem::TooManyAxes));
        }
        Ok(())
    }

    fn close(&mut self, each: &mut impl FnMut(&StoredTaskRun)) {
        let Some(OpenRun { task_run_id, task_id, task_pass, scorer, criteria, invalid, .. }) = self.open.take() else {
            return;
        };
        let scorer = scorer.passing(task_pass.unwrap_or_default());
        self.finished.insert(&task_run_id.as_deref());
        self.criteria.clear();
        self.invalid_task_runs += u64::from(!invalid.is_empty());
        let run = StoredTaskRun { task_run_id, task_id, result: scorer.finish(), criteria, invalid_criteria: invalid };
        self.benchmark.add(run.task_id.as_deref(), &run.result);
        each(&run);
        self.task_runs += 1;
        self.first = (self.task_runs == 1).then(|| Box::new(run));
    }
}

/// Text for an error message: cut where it is long.
fn cut(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}
