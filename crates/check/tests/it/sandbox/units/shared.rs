//! A reading that the criteria of a run share.

use std::cell::RefCell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use candor_check::sandbox::SharedReading;
use candor_check::work::Work;
use candor_check::{Obstacle, Sandbox, Unverifiable};

type Answer<T> = Result<T, Unverifiable>;

/// The answers to three questions, and which of them were read together, in order.
fn asked(works: [&Work; 3], reads_together: bool) -> (Vec<Answer<u32>>, Vec<Vec<u32>>) {
    let (shared, passes) = (SharedReading::default(), RefCell::new(Vec::new()));
    let pass = |asks: Vec<u32>| {
        let read = reads_together || asks.len() == 1;
        passes.borrow_mut().push(asks.clone());
        let why = || Unverifiable::new(Obstacle::Timeout, "late");
        std::future::ready(read.then(|| asks.into_iter().map(|ask| Ok(10 * ask)).collect()).ok_or_else(why))
    };
    let sandboxes = works.map(|work| Sandbox::builder().build(&[]).unwrap().with_work(work.clone()));
    let mut asking: Vec<_> =
        sandboxes.iter().zip(1..).map(|(sandbox, ask)| Box::pin(shared.read(sandbox, ask, pass))).collect();
    let mut answers = vec![None, None, None];
    for _ in 0..3 {
        for (future, answer) in asking.iter_mut().zip(&mut answers) {
            let polled = answer.is_none().then(|| pin!(future).poll(&mut Context::from_waker(Waker::noop())));
            if let Some(Poll::Ready(given)) = polled {
                *answer = Some(given);
            }
        }
    }
    drop(asking);
    (answers.into_iter().flatten().collect(), passes.into_inner())
}

#[test]
fn one_run_reads_once_and_each_alone_where_that_fails() {
    let (one, other, none) = (Work::default().one_run(), Work::default().one_run(), Work::default());
    let all = vec![Ok(10), Ok(20), Ok(30)];
    assert_eq!(asked([&one, &one, &one], true), (all.clone(), vec![vec![1, 2, 3]]));
    assert_eq!(asked([&one, &one, &one], false), (all.clone(), vec![vec![1, 2, 3], vec![1], vec![2], vec![3]]));
    assert_eq!(asked([&none, &none, &none], true), (all.clone(), vec![vec![1], vec![2], vec![3]]));
    assert_eq!(asked([&one, &one, &other], true).0, all);
}
