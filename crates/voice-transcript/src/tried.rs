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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Mode;

    #[test]
    fn a_phrase_is_told_with_who_said_it_and_how() {
        let call = b"agent: Is the claim approved?\npayer: No, the claim is not approved.\n";
        let tried = phrase("claim is approved", Mode::Normalized, "c.txt", call).unwrap();
        assert!(tried.selected.is_empty() && tried.why.as_ref().unwrap().contains("comes closest"), "{tried:?}");
        let tried = phrase("approved", Mode::Normalized, "c.txt", call).unwrap();
        let kinds: Vec<&str> = tried.selected.iter().filter_map(|one| one.kind.as_deref()).collect();
        assert!(kinds.len() == 2 && kinds[1] == "negated" && kinds[0] == "asked", "{tried:?}");
        assert!(phrase(" ", Mode::Normalized, "c.txt", call).is_err());
        assert!(phrase("x", Mode::Normalized, "c.txt", b"").unwrap().unreadable);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text in "[ -~]{0,24}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = phrase(&text, Mode::Normalized, "c.txt", &bytes);
            let _ = phrase(&text, Mode::Regex, "c.json", &bytes);
        }
    }
}
