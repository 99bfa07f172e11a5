//! Where a phrase is heard in a call, as the check would hear it.

use candor_check::tried::{Selected, Tried};

use crate::explain::{Near, near};
use crate::matching::{Phrase, PhraseError};
use crate::transcript::{Extension, Transcript};

/// Finds a phrase in a transcript, by any speaker. `mode` is how it is compared.
///
/// # Errors
/// A phrase that cannot be looked for.
pub fn phrase(text: &str, mode: crate::matching::Mode, file: &str, bytes: &[u8]) -> Result<Tried, PhraseError> {
    Phrase::new(text, mode)?;
    let call = match Transcript::read(bytes, Extension::of(file)) {
        Ok(call) => call,
        Err(error) => return Ok(Tried::unread(file, "", error.to_string())),
    };
    let all = near(&call, text, mode)?;
    let (places, misses): (Vec<Near>, Vec<Near>) = all.into_iter().partition(|near| !near.labels.is_empty());
    let selected = places.into_iter().map(|near| {
        let place = format!("turn {}, {}", near.turn, near.speaker);
        Selected { kind: Some(near.labels.join(", ")), ..Selected::new(place, near.quote) }
    });
    let why = || match misses.first() {
        Some(near) => format!("turn {} comes closest, and {}: {:?}", near.turn, near.contains, near.quote),
        None => format!("none of the {} turns has half of its words", call.turns.len()),
    };
    Ok(Tried::new(file, "").with(selected.collect(), why))
}
