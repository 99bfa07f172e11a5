//! Tests of modules that the library keeps to itself.

mod found;
#[cfg(target_os = "linux")]
mod inherited;
mod plan;
mod removal;
mod socket;
mod system;
mod temporary;
#[cfg(target_os = "linux")]
mod unescaped;
