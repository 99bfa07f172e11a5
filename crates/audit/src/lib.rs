//! A rubric must be able to go red: proves it, criterion by criterion.
//!
//! [`audit`] changes a sandbox in which the work was done, one thing at a time and in memory, and lets the ordinary engine
//! judge each change. It knows no check: leaves come from the evidence's own places, harms and equivalents from the lists of
//! [`Operator`](candor_check::operators::Operator) that it is given. [`harden`] adds to a task file what kills the survivors;
//! [`draft`] writes a task file from what changed between two states.

mod accept;
mod additions;
mod apart;
mod audit;
mod distinct;
mod draft;
mod fate;
mod ground;
mod harden;
mod leaf;
mod mend;
mod paths;
mod report;
mod suggest;
mod told;
mod trial;
mod values;
mod widen;

pub use audit::{AuditError, Options, Probe, audit};
pub use draft::{About, DraftError, draft};
pub use harden::{Ask, HardenError, Hardened, Left, Mended, harden};
pub use report::{CriterionReport, Finding, Grade, Influence, Killed, OPERATORS, Report, Survivor, Tried};
