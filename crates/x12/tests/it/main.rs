//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod common;
mod envelope;
mod leaves;
mod paths;
mod props;
mod real;
mod units;
mod walk;

#[path = "../../src/delimiters.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod delimiters;
#[path = "../../src/envelope.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod envelopes;
#[path = "../../src/header.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod header;

// The header takes it from the root of the crate.
use delimiters::Delimiters;
