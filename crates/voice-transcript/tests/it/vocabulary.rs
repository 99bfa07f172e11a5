//! The bounds of the member `vocabulary`.

use candor_check::CheckType;
use candor_json::{Value, json};
use candor_voice_transcript::CHECK;

fn refusal(vocabulary: Value) -> Option<String> {
    let assertion = json!({"assert": "voice-transcript", "contains": ["Humira"], "vocabulary": vocabulary});
    CheckType::bind(&CHECK, assertion).err().map(|error| error.to_string())
}

#[test]
fn lists_and_words_have_bounds() {
    // words of letters alone, each another one
    let word = |index: u32| -> String {
        let letter = |digit: u32| char::from_digit(10 + digit % 26, 36).unwrap();
        ['x', letter(index / 676), letter(index / 26), letter(index)].into_iter().collect()
    };
    let words = |count: u32| (0..count).map(word).collect::<Vec<_>>();
    let pairs = |count: u32| words(2 * count).chunks(2).map(<[_]>::to_vec).collect::<Vec<_>>();
    for allowed in [
        json!({"words": words(1_000), "homophones": [words(20)]}),
        json!({"homophones": pairs(1_000)}),
        json!({"words": ["a".repeat(64)], "initialisms": ["abcdef"]}),
    ] {
        assert_eq!(refusal(allowed), None);
    }
    for (vocabulary, error) in [
        (json!({"words": words(1_001)}), "vocabulary.words: expected at most 1000 entries, found 1001"),
        (json!({"initialisms": words(1_001)}), "vocabulary.initialisms: expected at most 1000 entries, found 1001"),
        (json!({"homophones": pairs(1_001)}), "vocabulary.homophones: expected at most 1000 entries, found 1001"),
        (json!({"homophones": [words(21)]}), "vocabulary.homophones[0]: expected at most 20 entries, found 21"),
        (
            json!({"initialisms": ["a".repeat(10_000)]}),
            "vocabulary.initialisms[0]: expected an abbreviation of 2 to 6 letters, found 10000 characters",
        ),
    ] {
        assert_eq!(refusal(vocabulary).as_deref(), Some(error));
    }
}
