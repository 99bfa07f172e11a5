//! Whole paths through the project, and what the fuzz targets run.

pub mod fuzz_hl7v2;
