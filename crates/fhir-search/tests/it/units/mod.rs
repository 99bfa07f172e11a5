//! Tests of modules that the library keeps to itself.

mod lexer;
mod number;
mod quantity;
mod set;
mod text;
mod types;
mod uri;
mod words;
