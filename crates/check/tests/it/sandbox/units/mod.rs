//! Tests of single modules.

mod builder;
mod captured;
mod events;
mod limits;
mod memory;
mod password;
mod secret;
mod section;
mod shared;
