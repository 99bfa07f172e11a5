//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod adversarial;
mod bounded;
mod common;
mod delegates;
mod evaluated;
#[cfg(all(feature = "script", feature = "http"))]
mod harness_scripts;
#[cfg(feature = "script")]
mod hook_file;
mod replayed;
#[cfg(feature = "script")]
mod script;
mod test_suite;
mod units;

use candor_verification::{plain, process};

#[path = "../../src/script/answer.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod answer;
#[path = "../../src/verifiers/adversarial/artifact.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod artifact;
#[path = "../../src/folder_state.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod folder_state;
#[path = "../../src/verifiers/adversarial/lines.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod lines;
#[path = "../../src/naming.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod naming;
#[path = "../../src/verifiers/proposed.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod proposed;
#[path = "../../src/protection.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod protection;
#[path = "../../src/script/protocol.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod protocol;
#[path = "../../src/delegates/read.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod read;
#[path = "../../src/ready.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod ready;
#[path = "../../src/room.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod room;
#[path = "../../src/folder/seal.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod seal;
#[path = "../../src/script/built_in/system.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod system;
#[path = "../../src/template.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod template;
#[path = "../../src/verifiers/verdict.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod verdict;

// What these modules use of the library, by its paths there.
mod claim {
    pub(crate) use candor_verification::Claim;
}
mod disclosure {
    pub(crate) use candor_verification::{Disclose, Disclosed};
}
mod grants {
    pub(crate) use candor_verification::script::Origin;
}
mod hook {
    pub(crate) use candor_verification::HookAnswer;
}
mod limits {
    pub(crate) use candor_verification::script::Limits;
}
mod verifier {
    pub(crate) use candor_verification::{Finding, VerifierVerdict};
}
