//! Two runs of the same tasks.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a helper of a test fails it by panicking")]

use candor_json::{Value, json};
use candor_report::comparison::{Comparison, Counts};
use candor_report::model::{BenchmarkRun, Stored, TaskRun};

fn epochs(runs: &[(u64, &str)]) -> BenchmarkRun {
    let run =
        |(epoch, verdict): &(u64, &str)| json!({"task_id": "book", "epoch": epoch, "verdict": verdict, "score": 1.0});
    let runs: Vec<Value> = runs.iter().map(run).collect();
    match Stored::of(json!({"verdict": "fail", "score": 0.5, "task_runs": runs})) {
        Ok(Stored::Benchmark(run)) => *run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn epochs_are_runs_of_one_task() {
    let (before, after) = (epochs(&[(1, "pass")]), epochs(&[(1, "fail"), (2, "pass"), (3, "pass")]));
    let compared = Comparison::of(before.runs(), after.runs());
    let counts = Counts { worse: 1, undecided: 2, moved: (0, 1), ..Counts::default() };
    assert_eq!(compared.task_counts, counts);
    assert!(compared.tasks.iter().all(|pair| pair.task == "book"));
    let shown: Vec<Option<&str>> = after.runs().iter().map(TaskRun::shown_id).collect();
    assert_eq!(shown, [Some("book, epoch 1"), Some("book, epoch 2"), Some("book, epoch 3")]);
    assert_eq!(before.runs()[0].shown_id(), Some("book"));
}

#[test]
fn the_order_in_which_epochs_ended_changes_nothing() {
    let all = [(1, "pass"), (2, "fail"), (3, "pass")];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let (before, after) = (epochs(&all), epochs(&order.map(|at| all[at])));
        let compared = Comparison::of(before.runs(), after.runs());
        assert_eq!(compared.task_counts, Counts { same: 3, ..Counts::default() }, "{order:?}");
    }
    // What has no epoch in common is paired by its order.
    let (before, after) = (epochs(&[(2, "pass"), (4, "pass")]), epochs(&[(3, "fail"), (4, "pass")]));
    let compared = Comparison::of(before.runs(), after.runs());
    assert_eq!(compared.task_counts, Counts { worse: 1, same: 1, moved: (0, 1), ..Counts::default() });
}

#[test]
fn epochs_of_one_task_are_one_trial() {
    let all = |verdict| (1..=20).map(|epoch| (epoch, verdict)).collect::<Vec<_>>();
    let (before, after) = (epochs(&all("pass")), epochs(&all("fail")));
    let counts = Comparison::of(before.runs(), after.runs()).task_counts;
    assert_eq!((counts.worse, counts.moved), (20, (0, 1)));
    assert!((counts.p() - 1.0).abs() < 1e-12, "{}", counts.p());
}

fn mcnemar(better: u64, worse: u64) -> f64 {
    Counts { moved: (better, worse), ..Counts::default() }.p()
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
