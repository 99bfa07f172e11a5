//! Bundles of runs of every check: replayed, changed, redacted, masked. The program compiles again only the modules that
//! are tested by themselves.

mod common;
mod every_check;
mod flips;
mod hostile;
mod masks;
mod same;
mod signed;
mod stored;
mod units;

#[path = "../../src/digest.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod digest;
#[path = "../../src/key.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod key;
#[path = "../../src/zip.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod zip;
