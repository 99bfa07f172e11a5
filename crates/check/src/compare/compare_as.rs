//! The member `as`.

/// How an assertion wants values read: the member `as`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareAs {
    /// As text.
    String,
    /// As a number.
    Number,
    /// As a date or time.
    Date,
    /// As a FHIR reference.
    Reference,
    /// As a FHIR Quantity.
    Quantity,
}
