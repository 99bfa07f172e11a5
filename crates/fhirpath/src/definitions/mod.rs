//! FHIR's own definitions: which elements a type has in R4, R4B and R5, which of them must be there, and which codes a required
//! binding allows.
//!
//! They are for what is known before any resource is read: a path that no resource can have, a code that no resource may
//! hold, the type of the element at a path. A [`Position`] goes from a resource type along a path. Where the type of an element is
//! not known for certain (a contained resource, an extension, what a reference leads to) the position is open, and everything
//! may follow.
//!
//! ```
//! use candor_fhirpath::definitions::Position;
//! let task = Position::of("Task");
//! let repetitions = task.member("restriction")?.member("repetitions")?;
//! assert_eq!(repetitions.types().unwrap()[0].name(), "positiveInt");
//! let unknown = task.member("restrictions").unwrap_err();
//! assert_eq!(unknown.to_string(), "Task has no element `restrictions`; did you mean `restriction`?");
//! let codes = task.member("status")?.codes().unwrap();
//! assert_eq!(codes.nearest("canceled"), Some("cancelled"));
//! # Ok::<(), candor_fhirpath::definitions::UnknownElement>(())
//! ```

mod codes;
mod compared;
mod expression;
mod position;
mod table;

pub use codes::Codes;
pub use compared::NeverEqual;
pub use expression::Reach;
pub use position::{Position, UnknownElement};
pub use table::{Releases, Type};

fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = name.to_lowercase();
    // The distance takes time by the product of both lengths, and no name or code is that long.
    if name.len() > 100 {
        return None;
    }
    known
        .map(|known| (strsim::damerau_levenshtein(&folded, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().max(name.len()) / 4)
        .min()
        .map(|(_, known)| known)
}
