//! Tests of modules that the library keeps to itself.

mod alike;
mod content;
mod cut;
mod dosage;
mod identity;
mod outcome;
mod packed;
mod pages;
mod paths;
mod read;
mod relation;
mod request;
mod steps;
mod table;
mod versions;
