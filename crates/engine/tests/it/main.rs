//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod documents;
mod lint;
mod manners;
mod task;
mod units;

#[path = "../../src/clock.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod clock;
#[path = "../../src/document/comments.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod comments;
#[path = "../../src/document/depth.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod depth;
#[path = "../../src/keys.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod keys;
#[path = "../../src/observed.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod observed;
#[path = "../../src/placeholder.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod placeholder;
#[path = "../../src/waited.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod waited;

/// Where the library has it.
mod document {
    pub(crate) use crate::depth::is_deeper;
}
