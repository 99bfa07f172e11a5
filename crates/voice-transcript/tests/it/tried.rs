//! Where a phrase is heard in a call.

use candor_voice_transcript::matching::Mode;
use candor_voice_transcript::tried::phrase;

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
