//! Tests of modules that the library keeps to itself.

mod blanks;
mod delimited;
mod fixed;
mod row_path;
mod short;
mod text;
mod xml;
