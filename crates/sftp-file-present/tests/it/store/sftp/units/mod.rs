//! Tests of modules that the library keeps to itself.

mod address;
mod known_hosts;
mod private_key;
mod trouble;
mod walk;
