//! Comparison of one value with what was expected: pure, exact, three-valued.

mod code;
mod date;
mod decimal;
mod equal;
mod operator;
mod order;
mod quantity;
mod reference;
mod rules;
mod value;

pub(crate) use code::problem as code_problem;
pub use date::{Date, DateForm, DateValue, Precision, Ternary};
pub use decimal::Decimal;
pub use equal::{equal, lists_equal};
pub use operator::{OPERATORS, Operator};
pub use order::{between, order};
pub(crate) use quantity::Quantity;
pub use reference::References;
pub(crate) use rules::applied;
pub use rules::{RULES, Rule, normalized};
pub use value::{CompareAs, Comparison, Datum, MatchMode, Order};
