//! `candor score`.

use std::fs::{self, File};
use std::io::{BufReader, stdin};
use std::path::Path;

use candor::inner::report::model::Stored;
use candor::inner::report::stored_score;
use candor::inner::scoring::stored::{Limits, StoredOutcome, StoredRuns};

use crate::args::ScoreArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

const BUFFER: usize = 1 << 20;
/// The largest file that is read again to explain its error.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn run(args: &ScoreArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let mut runs = StoredRuns::new(Limits::default());
    let is_stdin = |file: &&std::path::PathBuf| file.as_path() == Path::new("-");
    if args.files.iter().filter(is_stdin).count() > 1 {
        return Err("standard input (-) can be read once only".to_owned());
    }
    for file in &args.files {
        let read = if is_stdin(&file) {
            runs.read("standard input", BufReader::with_capacity(BUFFER, stdin().lock()), |_| {})
        } else {
            let name = file.display().to_string();
            let open = File::open(file).map_err(|e| format!("{name}: it cannot be read: {e}"))?;
            runs.read(&name, BufReader::with_capacity(BUFFER, open), |_| {})
        };
        read.map_err(|error| whole_result(file).unwrap_or_else(|| error.to_string()))?;
    }
    let score = runs.finish(|_| {});
    score.notes.iter().for_each(|note| complain(note));
    let format = output.format();
    output.write_as(format, &stored_score(&score, format, output.style()))?;
    Ok(match &score.outcome {
        _ if score.invalid_task_runs > 0 && !args.keep_going => Outcome::WrongInput,
        StoredOutcome::Task(run) => Outcome::of(run.result.verdict, run.result.conclusive),
        StoredOutcome::Benchmark(result) => Outcome::of(result.verdict, result.conclusive),
    })
}

/// The error of a file that is a whole result in JSON, such as the record of a loop.
fn whole_result(file: &Path) -> Option<String> {
    fs::metadata(file).ok().filter(|found| found.is_file() && found.len() <= MOST_BYTES)?;
    let value = candor_json::from_slice(&fs::read(file).ok()?).ok()?;
    Stored::of(value).ok()?;
    Some(format!(
        "{}: it is a whole result; `candor score` reads criterion runs, one a line (`--format ndjson`), and `candor \
         report` shows a result",
        file.display()
    ))
}
