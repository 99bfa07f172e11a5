//! Which values an assertion names. What is named is asserted, also where it says that the work was not done.

use super::{Expected, Field, FieldPath, Quantifier};
use crate::compare::{Comparison, Datum, MatchMode, References, equal};

impl<P: FieldPath> Field<P> {
    /// True if the assertion names this value, which its path selected: by `equals` or `in`. Other operators, such as
    /// `notEmpty` and `notEquals`, name no value, and `quantifier: none` names what must not be there.
    #[must_use]
    pub fn names(&self, datum: &Datum<'_>, references: &References) -> bool {
        let named = match &self.expected {
            _ if self.quantifier == Quantifier::None => return false,
            Expected::Equals(candor_json::Value::Array(items)) | Expected::In(items) => items.as_slice(),
            Expected::Equals(value) => std::slice::from_ref(value),
            _ => return false,
        };
        let (rules, zone) = (self.rules.as_slice(), self.zone.as_ref());
        let manner = MatchMode { read_as: self.read_as, rules, dates: P::DATES, references, zone, types: None };
        named.iter().any(|value| !value.is_null() && equal(datum, value, &manner) == Comparison::Holds)
    }
}
