//! Comparison of one value with what was expected: pure, exact, three-valued.

mod date;
mod decimal;
mod equal;
mod operator;
mod order;
mod reference;
mod rules;
mod value;

pub use date::{Answer, Date, DateForm, DateValue, Precision};
pub use decimal::Decimal;
pub use equal::{equal, lists_equal};
pub use operator::{OPERATORS, Operator};
pub use order::{Order, between, order};
pub use reference::References;
pub(crate) use rules::applied;
pub use rules::{RULES, Rule};
pub use value::{As, Datum, Judged, Manner};
