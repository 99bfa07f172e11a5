//! Every name that is sent, with what its value may be. `docs/agents.md` has them all; a test holds it to that.

/// The span of a verified delegation.
pub const DELEGATION_SPAN: &str = "delegation.execute";
/// The span of one criterion run, a child of the delegation's.
pub const CRITERION_SPAN: &str = "criterion.run";

/// How many attempts were verified (int).
pub const VERIFY_ATTEMPTS: &str = "delegation.verify_attempts";
/// True if the last of them passed (bool).
pub const VERIFY_PASSED: &str = "delegation.verify_passed";
/// `passed`, `failed`, or `skipped` where verification came to no answer.
pub const VERIFY_OUTCOME: &str = "delegation.verify_outcome";
/// `command`, `lines` or `http`.
pub const KIND: &str = "delegation.kind";
/// The task's id, where it is a plain name.
pub const TASK_ID: &str = "task.id";

/// The attempt that the criterion was run after, 0 the first (int).
pub const ATTEMPT: &str = "delegation.attempt";
/// The criterion's id, where it is a plain name.
pub const CRITERION_ID: &str = "criterion.id";
/// Its place in the task, 0 the first (int).
pub const CRITERION_INDEX: &str = "criterion.index";
/// The check: `fhir-resource-state`.
pub const CHECK: &str = "criterion.check";
/// `passed`, `failed` or `unverifiable`.
pub const STATUS: &str = "criterion.status";
/// Why it did not pass, as a code: `no_candidate`.
pub const REASON: &str = "criterion.reason";
/// The score, from 0 to 1 (double).
pub const SCORE: &str = "criterion.score";
/// Its share of all weight, from 0 to 1 (double).
pub const WEIGHT_SHARE: &str = "criterion.weight_share";

/// Counts delegations, by kind and outcome.
pub const DELEGATIONS: &str = "candor.delegations";
/// How many attempts a delegation took, by kind and outcome.
pub const ATTEMPTS: &str = "candor.delegation.attempts";
/// How long a delegation took, in seconds, by kind and outcome.
pub const DELEGATION_DURATION: &str = "candor.delegation.duration";
/// Counts criterion runs, by check and status.
pub const CRITERION_RUNS: &str = "candor.criterion.runs";
/// How long a criterion run took, in seconds, by check and status.
pub const CRITERION_DURATION: &str = "candor.criterion.duration";

/// The spans' names, then the attributes', then the metrics'.
pub const NAMES: &[&str] = &[
    DELEGATION_SPAN,
    CRITERION_SPAN,
    VERIFY_ATTEMPTS,
    VERIFY_PASSED,
    VERIFY_OUTCOME,
    KIND,
    TASK_ID,
    ATTEMPT,
    CRITERION_ID,
    CRITERION_INDEX,
    CHECK,
    STATUS,
    REASON,
    SCORE,
    WEIGHT_SHARE,
    DELEGATIONS,
    ATTEMPTS,
    DELEGATION_DURATION,
    CRITERION_RUNS,
    CRITERION_DURATION,
];

/// The longest name that is sent.
const LONGEST: usize = 64;

/// A name that somebody gave, as far as it is one: letters, digits, `-`, `_` and `.`. Any other text may hold anything, and
/// is not sent.
#[must_use]
pub fn plain_name(text: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let named = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    (text.len() <= LONGEST && named && text.bytes().all(plain)).then_some(text)
}
