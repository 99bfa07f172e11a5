//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves, and
//! no engine of a database and no client of a server.

mod conformance;
mod http;
mod part;
mod reading;
mod source;
mod sql;
mod units;

#[path = "../../src/history/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod history;
#[path = "../../src/identity.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod identity;
#[path = "../../src/look.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod look;
#[path = "../../src/mask.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod mask;
#[path = "../../src/path.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod path;
#[path = "../../src/rows/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod rows;
#[path = "../../src/safety.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod safety;
#[path = "../../src/seen.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod seen;
#[path = "../../src/selection.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod selection;
#[path = "../../src/settings.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod settings;
#[path = "../../src/synonyms.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod synonyms;
#[path = "../../src/unique.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod unique;
