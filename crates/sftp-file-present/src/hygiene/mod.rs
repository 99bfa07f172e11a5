//! How a drop is done beside its content: nothing unfinished beside it, nothing growing, its companions there, its control
//! numbers right, nothing delivered twice, nothing where nothing may be.

mod checksum_file;
mod companions;
mod control;
mod control_results;
mod digests;
mod partials;
mod stable;
mod together;

pub(crate) use companions::{Companion, SeenCompanion, companion_results, find};
pub(crate) use control::{Control, split_trailer};
pub(crate) use control_results::{SeenControl, control_results, read_sidecar};
pub(crate) use digests::{Algorithm, Digests, Sums};
pub(crate) use partials::{Partials, finished};
pub(crate) use stable::{Looks, Stable, State, look, state};
pub(crate) use together::{forbidden, forbidden_result, unique_result};
