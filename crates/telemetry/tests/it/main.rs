//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod attributes;
mod page;
mod units;

#[path = "../../src/context.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod context;
#[path = "../../src/export.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod export;
#[path = "../../src/message.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod message;
#[path = "../../src/settings.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod settings;
