//! The states of a delegated task, and the only ways from one to the next.

use jiff::Timestamp;
use serde::Serialize;

/// A state of a delegated task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// No delegate works on it yet.
    Pending,
    /// The delegate works on it.
    InProgress,
    /// The delegate says that it is done.
    AwaitingVerification,
    /// The verifier looks.
    VerificationInProgress,
    /// The verifier found it done.
    Passed,
    /// The verifier found it not done.
    Failed,
    /// It is done, and whoever relies on it may know.
    Completed,
    /// A human has to look.
    EscalatedToHuman,
}

use TaskStatus::{
    AwaitingVerification, Completed, EscalatedToHuman, Failed, InProgress, Passed, Pending, VerificationInProgress,
};

const TRANSITIONS: &[(TaskStatus, TaskStatus)] = &[
    (Pending, InProgress),
    (InProgress, AwaitingVerification),
    (AwaitingVerification, VerificationInProgress),
    (VerificationInProgress, Passed),
    (VerificationInProgress, Failed),
    (Passed, Completed),
    // A retry.
    (Failed, InProgress),
    (Failed, EscalatedToHuman),
];

impl TaskStatus {
    /// Every state.
    pub const ALL: &[Self] = &[
        Pending,
        InProgress,
        AwaitingVerification,
        VerificationInProgress,
        Passed,
        Failed,
        Completed,
        EscalatedToHuman,
    ];

    /// The state as records name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Pending => "pending",
            InProgress => "in_progress",
            AwaitingVerification => "awaiting_verification",
            VerificationInProgress => "verification_in_progress",
            Passed => "passed",
            Failed => "failed",
            Completed => "completed",
            EscalatedToHuman => "escalated_to_human",
        }
    }

    /// True if a task may go from this state to `next`.
    #[must_use]
    pub fn leads_to(self, next: Self) -> bool {
        TRANSITIONS.contains(&(self, next))
    }
}

/// A step of a task's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// From this state.
    pub from: TaskStatus,
    /// To that one.
    pub to: TaskStatus,
    /// When.
    #[serde(with = "crate::at")]
    pub at: Timestamp,
    /// Who moved it: the verifier's or the delegate's id.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// A transition that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchTransition {
    /// From this state.
    pub from: TaskStatus,
    /// To that one.
    pub to: TaskStatus,
}

impl std::fmt::Display for NoSuchTransition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a task does not go from {} to {}", self.from.name(), self.to.name())
    }
}

impl std::error::Error for NoSuchTransition {}

/// A task's state and how it came to be.
///
/// ```
/// use candor_verification::{StatusHistory, TaskStatus};
/// let mut history = StatusHistory::new();
/// history.go(TaskStatus::InProgress, "booking-agent", "attempt 0", jiff::Timestamp::UNIX_EPOCH)?;
/// assert_eq!(history.status(), TaskStatus::InProgress);
/// // The work is not done because its author says so.
/// assert!(history.go(TaskStatus::Completed, "booking-agent", "Done.", jiff::Timestamp::UNIX_EPOCH).is_err());
/// # Ok::<(), candor_verification::NoSuchTransition>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StatusHistory {
    transitions: Vec<Transition>,
    #[serde(skip)]
    status: TaskStatus,
}

impl Default for StatusHistory {
    fn default() -> Self {
        Self::new()
    }
}

impl StatusHistory {
    /// A task that no delegate works on yet.
    #[must_use]
    pub fn new() -> Self {
        Self { transitions: Vec::new(), status: Pending }
    }

    /// The state now.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        self.status
    }

    /// How it came to be.
    #[must_use]
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// Goes on to a state.
    ///
    /// # Errors
    /// When no transition leads there; the state is then unchanged.
    pub fn go(&mut self, to: TaskStatus, by: &str, reason: &str, at: Timestamp) -> Result<(), NoSuchTransition> {
        let from = self.status;
        if !from.leads_to(to) {
            return Err(NoSuchTransition { from, to });
        }
        self.transitions.push(Transition { from, to, at, by: by.to_owned(), reason: reason.to_owned() });
        self.status = to;
        Ok(())
    }
}
