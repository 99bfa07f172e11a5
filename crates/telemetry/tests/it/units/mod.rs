//! Tests of modules that the library keeps to itself.

mod context;
mod export;
mod message;
mod settings;
