//! Many task runs: the mean of their scores, and how far it can be relied on.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use crate::exact::{Decimal, FractionSum, Natural};
use crate::statistics::{BOOTSTRAP_LIMIT, Cluster, Moments, RESAMPLES, SEED, bootstrap, pass_hat_k, wilson};
use crate::task::NamedAxes;
use crate::{Axes, Fraction, Interval, Score, TaskResult, Verdict};

/// The most tasks whose runs are counted apart: they fill a table of 2^18 places of 49 bytes, 12 MiB.
const MAX_TASKS: usize = (1 << 18) / 8 * 7;

/// The outcome of a benchmark, in the shape and order of its JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchmarkResult {
    /// The verdict of the mean of the scores, where each task run whose verdict is `fail` counts 0.
    pub verdict: Verdict,
    /// The mean of the task runs' scores.
    pub score: Fraction,
    /// The means of the ends of their intervals.
    pub interval: Interval,
    /// The mean of their coverages.
    pub coverage: Fraction,
    /// True if the verdict is the same with everything unverifiable counted as failed, and as passed.
    pub conclusive: bool,
    /// The means by axis, over the task runs that have the axis.
    pub axes: Axes<BenchmarkAxis>,
    /// How many different tasks were run.
    pub tasks: u64,
    /// How many task runs there were.
    pub task_runs: u64,
    /// How many task runs ended with which verdict.
    pub verdicts: VerdictCounts,
    /// The share of task runs whose verdict is `pass`, with Wilson's interval over tasks.
    pub pass_rate: Estimate<Option<Fraction>>,
    /// The 95 % confidence interval of `score` over tasks; `None` for fewer than two tasks.
    pub confidence: Option<Confidence>,
    /// pass^1, pass^2, …: the estimated chance that so many runs of a task all pass. `None` unless
    /// some task has several runs.
    pub pass_hat_k: Option<Vec<f64>>,
    /// Notes that a reader of these numbers should know.
    pub notes: Vec<String>,
}

/// The outcome of one axis over a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchmarkAxis {
    /// The mean of the axis's scores.
    pub score: Fraction,
    /// The means of the ends of its intervals.
    pub interval: Interval,
    /// The mean of its coverages.
    pub coverage: Fraction,
    /// How many task runs have the axis.
    pub task_runs: u64,
}

/// How many task runs ended with which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct VerdictCounts {
    /// Passed.
    pub pass: u64,
    /// Passed in part.
    pub partial: u64,
    /// Failed.
    pub fail: u64,
    /// Of all these, those whose verdict could have been another had everything been verifiable.
    pub inconclusive: u64,
}

/// A value with its confidence interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate<T> {
    /// The value seen.
    pub value: T,
    /// How far it can be relied on.
    pub confidence: Option<Confidence>,
}

/// A confidence interval and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confidence {
    /// Its ends.
    pub interval: (f64, f64),
    /// The level: 0.95.
    pub level: f64,
    /// The method.
    #[serde(flatten)]
    pub method: Method,
}

/// How a confidence interval was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum Method {
    /// Wilson's score interval.
    Wilson,
    /// Percentiles of the means of resampled tasks.
    Bootstrap {
        /// How many times the tasks were resampled.
        resamples: u32,
        /// The seed of the generator.
        seed: u64,
    },
    /// The normal approximation.
    Normal,
}

impl Confidence {
    fn new(interval: Option<(f64, f64)>, method: Method) -> Option<Confidence> {
        interval.map(|interval| Confidence { interval, level: 0.95, method })
    }
}

/// Adds up task results. The order in which they are added does not matter, but for the order of
/// the axes.
#[derive(Debug, Clone, Default)]
pub struct BenchmarkScorer {
    all: Means,
    /// The same, with 0 where a gate fails the task run: it leaves the score.
    earned: Means,
    axes: NamedAxes<Means>,
    verdicts: VerdictCounts,
    /// Tasks by a hash of their id. A wrong merge of two tasks would need two of at most 229,376
    /// ids to agree in 64 bits, one chance in 10^9, and would touch the estimates alone.
    by_task: HashMap<u64, Cluster>,
    /// The first task runs without a task id, each a task of its own.
    alone: Vec<Cluster>,
    alone_moments: Moments,
    alone_count: u64,
    alone_passed: u64,
    overflow: bool,
}

#[derive(Debug, Clone, Default)]
struct Means {
    count: u64,
    score: FractionSum,
    high: FractionSum,
    coverage: FractionSum,
}

impl Means {
    fn add(&mut self, score: &Fraction, interval: &Interval, coverage: &Fraction) {
        self.count += 1;
        for (sum, value) in [(&mut self.score, score), (&mut self.high, &interval.high), (&mut self.coverage, coverage)]
        {
            // A task's score enters as the value that its JSON shows: whoever has the task runs
            // alone can compute the same benchmark, and the sum stays bounded.
            let (mantissa, scale, denominator) = Score::from(value).terms();
            sum.add(&mantissa, scale, denominator);
        }
    }

    fn finish(self) -> BenchmarkAxis {
        let count = Decimal::new(Natural::from(self.count), 0);
        let mean = |sum: &FractionSum| sum.divided_by(&count);
        let low = mean(&self.score).unwrap_or(Fraction::ZERO);
        let high = mean(&self.high).unwrap_or(Fraction::ZERO);
        BenchmarkAxis {
            score: low.clone(),
            interval: Interval { low, high },
            coverage: mean(&self.coverage).unwrap_or(Fraction::ONE),
            task_runs: self.count,
        }
    }
}

impl BenchmarkScorer {
    /// A benchmark without task runs yet.
    pub fn new() -> Self {
        BenchmarkScorer::default()
    }

    /// Adds one task run. Runs with the same task id are runs of the same task; a run without one
    /// is the only run of its task.
    pub fn add(&mut self, task_id: Option<&str>, run: &TaskResult) {
        self.all.add(&run.score, &run.interval, &run.coverage);
        let earned = |verdict: Verdict, score: &Fraction| match verdict {
            Verdict::Fail => Fraction::ZERO,
            Verdict::Partial | Verdict::Pass => score.clone(),
        };
        let interval =
            Interval { low: earned(run.verdict, &run.interval.low), high: earned(run.at_best, &run.interval.high) };
        self.earned.add(&interval.low, &interval, &run.coverage);
        for (axis, result) in run.axes.iter() {
            self.axes.update(axis, |means| {
                means.add(&result.score, &result.interval, &result.coverage);
            });
        }
        match run.verdict {
            Verdict::Pass => self.verdicts.pass += 1,
            Verdict::Partial => self.verdicts.partial += 1,
            Verdict::Fail => self.verdicts.fail += 1,
        }
        self.verdicts.inconclusive += u64::from(!run.conclusive);
        self.add_to_task(task_id, run.score.to_f64(), run.verdict == Verdict::Pass);
    }

    fn add_to_task(&mut self, task_id: Option<&str>, score: f64, passed: bool) {
        if let Some(id) = task_id {
            let mut hasher = DefaultHasher::new();
            id.hash(&mut hasher);
            let key = hasher.finish();
            if let Some(task) = self.by_task.get_mut(&key) {
                return task.add(score, passed);
            }
            if self.by_task.len() < MAX_TASKS {
                return self.by_task.entry(key).or_default().add(score, passed);
            }
            self.overflow = true;
        }
        let mut task = Cluster::default();
        task.add(score, passed);
        self.alone_count += 1;
        self.alone_passed += u64::from(passed);
        self.alone_moments.add(task);
        // One more than is bootstrapped, so that the limit is seen to be passed.
        if self.alone.len() <= BOOTSTRAP_LIMIT {
            self.alone.push(task);
        }
    }

    /// How many axes there are so far.
    pub fn axis_count(&self) -> usize {
        self.axes.len()
    }

    /// The result. A benchmark without task runs has score 0 and fails.
    pub fn finish(self) -> BenchmarkResult {
        let tasks = self.by_task.len() as u64 + self.alone_count;
        let confidence = self.confidence(tasks);
        let notes = self.notes();
        let pass_hat_k = self.pass_hat_k();
        let BenchmarkAxis { score, interval, coverage, task_runs } = self.all.finish();
        let earned = self.earned.finish().interval;
        let verdict = Verdict::of(&earned.low);
        let rate = Fraction::of(self.verdicts.pass, task_runs);
        let wilson = rate.as_ref().and_then(|rate| wilson(rate.to_f64(), tasks));
        BenchmarkResult {
            verdict,
            score,
            conclusive: verdict == Verdict::of(&earned.high),
            interval,
            coverage,
            axes: self.axes.map(Means::finish),
            tasks,
            task_runs,
            verdicts: self.verdicts,
            pass_rate: Estimate { value: rate, confidence: Confidence::new(wilson, Method::Wilson) },
            confidence,
            pass_hat_k,
            notes,
        }
    }

    fn confidence(&self, tasks: u64) -> Option<Confidence> {
        if usize::try_from(tasks).is_ok_and(|tasks| tasks <= BOOTSTRAP_LIMIT) {
            let mut clusters: Vec<Cluster> = self.by_task.values().chain(&self.alone).copied().collect();
            let method = Method::Bootstrap { resamples: RESAMPLES, seed: SEED };
            return Confidence::new(bootstrap(&mut clusters), method);
        }
        let mut moments = self.alone_moments;
        self.by_task.values().for_each(|task| moments.add(*task));
        Confidence::new(moments.normal(), Method::Normal)
    }

    /// The fewest and the most runs a task has.
    fn runs(&self) -> (u32, u32) {
        let alone = (self.alone_count > 0).then_some(1);
        let runs = || self.by_task.values().map(|task| task.runs).chain(alone);
        (runs().min().unwrap_or(0), runs().max().unwrap_or(0))
    }

    fn pass_hat_k(&self) -> Option<Vec<f64>> {
        let (_, most) = self.runs();
        if most < 2 || self.overflow {
            return None;
        }
        let mut tasks: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for task in self.by_task.values() {
            *tasks.entry((task.runs, task.passed)).or_default() += 1;
        }
        for (passed, count) in [(1, self.alone_passed), (0, self.alone_count - self.alone_passed)] {
            if count > 0 {
                *tasks.entry((1, passed)).or_default() += count;
            }
        }
        Some(pass_hat_k(&tasks))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (fewest, most) = self.runs();
        if fewest != most {
            notes.push(format!(
                "Tasks were run between {fewest} and {most} times; every run counts once in the \
                 means, and pass^k goes up to {fewest}."
            ));
        }
        if self.overflow {
            notes.push(format!(
                "There are more than {MAX_TASKS} tasks: task runs beyond them count as tasks of \
                 their own in the confidence intervals, and pass^k is left out."
            ));
        }
        notes
    }
}
