//! The bodies of the fuzz targets of `candor-scoring`.

use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns, StoredTaskRun};
use candor_scoring::{Fraction, Interval, Verdict};

/// Reads any bytes as stored criterion runs: a placed error, or results that hold together.
///
/// # Panics
/// When they do not.
pub fn stored_runs(data: &[u8]) {
    let mut runs = StoredRuns::new(Limits { max_line_bytes: 1 << 16 });
    let mut count = 0_u64;
    let mut each = |run: &StoredTaskRun| {
        let result = &run.result;
        let by_score = result.pass.is_default();
        holds_together(&result.score, &result.interval, result.verdict, by_score, true);
        assert!(result.passed_with_failures.is_none() || result.verdict == Verdict::Pass);
        assert!(run.criteria > 0 && !result.axes.is_empty());
        assert!(candor_json::to_string(run).is_ok());
        count += 1;
    };
    if let Err(error) = runs.read("fuzz", data, &mut each) {
        let line = data.split(|byte| *byte == b'\n').nth(usize::try_from(error.line).unwrap_or(usize::MAX) - 1);
        let length = line.map_or(0, <[u8]>::len);
        assert!((1..=length + 1).contains(&usize::try_from(error.column).unwrap_or(usize::MAX)), "{error}");
        return;
    }
    let score = runs.finish(&mut each);
    match score.outcome {
        StoredOutcome::Task(_) => assert_eq!(count, 1),
        StoredOutcome::Benchmark(found) => {
            assert_eq!(count, found.task_runs);
            holds_together(&found.score, &found.interval, found.verdict, true, false);
        }
    }
}

/// The written numbers are in order, and earn the verdict, unless the task has a rule of its own for a pass.
fn holds_together(score: &Fraction, interval: &Interval, verdict: Verdict, by_score: bool, may_be_gated: bool) {
    let (score, low, high) = (score.to_f64(), interval.low.to_f64(), interval.high.to_f64());
    assert!(0.0 <= low && low <= score && score <= high && high <= 1.0);
    let earned = if score >= 0.9 {
        Verdict::Pass
    } else if score > 0.0 {
        Verdict::Partial
    } else {
        Verdict::Fail
    };
    assert!(!by_score || verdict == earned || may_be_gated && verdict == Verdict::Fail);
}
