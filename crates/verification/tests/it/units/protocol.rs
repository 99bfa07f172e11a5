//! The messages of the process that runs a program.

use proptest::prelude::*;

use crate::protocol::{Answer, Came, Returned, read};

#[test]
fn nothing_but_the_answer_is_an_answer() {
    let answer = Answer { nonce: "n".to_owned(), came: Came::Returned(Returned::Bool(true)) };
    let written = candor_json::to_string(&answer).unwrap();
    assert_eq!(read(written.as_bytes(), "n"), Ok(answer.came));
    let twice = format!("{written}\n{written}");
    let more = written.replace("{\"nonce\"", "{\"more\":1,\"nonce\"");
    for (wrong, nonce) in [(written.as_str(), "m"), (&twice, "n"), (&more, "n"), ("", "n"), ("true", "n")] {
        assert!(read(wrong.as_bytes(), nonce).is_err(), "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(200)) })]

    #[test]
    fn no_bytes_are_an_answer_by_chance(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        prop_assert!(read(&bytes, "n").is_err());
    }
}
