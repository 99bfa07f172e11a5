//! Results that were just made.

use candor_engine as engine;
use candor_json::{Map, Value};
use candor_scoring::stored::StoredTaskRun;
use candor_scoring::{BenchmarkResult, Confidence, Fraction, Interval, TaskResult};

use super::{
    Axis, BenchmarkOutcome, BenchmarkRun, CriterionRun, Failures, Invalid, TaskOutcome, TaskRun, VerdictCounts,
};

fn ends(interval: &Interval) -> (f64, f64) {
    (interval.low.to_f64(), interval.high.to_f64())
}

impl From<&engine::CriterionRun> for CriterionRun {
    fn from(run: &engine::CriterionRun) -> Self {
        let by = Some((run.criterion_id.as_str(), run.verifier_id.as_str()));
        let evidence = match run.evidence.attributed(run.evidence_key, by) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        Self {
            id: run.id.clone(),
            task_run_id: Some(run.task_run_id.clone()),
            criterion_id: run.criterion_id.clone(),
            label: run.label.clone(),
            axis: run.axis.clone(),
            weight: run.weight.to_string(),
            gate: run.gate,
            status: run.status(),
            score: run.score().to_f64(),
            share: Some(run.share().to_f64()),
            reason: run.reason().map(str::to_owned),
            details: run.evidence.details().to_owned(),
            evidence,
            verifier_id: run.verifier_id.clone(),
            started_at: Some(format!("{:.3}", run.started_at)),
            completed_at: Some(format!("{:.3}", run.completed_at)),
        }
    }
}

impl From<&TaskResult> for TaskOutcome {
    fn from(result: &TaskResult) -> Self {
        let failures = result.passed_with_failures.as_ref().map(|failures| Failures {
            criteria: Some(failures.criteria),
            failed: failures.failed,
            ids: failures.ids.clone(),
        });
        let axes = result.axes.iter().map(|(name, axis)| Axis {
            name: name.to_owned(),
            score: axis.score.to_f64(),
            interval: ends(&axis.interval),
            weight: Some(axis.weight.to_string()),
            task_runs: None,
        });
        Self {
            verdict: result.verdict,
            failures,
            invalid: None,
            score: result.score.to_f64(),
            interval: ends(&result.interval),
            coverage: result.coverage.to_f64(),
            conclusive: result.conclusive,
            axes: axes.collect(),
        }
    }
}

impl From<&engine::TaskRun> for TaskRun {
    fn from(run: &engine::TaskRun) -> Self {
        let mut outcome = TaskOutcome::from(&run.result);
        let ids: Vec<String> = run.invalid_criteria().map(str::to_owned).collect();
        outcome.invalid = (!ids.is_empty()).then_some(match run.scored {
            true => Invalid::default(),
            false => Invalid { criteria: Some(run.criterion_runs.len() as u64), ids },
        });
        if run.scored {
            outcome.failures = None;
        }
        Self {
            id: Some(run.id.clone()),
            task_id: Some(run.task_id.clone()),
            task_name: run.task_name.clone(),
            scored: run.scored,
            phase: Some("completed".to_owned()),
            outcome,
            criterion_runs: Some(run.shown_runs().iter().map(CriterionRun::from).collect()),
            agent: None,
        }
    }
}

impl From<&StoredTaskRun> for TaskRun {
    fn from(run: &StoredTaskRun) -> Self {
        let mut outcome = TaskOutcome::from(&run.result);
        let ids = run.invalid_criteria.clone();
        outcome.invalid = (!ids.is_empty()).then_some(Invalid { criteria: Some(run.criteria), ids });
        Self {
            id: run.task_run_id.clone(),
            task_id: run.task_id.clone(),
            task_name: None,
            scored: false,
            phase: None,
            outcome,
            criterion_runs: None,
            agent: None,
        }
    }
}

impl From<&BenchmarkResult> for BenchmarkOutcome {
    fn from(result: &BenchmarkResult) -> Self {
        let axes = result.axes.iter().map(|(name, axis)| Axis {
            name: name.to_owned(),
            score: axis.score.to_f64(),
            interval: ends(&axis.interval),
            weight: None,
            task_runs: Some(axis.task_runs),
        });
        let counts = &result.verdicts;
        let within = |confidence: &Option<Confidence>| confidence.as_ref().map(|confidence| confidence.interval);
        Self {
            outcome: TaskOutcome {
                verdict: result.verdict,
                failures: None,
                invalid: None,
                score: result.score.to_f64(),
                interval: ends(&result.interval),
                coverage: result.coverage.to_f64(),
                conclusive: result.conclusive,
                axes: axes.collect(),
            },
            tasks: result.tasks,
            task_runs: result.task_runs,
            verdicts: VerdictCounts {
                pass: counts.pass,
                partial: counts.partial,
                fail: counts.fail,
                inconclusive: counts.inconclusive,
            },
            pass_rate: result
                .pass_rate
                .value
                .as_ref()
                .map(Fraction::to_f64)
                .map(|rate| (rate, within(&result.pass_rate.confidence))),
            confidence: within(&result.confidence),
            pass_hat_k: result.pass_hat_k.clone().unwrap_or_default(),
            notes: result.notes.clone(),
        }
    }
}

impl From<&BenchmarkResult> for BenchmarkRun {
    fn from(result: &BenchmarkResult) -> Self {
        Self { id: None, benchmark_id: None, outcome: BenchmarkOutcome::from(result), task_runs: None }
    }
}

impl From<&engine::BenchmarkRun> for BenchmarkRun {
    fn from(run: &engine::BenchmarkRun) -> Self {
        Self {
            id: Some(run.id.clone()),
            benchmark_id: Some(run.benchmark_id.clone()),
            outcome: BenchmarkOutcome::from(&run.result),
            task_runs: Some(run.task_runs.iter().map(TaskRun::from).collect()),
        }
    }
}
