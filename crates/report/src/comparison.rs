//! Two runs of the same tasks: what got better, what got worse, what is undecided, and whether that is more than chance.

mod told;

use std::collections::HashMap;

use candor_check::Status;

use crate::model::{CriterionRun, TaskRun};

/// What became of one task, or of one criterion of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It did not pass before, and passes now.
    Better,
    /// It passed before, and does not now.
    Worse,
    /// One of the two could not be decided, or is missing.
    Undecided,
    /// It passes in both, or fails in both.
    Same,
}

impl Change {
    fn between(before: Option<Status>, after: Option<Status>) -> Self {
        match (before, after) {
            (Some(Status::Failed), Some(Status::Passed)) => Self::Better,
            (Some(Status::Passed), Some(Status::Failed)) => Self::Worse,
            (Some(Status::Passed), Some(Status::Passed)) | (Some(Status::Failed), Some(Status::Failed)) => Self::Same,
            _ => Self::Undecided,
        }
    }
}

/// One task, or one criterion of it, in both runs.
#[derive(Clone, Debug)]
pub struct Pair<'r, T> {
    /// The task's id.
    pub task: &'r str,
    /// The one before, where there is one.
    pub before: Option<&'r T>,
    /// The one after, where there is one.
    pub after: Option<&'r T>,
    /// What became of it.
    pub change: Change,
}

/// How many changed in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Better.
    pub better: u64,
    /// Worse.
    pub worse: u64,
    /// Undecided.
    pub undecided: u64,
    /// The same.
    pub same: u64,
}

impl Counts {
    fn of<T>(pairs: &[Pair<'_, T>]) -> Self {
        let count = |change| pairs.iter().filter(|pair| pair.change == change).count() as u64;
        Self {
            better: count(Change::Better),
            worse: count(Change::Worse),
            undecided: count(Change::Undecided),
            same: count(Change::Same),
        }
    }

    /// McNemar's exact p, two-sided: how probable a split of the changes at least as uneven is when better and worse are
    /// equally likely.
    #[must_use]
    pub fn p(&self) -> f64 {
        mcnemar(self.better, self.worse)
    }
}

/// Two runs, task by task and criterion by criterion.
#[derive(Clone, Debug)]
pub struct Comparison<'r> {
    /// The tasks.
    pub tasks: Vec<Pair<'r, TaskRun>>,
    /// The criteria of the tasks.
    pub criteria: Vec<Pair<'r, CriterionRun>>,
    /// How the tasks changed.
    pub task_counts: Counts,
    /// How the criteria changed.
    pub criterion_counts: Counts,
}

impl<'r> Comparison<'r> {
    /// Compares two runs. Tasks belong together by id, and by order where a task has several runs; criteria by id.
    #[must_use]
    pub fn of(before: &'r [TaskRun], after: &'r [TaskRun]) -> Self {
        let tasks = paired(before, after, |run| run.task_id.as_deref().unwrap_or_default());
        let mut criteria = Vec::new();
        for (task, before, after) in &tasks {
            let of = |run: &Option<&'r TaskRun>| run.map(TaskRun::criteria).unwrap_or_default();
            let pairs = paired(of(before), of(after), |run: &CriterionRun| run.criterion_id.as_str());
            criteria.extend(pairs.into_iter().map(|(_, before, after)| {
                let change = Change::between(before.map(|run| run.status), after.map(|run| run.status));
                Pair { task, before, after, change }
            }));
        }
        let tasks: Vec<Pair<'r, TaskRun>> = tasks
            .into_iter()
            .map(|(task, before, after)| {
                let change = Change::between(before.map(TaskRun::status), after.map(TaskRun::status));
                Pair { task, before, after, change }
            })
            .collect();
        let (task_counts, criterion_counts) = (Counts::of(&tasks), Counts::of(&criteria));
        Self { tasks, criteria, task_counts, criterion_counts }
    }
}

type Matched<'r, T> = (&'r str, Option<&'r T>, Option<&'r T>);

/// Items of the same id together, the n-th of the one with the n-th of the other; in the order of the second list, what
/// only the first one has at the end.
fn paired<'r, T>(before: &'r [T], after: &'r [T], id: impl Fn(&'r T) -> &'r str) -> Vec<Matched<'r, T>> {
    let mut waiting: HashMap<&str, std::collections::VecDeque<usize>> = HashMap::new();
    for (at, item) in before.iter().enumerate() {
        waiting.entry(id(item)).or_default().push_back(at);
    }
    let mut pairs: Vec<Matched<'r, T>> = after
        .iter()
        .map(|item| {
            let name = id(item);
            let other = waiting.get_mut(name).and_then(std::collections::VecDeque::pop_front);
            (name, other.and_then(|at| before.get(at)), Some(item))
        })
        .collect();
    let mut left: Vec<usize> = waiting.into_values().flatten().collect();
    left.sort_unstable();
    pairs.extend(left.into_iter().filter_map(|at| before.get(at)).map(|item| (id(item), Some(item), None)));
    pairs
}

/// The two-sided exact binomial test of `better` against `worse` at even odds; 1 where nothing changed.
fn mcnemar(better: u64, worse: u64) -> f64 {
    let n = better + worse;
    let k = better.min(worse);
    if n == 0 {
        return 1.0;
    }
    // The terms as logarithms: 2^-n is 0 as a float from 1,075 changes on.
    let mut log_choose = 0.0_f64;
    let mut tail = 0.0_f64;
    let log_half = -(n as f64) * std::f64::consts::LN_2;
    for i in 0..=k {
        if i > 0 {
            log_choose += ((n - i + 1) as f64).ln() - (i as f64).ln();
        }
        tail += (log_choose + log_half).exp();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Comparison, Counts, mcnemar};
    use crate::model::{BenchmarkRun, Stored, TaskRun};

    fn epochs(verdicts: &[&str]) -> BenchmarkRun {
        let run = |(at, verdict): (usize, &&str)| json!({"task_id": "book", "epoch": at + 1, "verdict": *verdict, "score": 1.0});
        let runs: Vec<Value> = verdicts.iter().enumerate().map(run).collect();
        match Stored::of(json!({"verdict": "fail", "score": 0.5, "task_runs": runs})) {
            Ok(Stored::Benchmark(run)) => *run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn epochs_are_runs_of_one_task() {
        let (before, after) = (epochs(&["pass"]), epochs(&["fail", "pass", "pass"]));
        let compared = Comparison::of(before.runs(), after.runs());
        assert_eq!(compared.task_counts, Counts { worse: 1, undecided: 2, ..Counts::default() });
        assert!(compared.tasks.iter().all(|pair| pair.task == "book"));
        let shown: Vec<Option<&str>> = after.runs().iter().map(TaskRun::shown_id).collect();
        assert_eq!(shown, [Some("book, epoch 1"), Some("book, epoch 2"), Some("book, epoch 3")]);
        assert_eq!(before.runs()[0].shown_id(), Some("book"));
    }

    /// By R's `binom.test(min(b, c), b + c)`.
    #[test]
    fn the_exact_p_is_that_of_the_binomial_test() {
        for (better, worse, p) in
            [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (1, 9, 0.021_484_375), (3, 3, 1.0), (10, 2, 0.038_574_218_75)]
        {
            assert!((mcnemar(better, worse) - p).abs() < 1e-12, "{better} {worse}: {}", mcnemar(better, worse));
        }
        assert!(mcnemar(2000, 1000) < 1e-60 && mcnemar(2000, 1000) > 0.0);
    }
}
