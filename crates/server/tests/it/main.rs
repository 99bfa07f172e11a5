//! The integration tests of this crate, in one program.

mod accepted_types;
mod archives;
mod bodies;
mod document;
mod outside_sandboxes;
mod sandbox_parts;
mod service;
mod tokens;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/body.rs"]
mod body;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/error.rs"]
mod error;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/html.rs"]
mod html;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/outside.rs"]
mod outside;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/world/parts.rs"]
mod parts;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/tar.rs"]
mod tar;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/token.rs"]
mod token;
