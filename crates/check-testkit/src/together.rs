//! Criteria of one run, which read a source together.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use candor_check::{CheckType, Evidence, Sandbox};
use candor_json::Value;

use crate::memory::without_times;
use crate::once::{hurried, run, runtime};

/// Answers assertions as criteria of one run, and fails where one is answered otherwise than alone.
///
/// # Panics
/// Where an answer differs.
pub fn answered_alike(check: CheckType, sandbox: &Sandbox, assertions: &[Value]) -> Vec<Evidence> {
    let together = together(check, sandbox, assertions);
    let shown = |evidence: &Evidence| {
        let value = evidence.to_value(check.meta().evidence_key);
        without_times(&format!("{:?} {} {value:#}", evidence.reason(), evidence.details()))
    };
    for (assertion, evidence) in assertions.iter().zip(&together) {
        let alone = run(check, assertion.clone(), sandbox);
        assert_eq!(shown(evidence), shown(&alone), "{assertion} among {assertions:?}");
    }
    together
}

fn together(check: CheckType, sandbox: &Sandbox, assertions: &[Value]) -> Vec<Evidence> {
    let sandbox = hurried(sandbox);
    let sandbox = sandbox.with_work(sandbox.work().one_run());
    let mut asking: Vec<Pin<Box<dyn Future<Output = Evidence> + '_>>> = Vec::new();
    for assertion in assertions {
        asking.push(Box::pin(check.run(assertion.clone(), &sandbox)));
    }
    let mut answers: Vec<Option<Evidence>> = assertions.iter().map(|_| None).collect();
    let all = poll_fn(|context| {
        for (future, answer) in asking.iter_mut().zip(&mut answers).filter(|(_, answer)| answer.is_none()) {
            if let Poll::Ready(given) = future.as_mut().poll(context) {
                *answer = Some(given);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    });
    runtime().block_on(all);
    drop(asking);
    answers.into_iter().flatten().collect()
}
