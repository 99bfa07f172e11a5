//! The integration tests of this crate, in one program.

mod answers;
mod codes_in_words;
mod conformance;
mod line_ends;
mod orders;
mod persons;
mod reversals;
mod searches;
mod side_by_side;
mod together;
mod tried_paths;
mod two_items;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, unreachable_pub, reason = "tests use a part of it")]
#[path = "../../src/claims.rs"]
mod claims;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/facts.rs"]
mod facts;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/glossed.rs"]
mod glossed;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/lines.rs"]
mod lines;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/order.rs"]
mod order;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/answer/patients.rs"]
mod patients;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/person.rs"]
mod person;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/answer/rejections.rs"]
mod rejections;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/answer/standing.rs"]
mod standing;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/answer/tree.rs"]
mod tree;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/units.rs"]
mod units;
