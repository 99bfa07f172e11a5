//! Where a phrase is heard in a call, as the check would hear it.

use candor_check::tried::{Selected, Tried};

use crate::matching::{Heard, Phrase, PhraseError, Said, Speakers};
use crate::transcript::{Extension, Transcript};

/// Where a phrase is said in a transcript, by whomever. `mode` is how it is compared.
///
/// # Errors
/// A phrase that cannot be looked for.
pub fn phrase(text: &str, mode: crate::matching::Mode, file: &str, bytes: &[u8]) -> Result<Tried, PhraseError> {
    let phrase = Phrase::new(text, mode)?;
    let call = match Transcript::read(bytes, Extension::of(file)) {
        Ok(call) => call,
        Err(error) => return Ok(Tried::unread(file, "", error.to_string())),
    };
    let heard = Heard::new(&call.turns, &Speakers::default());
    let selected = heard.occurrences(&phrase, None).map(|occurrence| {
        let turn = call.turns.get(occurrence.turn);
        let who = turn.and_then(|turn| turn.speaker.as_deref().or(turn.role.as_deref())).unwrap_or("nobody named");
        let said = match occurrence.said {
            Said::Plain if occurrence.stance.is_stated() => "stated".to_owned(),
            Said::Plain => {
                format!("said, and not stated: {}", occurrence.stance.names().collect::<Vec<_>>().join(", "))
            }
            Said::Negated => "negated".to_owned(),
            Said::Doubtful => "doubtful".to_owned(),
            Said::Corrected => "taken back".to_owned(),
        };
        let place = format!("turn {}, {who}", occurrence.turn);
        Selected { kind: Some(said), ..Selected::new(place, heard.quote(&occurrence)) }
    });
    let why = || match heard.nearest(&phrase, None) {
        Some((turn, met, of)) => {
            let text = call.turns.get(turn).map(|turn| turn.text.as_str()).unwrap_or_default();
            format!("turn {turn} comes closest, with {met} of {of} words: {text:?}")
        }
        None => format!("none of its words is said in the {} turns", heard.turns_read(None)),
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
        assert!(kinds.len() == 2 && kinds[1] == "negated" && kinds[0].starts_with("said, and not"), "{tried:?}");
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
