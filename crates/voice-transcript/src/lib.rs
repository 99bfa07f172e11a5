//! Asserts what was said on a call.
