//! Tests of single modules.

mod cost;
mod plain;
mod reach;
mod text;
mod tried;
mod unpacked;
