//! The integration tests of this crate, in one program.

mod acknowledgments;
mod damages;
mod fhir;
mod parts;
mod whole;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/x12_ack/amounts.rs"]
mod amounts;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/lines.rs"]
mod lines;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/hl7v2_ack/place.rs"]
mod place;
