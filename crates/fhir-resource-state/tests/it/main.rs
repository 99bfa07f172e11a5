//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod answers;
mod conformance;
mod definitions;
mod explain;
mod inputs;
mod live;
mod model;
mod models;
mod part;
mod properties;
mod side_by_side;
mod store_search;
mod tried;
mod units;

use candor_fhir_search as search;

#[path = "../../src/alike.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod alike;
#[path = "../../src/dosage/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod dosage;
#[path = "../../src/outcome.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod outcome;
#[path = "../../src/packed.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod packed;
#[path = "../../src/definitions/paths.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod paths;
#[path = "../../src/relation.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod relation;
#[path = "../../src/seen.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod seen;
#[path = "../../src/tried/steps.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod steps;
#[path = "../../src/store/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod store;
#[path = "../../src/unsafe_match/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod table;

// Of the library itself.
mod resolved {
    pub(crate) use candor_fhir_resource_state::Resolved;
}
