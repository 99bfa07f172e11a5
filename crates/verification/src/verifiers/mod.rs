//! The verifiers that come with this crate.

mod adversarial;
mod command;
mod composite;
mod criteria;
mod evaluated;
mod evaluator;
mod proposed;
mod protected;
mod script;
mod verdict;

pub use adversarial::{Adversarial, EvaluatedCriterion};
pub use command::TestSuite;
pub use composite::Composite;
pub use criteria::{Criteria, without_workspace};
pub use evaluated::{Evaluated, FAIL_PATTERN, PASS_PATTERN, evaluator_prompt};
pub use evaluator::EvaluatorResponse;
pub use protected::Protected;
pub use script::Script;
