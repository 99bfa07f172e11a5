//! JSON with exact numbers and with members in their order: a strict reader, a value and a writer.
//!
//! The interface is the part of `serde_json`'s that Candor uses, with the same texts and the same errors as `serde_json` has
//! with its features `arbitrary_precision`, `preserve_order` and `raw_value`. A crate's features are those that any crate
//! of a build asks for. So if Candor asked for these, the `serde_json` of a program that depends on Candor would change.
//!
//! Differences, each on purpose:
//! - A number with a plain text reaches untagged and flattened types as a number: see [`Number`] and `exact`.
//! - Other serializers get numbers and raw values as plain ones, never as a map or a struct.
//! - No member of the data is mistaken for a number or a raw value by its name.
//! - [`RawValue`](value::RawValue) has a lifetime instead of being unsized, so that no `unsafe` is needed.
//! - An `f64` is always the closest one, and never infinite.
//! - No number is taken for a map or a struct by an untagged type.
//! - A string that is read as bytes must be UTF-8 without control characters, as any other string.
//! - [`text`] finds members, places, repeated names and depth in a text, without making values.

mod error;
mod exact;
mod macros;
mod number;
mod probe;
mod raw;
mod read;
mod scan;
pub mod text;
pub mod value;
mod write;

pub use error::{Error, Result};
pub use number::Number;
pub use read::{Deserializer, StreamDeserializer, from_slice, from_str};
pub use value::{Map, Value, from_value, map, to_value};
pub use write::{to_string, to_string_pretty, to_vec, to_vec_pretty, to_writer, to_writer_pretty};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
