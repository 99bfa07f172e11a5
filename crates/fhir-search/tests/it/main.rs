//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod common;
mod fhirpath;
mod found;
mod index;
mod literal;
mod moment;
mod properties;
mod table;
mod units;

#[path = "../../src/filter/lexer.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod lexer;
#[path = "../../src/number.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod number;
#[path = "../../src/prefix.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod prefix;
#[path = "../../src/quantity.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod quantity;
#[path = "../../src/set.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod set;
#[path = "../../src/string.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod string;
#[path = "../../src/text.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod text;
#[path = "../../src/types.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod types;
#[path = "../../src/uri.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod uri;
#[path = "../../src/words.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod words;
