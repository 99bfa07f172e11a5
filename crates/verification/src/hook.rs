//! Hooks that may still block or change a verified result, before anyone who relies on it sees it.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::verifier::{VerifierError, VerifierVerdict};

/// The event that post-verify hooks are called for.
pub const POST_VERIFY: &str = "delegation.post_verify";

/// The input of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookPayload {
    /// The result as the hooks before left it.
    pub result: Claim,
    /// The verdict of the inline verifier.
    pub verdict: VerifierVerdict,
    /// The copy of the workspace that the verifier looked at; empty without a workspace.
    pub workspace: PathBuf,
    /// Which attempt it is.
    pub iteration: u32,
}

/// The decision of a hook about a result.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Nothing to say.
    Allow,
    /// The result must not go on.
    Block {
        /// Why.
        reason: String,
    },
    /// The result goes on as this, also to the hooks after.
    Modify(Claim),
}

/// The future that [`PostVerifyHook::handle`] returns.
pub type Handling<'a> = Pin<Box<dyn Future<Output = Result<HookAnswer, VerifierError>> + Send + 'a>>;

/// A check that looks at a result after the inline verifier.
///
/// ```
/// use candor_verification::{Handling, HookAnswer, HookPayload, PostVerifyHook};
///
/// /// Blocks answers that say nothing.
/// struct SaysSomething;
///
/// impl PostVerifyHook for SaysSomething {
///     fn name(&self) -> &str {
///         "says-something"
///     }
///
///     fn priority(&self) -> i64 {
///         0
///     }
///
///     fn handle<'a>(&'a self, payload: &'a HookPayload) -> Handling<'a> {
///         Box::pin(async move {
///             Ok(match payload.result.response.trim() {
///                 "" => HookAnswer::Block { reason: "the answer says nothing".to_owned() },
///                 _ => HookAnswer::Allow,
///             })
///         })
///     }
/// }
/// ```
pub trait PostVerifyHook: Send + Sync {
    /// Its name in reasons.
    fn name(&self) -> &str;

    /// Hooks of a lower number come first; of the same number, in the order in which they were given.
    fn priority(&self) -> i64;

    /// True if it looks at the workspace: only then is a copy of it made for the look.
    fn reads_workspace(&self) -> bool {
        true
    }

    /// Looks at a result.
    ///
    /// # Errors
    /// When the hook itself is broken.
    fn handle<'a>(&'a self, payload: &'a HookPayload) -> Handling<'a>;
}

/// The action of a hook, for the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRun {
    /// The hook's name.
    pub name: String,
    /// `allow`, `block` or `modify`.
    pub action: String,
    /// Why it blocked, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

pub(crate) struct Handled {
    /// The result, as the last of them left it.
    pub(crate) result: Claim,
    pub(crate) modified: bool,
    pub(crate) runs: Vec<HookRun>,
}

/// Runs hooks over a result, in order. All of them look, also when one before blocked.
///
/// # Errors
/// Of the first hook that is broken.
pub(crate) async fn run(hooks: &[Box<dyn PostVerifyHook>], mut payload: HookPayload) -> Result<Handled, VerifierError> {
    let mut ordered: Vec<&dyn PostVerifyHook> = hooks.iter().map(|hook| &**hook).collect();
    ordered.sort_by_key(|hook| hook.priority());
    let (mut runs, mut modified) = (Vec::new(), false);
    for hook in ordered {
        let (action, reason) = match hook.handle(&payload).await? {
            HookAnswer::Allow => ("allow", None),
            HookAnswer::Block { reason } => ("block", Some(reason)),
            HookAnswer::Modify(result) => {
                modified = true;
                payload.result = result;
                ("modify", None)
            }
        };
        runs.push(HookRun { name: hook.name().to_owned(), action: action.to_owned(), reason });
    }
    Ok(Handled { result: payload.result, modified, runs })
}
