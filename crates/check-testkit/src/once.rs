//! Running one assertion.

use candor_check::{CheckType, Evidence, Sandbox};
use candor_json::Value;

/// Runs one assertion.
///
/// # Panics
/// When reading or judging panicked.
pub(crate) fn run(check: CheckType, assertion: Value, sandbox: &Sandbox) -> Evidence {
    let evidence = runtime().block_on(check.run(assertion, &hurried(sandbox)));
    assert!(!evidence.details().contains("which is a defect of this program"), "{}", evidence.details());
    evidence
}

/// The sandbox with a clock on which a wait of seconds takes milliseconds.
pub(crate) fn hurried(sandbox: &Sandbox) -> Sandbox {
    sandbox.with_work(sandbox.work().clone().hurried())
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}
