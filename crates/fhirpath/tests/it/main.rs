//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod context;
mod fhirpathjs;
mod official;
mod place;
mod properties;
mod units;

#[path = "../../src/decimal.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod decimal;
#[path = "../../src/functions.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod functions;
#[path = "../../src/model.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod model;
#[path = "../../src/evaluate/series.rs"]
mod series;
#[path = "../../src/definitions/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod table;
#[path = "../../src/temporal.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod temporal;
