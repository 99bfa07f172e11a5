//! Tests of modules that the library keeps to itself.

#[cfg(feature = "databases")]
mod clause;
#[cfg(feature = "sqlite")]
mod journal;
mod locator;
#[cfg(feature = "databases")]
mod mysql_kind;
mod numbers;
#[cfg(feature = "databases")]
mod postgres_kind;
#[cfg(feature = "databases")]
mod tls;
