//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod conformance;
mod endpoints;
mod placeholders;
mod real;
mod units;

#[path = "../../src/files/bytes.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod bytes;
#[path = "../../src/command/copy.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod copy;
#[path = "../../src/command/counts.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod counts;
#[path = "../../src/draft.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod draft;
#[path = "../../src/placeholders/language.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod language;
#[path = "../../src/placeholders/markers.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod markers;
#[path = "../../src/http/rank.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod rank;
#[path = "../../src/command/report.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod report;
#[path = "../../src/command/shell.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod shell;
#[path = "../../src/source.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod source;
#[path = "../../src/http/status.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod status;
#[path = "../../src/text.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod text;
