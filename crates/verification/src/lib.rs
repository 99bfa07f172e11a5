//! The loop between an agent's "Done." and whoever relies on it.
//!
//! A [`Verifier`] that is not the agent looks at the ground truth after every attempt. A red sends the same [`Delegate`]
//! back with the reason, a bounded number of times; a green lets the result through; a broken verifier says so. What the
//! delegate says is a [`Claim`], and nothing turns a claim into evidence.

mod at;
mod bounded;
mod claim;
mod delegate;
pub mod delegates;
mod disclosure;
mod escalation;
mod folder;
mod folder_state;
mod guard;
mod hook;
mod identity;
mod keep;
mod naming;
mod program;
mod protection;
mod ready;
mod record;
mod room;
mod running;
pub mod script;
mod service;
mod snapshot;
mod status;
mod tail;
mod task_loop;
mod template;
mod verifier;
pub mod verifiers;

pub use bounded::{LoopSettings, Progress, VerifyLoop};
pub use candor_confine as confine;
pub use candor_process::{self as process, plain};
pub use claim::Claim;
pub use delegate::{Delegate, DelegateError, Request};
pub use disclosure::{Disclose, Disclosed, LEVELS};
pub use folder::{Begun, RecordFolder, read_record};
pub use guard::{EvidenceGranted, independent};
pub use hook::{Handling, HookAnswer, HookPayload, HookRun, POST_VERIFY, PostVerifyHook};
pub use identity::{DelegateId, Parties, SelfAttestation, VerifierId};
pub use keep::Keep;
pub use program::same_program;
pub use protection::{Changes, FileDigests, Protection, is_protected, protect_globs};
pub use ready::Ready;
pub use record::{Attempt, AttemptOutcome, EscalatedAttempt, Escalation, LoopOutcome, LoopRecord, OpenCriterion};
pub use service::Service;
pub use snapshot::Snapshot;
pub use status::{NoSuchTransition, StatusHistory, TaskStatus, Transition};
pub use task_loop::{CommandWords, ScriptFile, ServiceSettings, SuiteSettings, TaskLoop};
pub use template::retry_prompt;
pub use verifier::{DynVerifier, Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict, Verifying};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
