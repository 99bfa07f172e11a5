//! The verifiers that come with this crate.

mod command;
mod composite;
mod criteria;
mod evaluator;
mod script;

pub use command::TestSuite;
pub use composite::Composite;
pub use criteria::Criteria;
pub use evaluator::EvaluatorResponse;
pub use script::Script;
