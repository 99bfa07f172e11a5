//! The trait that every verifier implements.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use candor_engine::TaskRun;
use serde::{Deserialize, Serialize};

use crate::claim::Claim;

/// The input of a verifier.
#[derive(Clone, Debug)]
pub struct VerifierInput {
    /// The delegate's claim about its work.
    pub build_result: Claim,
    /// The claim of a second delegate, the evaluator, if there is an evaluator.
    pub eval_result: Option<Claim>,
    /// The folder that the delegate works in, as a copy that was taken before the look: a delegate that is still at
    /// work changes nothing in it. Empty without a workspace, or if neither the verifier nor a hook reads it.
    pub workspace: PathBuf,
    /// Which attempt this is, 0 the first.
    pub iteration: u32,
}

/// The verdict of a verifier about an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum VerifierVerdict {
    /// The work happened.
    Passed,
    /// It did not.
    Failed {
        /// The work that was missing, and where.
        reason: String,
    },
    /// It cannot be decided: not to be charged to the delegate.
    Unverifiable {
        /// The obstacle to the verification.
        reason: String,
    },
}

/// The verdict of one of several verifiers, in full, for the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The verifier's name.
    pub verifier: String,
    /// Its verdict.
    #[serde(flatten)]
    pub verdict: VerifierVerdict,
    /// Who proposed the criterion: `delegate`, or nothing where the author of the task wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<String>,
}

impl Finding {
    /// A verdict of a verifier.
    #[must_use]
    pub fn new(verifier: impl Into<String>, verdict: VerifierVerdict) -> Self {
        Self { verifier: verifier.into(), verdict, proposed_by: None }
    }
}

/// A verifier that is broken: a script that does not compile, a command that cannot start. Never "not verified", and
/// never a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierError {
    /// The broken part, and where it is.
    pub message: String,
}

impl VerifierError {
    /// An error, in a sentence.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl std::fmt::Display for VerifierError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the verifier is broken: {}", self.message)
    }
}

impl std::error::Error for VerifierError {}

/// Something that decides whether an attempt did its work, and is not who did it.
///
/// ```
/// use candor_verification::{Verifier, VerifierError, VerifierInput, VerifierVerdict};
///
/// /// Asks for a file.
/// struct HasReport;
///
/// impl Verifier for HasReport {
///     async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
///         Ok(match input.workspace.join("report.md").is_file() {
///             true => VerifierVerdict::Passed,
///             false => VerifierVerdict::Failed { reason: "report.md is not there".to_owned() },
///         })
///     }
/// }
/// ```
pub trait Verifier: Send + Sync {
    /// Looks at the ground truth of an attempt.
    ///
    /// # Errors
    /// When the verifier itself is broken.
    fn verify(&self, input: &VerifierInput) -> impl Future<Output = Result<VerifierVerdict, VerifierError>> + Send;

    /// The most attempts that make sense with this verifier; the loop holds it whatever the verdicts are and however many
    /// retries there may be. Three where a verifier does not say; the verifiers of this crate set no bound.
    fn max_iterations(&self) -> u32 {
        3
    }

    /// True if it looks at the workspace: only then is a copy of it made for the look.
    fn reads_workspace(&self) -> bool {
        true
    }

    /// The task run that the last verdict rests on, for the record; never shown to the delegate.
    fn task_run(&self) -> Option<TaskRun> {
        None
    }

    /// The findings that the last verdict is composed of, for the record; never shown to the delegate.
    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// True if its reasons already keep to a level of disclosure.
    fn discloses(&self) -> bool {
        false
    }

    /// The answer of an evaluator about the last attempt, for the record; never shown to the delegate.
    fn evaluation(&self) -> Option<Claim> {
        None
    }
}

/// The future of [`DynVerifier::verify_dyn`].
pub type Verifying<'a> = Pin<Box<dyn Future<Output = Result<VerifierVerdict, VerifierError>> + Send + 'a>>;

/// A verifier of a kind that is known when it runs only. Every [`Verifier`] is one.
pub trait DynVerifier: Send + Sync {
    /// As [`Verifier::verify`].
    fn verify_dyn<'a>(&'a self, input: &'a VerifierInput) -> Verifying<'a>;
    /// As [`Verifier::max_iterations`].
    fn max_iterations_dyn(&self) -> u32;
    /// As [`Verifier::reads_workspace`].
    fn reads_workspace_dyn(&self) -> bool;
    /// As [`Verifier::task_run`].
    fn task_run_dyn(&self) -> Option<TaskRun>;
    /// As [`Verifier::findings`].
    fn findings_dyn(&self) -> Vec<Finding>;
    /// As [`Verifier::discloses`].
    fn discloses_dyn(&self) -> bool;
    /// As [`Verifier::evaluation`].
    fn evaluation_dyn(&self) -> Option<Claim>;
}

impl<V: Verifier> DynVerifier for V {
    fn verify_dyn<'a>(&'a self, input: &'a VerifierInput) -> Verifying<'a> {
        Box::pin(self.verify(input))
    }

    fn max_iterations_dyn(&self) -> u32 {
        self.max_iterations()
    }

    fn reads_workspace_dyn(&self) -> bool {
        self.reads_workspace()
    }

    fn task_run_dyn(&self) -> Option<TaskRun> {
        self.task_run()
    }

    fn findings_dyn(&self) -> Vec<Finding> {
        self.findings()
    }

    fn discloses_dyn(&self) -> bool {
        self.discloses()
    }

    fn evaluation_dyn(&self) -> Option<Claim> {
        self.evaluation()
    }
}

impl Verifier for Box<dyn DynVerifier> {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        (**self).verify_dyn(input).await
    }

    fn max_iterations(&self) -> u32 {
        (**self).max_iterations_dyn()
    }

    fn reads_workspace(&self) -> bool {
        (**self).reads_workspace_dyn()
    }

    fn task_run(&self) -> Option<TaskRun> {
        (**self).task_run_dyn()
    }

    fn findings(&self) -> Vec<Finding> {
        (**self).findings_dyn()
    }

    fn discloses(&self) -> bool {
        (**self).discloses_dyn()
    }

    fn evaluation(&self) -> Option<Claim> {
        (**self).evaluation_dyn()
    }
}
