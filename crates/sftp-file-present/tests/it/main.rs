//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves, and
//! no client of a server.

mod archive;
mod conformance;
mod content;
mod cut;
mod hygiene;
mod listing;
#[cfg(feature = "pdf")]
mod pdf;
mod store;
mod units;

#[path = "../../src/alike.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod alike;
#[path = "../../src/draft.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod draft;
#[path = "../../src/encoding/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod encoding;
#[path = "../../src/order.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod order;
