//! Who does the work, as the loop sees them.

use std::future::Future;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::identity::DelegateId;

/// A request to a delegate. It never holds a criterion beyond what a reason may disclose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The task, or the retry prompt.
    pub prompt: String,
    /// Which attempt this is, 0 the first.
    pub attempt: u32,
    /// The same on every attempt of one loop.
    pub session: String,
}

/// Why there is no answer of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DelegateError {
    /// It cannot be asked at all: no such command, no such host. The loop ends, and no work was done.
    Unreachable(String),
    /// It may have been asked, and its answer was lost on the way. The loop ends, and does not blame the delegate. A
    /// loop that continues from its record looks at the ground truth before it asks again.
    Lost(String),
    /// It was asked and broke off, answered nothing that can be read, or took too long. What it did may have been done
    /// nonetheless, so the verifier looks.
    Broke(String),
}

impl std::fmt::Display for DelegateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreachable(what) => write!(f, "the delegate cannot be reached: {what}"),
            Self::Lost(what) => write!(f, "the delegate's answer was lost: {what}"),
            Self::Broke(what) => write!(f, "the delegate broke off: {what}"),
        }
    }
}

impl std::error::Error for DelegateError {}

/// Who does the work. The loop asks the same delegate on every attempt.
pub trait Delegate: Send {
    /// Its id, which is never the verifier's.
    fn id(&self) -> &DelegateId;

    /// Asks it to do the work.
    ///
    /// # Errors
    /// When it does not answer.
    fn attempt(&mut self, request: &Request) -> impl Future<Output = Result<Claim, DelegateError>> + Send;

    /// The end of what it wrote to standard error in the last attempt, if it answered and wrote any.
    fn stderr(&mut self) -> impl Future<Output = Option<String>> + Send {
        async { None }
    }

    /// Stops every process of it that still runs, so that nothing changes while the verifier looks at its work. A
    /// process that cannot be stopped is ended.
    fn freeze(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Looks for anything of it that has run since it was stopped. A delegate that ran is ended, and the answer is `false`.
    fn held(&mut self) -> impl Future<Output = bool> + Send {
        async { true }
    }

    /// Lets it go on.
    fn thaw(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Removes all files of the delegate but its work, where it has files of its own. The error is a reason: the
    /// delegate left no room for a copy of its work.
    fn make_room(&mut self) -> impl Future<Output = Option<Result<(), String>>> + Send {
        async { None }
    }

    /// Ends it, with everything that it started.
    fn end(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}
