//! Asserts what X12 transaction sets answer.
