//! Two runs of the same tasks: what got better, what got worse, what is undecided, and whether that is more than chance.

mod told;

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use candor_check::Status;

use crate::model::{CriterionRun, TaskRun};

/// The change of one task, or of one criterion of it.
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

/// A task, or one criterion of it, in both runs.
#[derive(Clone, Debug)]
pub struct Pair<'r, T> {
    /// The task's id.
    pub task: &'r str,
    /// The task's id, with the epoch where there are several.
    pub shown: &'r str,
    /// The one before, if there is one.
    pub before: Option<&'r T>,
    /// The one after, if there is one.
    pub after: Option<&'r T>,
    /// Its change.
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
    /// Those of which more runs got better than worse, and the other way round.
    pub moved: (u64, u64),
}

impl Counts {
    /// Counts pairs. `id` is the same for all runs of one task, or of one criterion of it.
    fn of<'r, T, I: Hash + Eq>(pairs: &[Pair<'r, T>], id: impl Fn(usize, &Pair<'r, T>) -> I) -> Self {
        let (mut counts, mut sums) = (Self::default(), HashMap::<I, i64>::new());
        for (at, pair) in pairs.iter().enumerate() {
            let sum = sums.entry(id(at, pair)).or_default();
            match pair.change {
                Change::Better => (counts.better, *sum) = (counts.better + 1, *sum + 1),
                Change::Worse => (counts.worse, *sum) = (counts.worse + 1, *sum - 1),
                Change::Undecided => counts.undecided += 1,
                Change::Same => counts.same += 1,
            }
        }
        let count = |sign: i64| sums.values().filter(|sum| sum.signum() == sign).count() as u64;
        Self { moved: (count(1), count(-1)), ..counts }
    }

    /// McNemar's exact p, two-sided: how probable a split of the changes at least as uneven is when better and worse are
    /// equally likely. Several runs of one task depend on each other, and count as one.
    #[must_use]
    pub fn p(&self) -> f64 {
        mcnemar(self.moved.0, self.moved.1)
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
    /// Compares two runs. Tasks belong together by id and epoch, those that are left by id and order; criteria by id.
    #[must_use]
    pub fn of(before: &'r [TaskRun], after: &'r [TaskRun]) -> Self {
        let epoch = |run: &TaskRun| run.agent.as_ref().map(|agent| agent.epoch);
        let tasks = paired(before, after, |run| run.task_id.as_deref().unwrap_or_default(), epoch);
        let shown = |before: Option<&'r TaskRun>, after: Option<&'r TaskRun>| {
            after.or(before).and_then(TaskRun::shown_id).unwrap_or_default()
        };
        let mut criteria = Vec::new();
        for (task, before, after) in &tasks {
            let shown = shown(*before, *after);
            let of = |run: &Option<&'r TaskRun>| run.map(TaskRun::criteria).unwrap_or_default();
            let pairs = paired(of(before), of(after), |run: &CriterionRun| run.criterion_id.as_str(), |_| None);
            criteria.extend(pairs.into_iter().map(|(_, before, after)| {
                let change = Change::between(before.map(|run| run.status), after.map(|run| run.status));
                Pair { task, shown, before, after, change }
            }));
        }
        let tasks: Vec<Pair<'r, TaskRun>> = tasks
            .into_iter()
            .map(|(task, before, after)| {
                let change = Change::between(before.map(TaskRun::status), after.map(TaskRun::status));
                Pair { task, shown: shown(before, after), before, after, change }
            })
            .collect();
        // A run without the id of a task is the only run of its task.
        let task_counts = Counts::of(&tasks, |at, pair| (pair.task, pair.task.is_empty().then_some(at)));
        let id = |pair: &Pair<'r, CriterionRun>| pair.after.or(pair.before).map(|one| one.criterion_id.as_str());
        let criterion_counts =
            Counts::of(&criteria, |at, pair| (pair.task, id(pair), pair.task.is_empty().then_some(at)));
        Self { tasks, criteria, task_counts, criterion_counts }
    }
}

type Matched<'r, T> = (&'r str, Option<&'r T>, Option<&'r T>);

/// Items of the same id and epoch together, and of those that are left the n-th of an id in the one list with the n-th in the
/// other; in the order of the second list, what only the first one has at the end.
fn paired<'r, T>(
    before: &'r [T],
    after: &'r [T],
    id: impl Fn(&'r T) -> &'r str,
    epoch: impl Fn(&'r T) -> Option<u64>,
) -> Vec<Matched<'r, T>> {
    let mut pairs: Vec<Matched<'r, T>> = after.iter().map(|item| (id(item), None, Some(item))).collect();
    let mut left: Vec<&'r T> = before.iter().collect();
    for by_epoch in [true, false] {
        let key = |item: &'r T| (id(item), epoch(item).filter(|_| by_epoch));
        let mut waiting: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (at, (_, _, item)) in pairs.iter().enumerate().filter(|(_, (_, other, _))| other.is_none()) {
            waiting.entry(item.map(key)).or_default().push_back(at);
        }
        left.retain(|item| {
            let place = waiting.get_mut(&Some(key(item))).and_then(VecDeque::pop_front);
            let Some((_, other, _)) = place.and_then(|at| pairs.get_mut(at)) else { return true };
            *other = Some(item);
            false
        });
    }
    pairs.extend(left.into_iter().map(|item| (id(item), Some(item), None)));
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
