//! What may still stop a verified result, or change it, before anyone who relies on it sees it.

use crate::claim::Claim;
use crate::verifier::{VerifierError, VerifierVerdict};

/// The event that post-verify hooks are called for.
pub const POST_VERIFY: &str = "delegation.post_verify";

/// What a hook is told.
#[derive(Clone, Debug, PartialEq)]
pub struct HookPayload {
    /// The result as the hooks before left it.
    pub result: Claim,
    /// What the inline verifier said.
    pub verdict: VerifierVerdict,
    /// Which attempt it is.
    pub iteration: u32,
}

/// What a hook answers.
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

/// What looks at a result after the inline verifier.
pub trait PostVerifyHook: Send + Sync {
    /// What it is called in reasons.
    fn name(&self) -> &str;

    /// Hooks of a lower number come first; of the same number, in the order in which they were given.
    fn priority(&self) -> i64;

    /// Looks at a result.
    ///
    /// # Errors
    /// When the hook itself is broken.
    fn handle(&self, payload: &HookPayload) -> Result<HookAnswer, VerifierError>;
}

/// Runs hooks over a result, in order: what is left of the result, and the reasons of those that block it. All of them
/// look, also when one before blocked.
///
/// # Errors
/// Of the first hook that is broken.
pub(crate) fn run(
    hooks: &[Box<dyn PostVerifyHook>],
    mut payload: HookPayload,
) -> Result<(Claim, Vec<String>), VerifierError> {
    let mut ordered: Vec<&dyn PostVerifyHook> = hooks.iter().map(|hook| &**hook).collect();
    ordered.sort_by_key(|hook| hook.priority());
    let mut blocked = Vec::new();
    for hook in ordered {
        match hook.handle(&payload)? {
            HookAnswer::Allow => {}
            HookAnswer::Block { reason } => blocked.push(format!("{}: {reason}", hook.name())),
            HookAnswer::Modify(result) => payload.result = result,
        }
    }
    Ok((payload.result, blocked))
}
