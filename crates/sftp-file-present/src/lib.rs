//! Asserts which files were dropped, and what they hold.
