//! The integration tests of this crate, in one program.

mod conformance;
mod correlations;
mod dates_as_text;
mod documents;
mod explain;
mod safety;
mod side_by_side;
mod together;
mod tried_paths;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/correlation.rs"]
mod correlation;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/document/encoded.rs"]
mod encoded;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/document/format.rs"]
mod format;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/here.rs"]
mod here;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/items.rs"]
mod items;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/path.rs"]
mod path;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/time.rs"]
mod time;
