//! Starlark programs as verifiers and hooks.
//!
//! A program runs in a process of its own ([`child()`]), which holds limits on itself before it reads the first line of
//! it; this process holds the time and the size of the answer ([`Runner`]), and reads what was returned. A program sees
//! what it is given and what [`Grants`] name, and writes nowhere.

mod answer;
#[cfg(feature = "script")]
mod built_in;
mod child;
#[cfg(feature = "script")]
mod evaluate;
mod front_matter;
mod grants;
mod hook_file;
mod limits;
mod protocol;
mod runner;
mod source;

pub use child::child;
pub use front_matter::{FrontMatter, HookProgram};
pub use grants::{Grants, Origin};
pub use hook_file::HookFile;
pub use limits::Limits;
pub use runner::Runner;
pub use source::MOST as MOST_SOURCE;

pub(crate) use answer::verdict;
pub(crate) use protocol::{Claimed, Task};
pub(crate) use source::read;

/// True if this build runs programs: the feature `script`.
pub const BUILT_IN: bool = cfg!(feature = "script");
