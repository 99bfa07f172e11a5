//! Tests of modules that the library keeps to itself.

mod codes;
mod decimal;
mod functions;
mod model;
mod series;
mod table;
mod temporal;
