//! How a drop is done apart from its content: nothing unfinished next to it, nothing growing, its companions there, its control
//! numbers right, its name and its time as they must be, nothing delivered twice, nothing where nothing may be.

mod arrived;
mod checksum_file;
mod companions;
mod control;
mod control_results;
mod decimals;
mod digests;
mod name;
mod partials;
mod pgp;
mod stable;
mod together;
mod unique;
mod unique_rows;

pub(crate) use arrived::Arrived;
pub(crate) use companions::{Companion, SeenCompanion, companion_results, find};
pub(crate) use control::{Control, split_trailer};
pub(crate) use control_results::{SeenControl, control_results, read_sidecar};
pub(crate) use digests::{Algorithm, Digests, Sums};
pub(crate) use name::{Captures, NameRule};
pub(crate) use partials::{Partials, finished};
pub(crate) use pgp::{Pgp, SeenPgp};
#[cfg(feature = "pgp")]
pub(crate) use pgp::{SeenKey, Signer};
pub(crate) use stable::{Looks, Stable, State, look, state};
pub(crate) use together::{Forbidding, forbidden, forbidden_result, unique_result};
pub(crate) use unique::Unique;
pub(crate) use unique_rows::unique_rows_result;
