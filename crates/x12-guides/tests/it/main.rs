//! The integration tests of this crate, in one program.

mod directory;
mod explain;
mod made;
mod tables;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/dictionary.rs"]
mod dictionary;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/elements.rs"]
mod elements;
#[allow(dead_code, unreachable_pub, reason = "tests use a part of it")]
#[path = "../../src/guide.rs"]
mod guide;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/levels.rs"]
mod levels;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/situations/rules.rs"]
mod rules;
#[allow(dead_code, unreachable_pub, reason = "tests use a part of it")]
#[path = "../../src/segments.rs"]
mod segments;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/syntax.rs"]
mod syntax;
