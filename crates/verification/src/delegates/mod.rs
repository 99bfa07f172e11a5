//! The delegates that come with this crate: a command, run once per attempt or kept running, and an HTTP endpoint.

#[cfg(not(feature = "http"))]
mod absent;
#[cfg(feature = "http")]
mod http;
mod lines;
mod once;
mod read;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::delegate::DelegateError;
use crate::process::Limited;
use read::{claim, text_claim};

#[cfg(not(feature = "http"))]
pub use absent::HttpEndpoint;
#[cfg(feature = "http")]
pub use http::HttpEndpoint;
pub use lines::LinesCommand;
pub use once::CommandPerAttempt;

/// The most bytes of an answer. A longer one is of no use to a reader.
const MOST: usize = 8 << 20;

/// Why a command was not started. One that ran before, and lies where the delegate may write, is as the delegate left it.
fn not_started(command: &[OsString], limited: &Limited, has_run: bool, why: String) -> DelegateError {
    let boundary = limited.boundary.as_ref().filter(|_| has_run);
    match boundary.zip(command.first()).is_some_and(|(boundary, program)| boundary.may_write(Path::new(program))) {
        true => DelegateError::Broke(why),
        false => DelegateError::Unreachable(why),
    }
}

fn out_of_time(time: Duration) -> String {
    format!("it was ended after {} s, the time limit of an attempt", time.as_secs_f32())
}
