//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves.

mod boundary;
mod units;

#[path = "../../src/boundary.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod bounds;
#[path = "../../src/found.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod found;
#[cfg(target_os = "linux")]
#[path = "../../src/shim/inherited.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod inherited;
#[path = "../../src/kinds.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod kinds;
#[path = "../../src/plan.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod plan;
#[path = "../../src/removal.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod removal;
#[path = "../../src/socket.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod socket;
#[path = "../../src/system.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod system;
#[path = "../../src/temporary.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod temporary;
#[cfg(target_os = "linux")]
#[path = "../../src/shim/unescaped.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod unescaped;

// The modules take these from the root of the crate.
use bounds::Boundary;
use kinds::Mode;
use temporary::temporary;
