//! Searches for words.

use candor_json::json;

use crate::words::{Where, Words};

#[test]
fn words_are_whole_and_in_any_order() {
    let note = json!({
        "text": {"div": "<div class=\"aspirin\"><p>Fièvre &amp; <b>toux</b></p><!-- secret > --></div>"},
        "note": [{"text": "Given at 10:30"}],
    });
    let are_in = |words: &str, place| Words::parse(words).unwrap().are_in(&note, place);
    for (words, narrative, resource) in [
        ("toux FIEVRE", true, true),
        ("tou", false, false),
        ("aspirin", false, false),
        ("secret", false, false),
        ("given", false, true),
        ("toux given", false, true),
        ("10 30", false, true),
        ("toux missing", false, false),
    ] {
        assert_eq!((are_in(words, Where::Narrative), are_in(words, Where::Resource)), (narrative, resource), "{words}");
    }
    assert!(Words::parse("--, ").is_err());
}
