//! Asserts the rows behind a portal.
