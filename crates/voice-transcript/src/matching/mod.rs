//! Phrases and where they were said: modes, word alignment, speakers, negation.
//!
//! [`Heard`] prepares the turns of one call once; [`Heard::occurrences`] finds a [`Phrase`] in it,
//! lazily and in order. Nothing here decides a verdict.

mod answers;
mod clauses;
mod corrections;
mod denials;
mod fuzzy;
mod groups;
mod heard;
mod language;
mod listing;
mod negation;
mod phrase;
mod sound;
mod speakers;
mod stance;
mod two;

pub(crate) use fuzzy::is_never_exchanged;
pub(crate) use heard::{Close, Part};
pub use heard::{Heard, Occurrence};
pub(crate) use listing::Listed;
pub use negation::Said;
pub(crate) use negation::doubt;
pub(crate) use phrase::Reach;
pub use phrase::{Mode, Phrase, PhraseError};
pub(crate) use sound::is_opposite;
pub use speakers::{Speaker, Speakers, SpeakersError};
pub use stance::Stance;
