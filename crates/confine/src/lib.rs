//! Starts a command behind a boundary of the system, by an allow-list: what is not granted is not there.
//!
//! Two mechanisms: PID and mount namespaces, and Landlock with a subreaper where a system refuses namespaces. A program
//! confines itself while it has one thread and then starts the command, so that nothing here is `unsafe`:
//! [`Boundary::launched`] gives the command line of that program, which calls [`shim`].

mod boundary;
mod found;
mod freezer;
mod kinds;
mod plan;
mod removal;
#[cfg(target_os = "linux")]
mod shim;
mod socket;
mod system;
mod temporary;

pub use boundary::Boundary;
pub use found::{Found, found, offer};
pub use freezer::Freezer;
pub use kinds::{Mode, Overlay, User};
pub use system::{Programs, distrust};
pub use temporary::{Temporary, remove_all, sweep, temporary};

/// Runs a command behind a boundary: what the program does that [`Boundary::launched`] names. The arguments are those
/// behind its name.
///
/// Call it before any thread is started.
#[must_use]
pub fn shim(arguments: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return shim::run(arguments);
    #[cfg(not(target_os = "linux"))]
    {
        drop(arguments);
        std::process::ExitCode::from(plan::NOT_STARTED)
    }
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
