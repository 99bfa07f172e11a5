//! Fields that compare dates of less than full precision.

use crate::compare::CompareAs;
use crate::field::{Expected, Field};

/// Whether a field compares dates with a day, a month or a year.
pub(super) fn compares_days<P>(field: &Field<P>) -> bool {
    field.read_as == Some(CompareAs::Date) && expected(field).any(|text| !text.contains(['T', 't', ':']))
}

/// The texts that a field compares with.
fn expected<P>(field: &Field<P>) -> impl Iterator<Item = &str> {
    let values = match &field.expected {
        Expected::Equals(value) | Expected::NotEquals(value) | Expected::Ordered(_, value) => vec![value],
        Expected::In(values) | Expected::NotIn(values) => values.iter().collect(),
        Expected::Between(low, high) => vec![low, high],
        _ => Vec::new(),
    };
    values.into_iter().filter_map(serde_json::Value::as_str)
}
