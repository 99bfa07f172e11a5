//! Checks if an HL7 v2 message fits the abstract message structure of its version, 2.1 to 2.8.2.
//!
//! [`check`] takes a message of `candor-hl7v2` and reports every [`Violation`]: segments that are missing, in the wrong
//! place or too many, required fields without a value, repetitions of fields that may not repeat, and values that are
//! certainly not of their data type. Parts that a version does not define (Z segments, other segments, fields beyond
//! the last) are not violations.
//!
//! The tables are data (`data/`), read once for each version that is asked for.
//!
//! ```
//! use candor_hl7v2::messages;
//! use candor_hl7v2_structure::{Fit, Rule, Wanted, check};
//!
//! let text = b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01^ADT_A01|1|P|2.5.1\rEVN||20261120\rPID|1||77||Smith^John\r";
//! let message = messages(text).next().ok_or("no message")??;
//! let Fit::Checked(checked) = check(&message, Wanted::ByMessage) else { return Err("no table".into()) };
//! let violation = checked.violations.first().ok_or("it fits")?;
//! assert_eq!((violation.rule, violation.path.as_str(), violation.code), (Rule::MissingSegment, "PV1", 100));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod datatype;
mod dates;
mod fields;
mod grammar;
mod group_path;
mod groups;
mod known;
mod names;
mod order;
mod part;
mod table;
mod violation;

pub use check::{Checked, Fit, MOST_VIOLATIONS, Wanted, check};
pub use dates::is_date;
pub use group_path::{GroupPath, GroupPathError, GroupStep, is_group};
pub use groups::{Groups, Scope};
pub use known::{Unknown, segments, unknown};
pub use names::{field_name, segment_name};
pub use part::MessagePart;
pub use table::{Version, is_structure};
pub use violation::{Rule, Violation};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
