//! An MLLP server that records the messages it receives.
//!
//! Every frame becomes a file of its own, byte for byte, and is on the disk before it is acknowledged: a kill at any
//! instant loses no acknowledged message. Files are numbered in the order in which frames arrived
//! (`mllp-00000001.hl7`), so that the order can be read from the names later.
//!
//! [`Frames`] splits a connection's bytes, [`Store`] writes them, [`answers`] says what is sent back, and [`serve`] does
//! it all for many connections.

mod answer;
mod frame;
mod server;
mod store;

pub use answer::{Answer, Answers, Mode, answers};
pub use frame::Frames;
pub use server::{Event, Limits, Settings, serve};
pub use store::{Store, Stored};
