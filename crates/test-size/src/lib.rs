//! How much the tests try. `CANDOR_TEST_SIZE` is `small` or `full`, and this crate is the only place that reads it.
//! `cargo xtask test` runs every test in its small size, and `cargo xtask soak` runs the same tests in full.
//!
//! ```
//! let pages = candor_test_size::pick(3, 60);
//! let cases = candor_test_size::cases(256);
//! assert!(pages == 3 || cases == 2560);
//! ```

#![expect(clippy::panic, reason = "a test with a size that does not exist has to fail")]

/// `small` or `full`, by the size of this run. Without the variable it is `small`.
///
/// # Panics
/// When the variable names another size.
#[must_use]
pub fn pick<T>(small: T, full: T) -> T {
    match std::env::var("CANDOR_TEST_SIZE").as_deref() {
        Ok("full") => full,
        Ok("small") | Err(std::env::VarError::NotPresent) => small,
        other => panic!("CANDOR_TEST_SIZE is small or full, not {other:?}"),
    }
}

/// The number of cases of a property test: `small`, or ten times as many in full size.
#[must_use]
pub fn cases(small: u32) -> u32 {
    pick(small, small.saturating_mul(10))
}
