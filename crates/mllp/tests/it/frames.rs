//! Frames are the same however a connection is cut.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_mllp::{Frames, Mode, answers};
use proptest::prelude::*;

fn frames(pieces: &[&[u8]]) -> Vec<String> {
    let mut frames = Frames::default();
    let mut all = Vec::new();
    for piece in pieces {
        frames.push(piece);
        all.extend(std::iter::from_fn(|| frames.next_frame()));
    }
    all.extend(frames.settle());
    all.push(frames.begun().to_vec());
    all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
}

#[test]
fn every_variant_is_a_frame() {
    for (input, expected) in [
        ("\x0bMSH|a\r\x1c\r", vec!["\x0bMSH|a\r\x1c\r", ""]),
        ("\x0bMSH|a\r\x1c\r\x0bMSH|b\r\x1c\r", vec!["\x0bMSH|a\r\x1c\r", "\x0bMSH|b\r\x1c\r", ""]),
        ("MSH|a\r\x1c\r", vec!["MSH|a\r\x1c\r", ""]),
        ("\x0bMSH|a\r\x1c", vec!["\x0bMSH|a\r\x1c", ""]),
        ("\x0bMSH|a\r\x1c\0\x0bMSH|b\r\x1c\n", vec!["\x0bMSH|a\r\x1c\0", "\x0bMSH|b\r\x1c\n", ""]),
        ("\x0bMSH|a\r\r\x1c\r\r\n \0", vec!["\x0bMSH|a\r\r\x1c\r", "\r\n \0"]),
        ("\x0bMSH|a\r\x0bMSH|b\r\x1c\r", vec!["\x0bMSH|a\r", "\x0bMSH|b\r\x1c\r", ""]),
        ("\x0bMSH|a\x0bb\x1cc\r\x1c\r", vec!["\x0bMSH|a\x0bb\x1cc\r\x1c\r", ""]),
        ("\x0b\x1c\r\x0bMSH|a\r\x1c\r", vec!["\x0bMSH|a\r\x1c\r", ""]),
        ("\x0b\x0bMSH|a\r\x1c\x1c\r", vec!["\x0b\x0bMSH|a\r\x1c", "\x1c\r"]),
        ("\x0bMSH|a\rPID|", vec!["\x0bMSH|a\rPID|"]),
    ] {
        let got = frames(&[input.as_bytes()]);
        let trimmed =
            |all: &[String]| all.iter().map(|s| s.trim_start_matches(['\x1c', '\r']).to_owned()).collect::<Vec<_>>();
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(trimmed(&got), trimmed(&expected), "{input:?}");
    }
}

proptest! {
    #[test]
    fn cut_anywhere(words in prop::collection::vec(prop::sample::select(vec!["\x0b", "\x1c", "\r", "\n", "MSH|", "M", "a", "\0", "BHS", "é"]), 0..40), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10)) {
        let input = words.concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        at.extend([0, input.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &input[pair[0]..pair[1]]).collect();
        let single: Vec<&[u8]> = input.chunks(1).collect();
        let whole = frames(&[&input]);
        prop_assert_eq!(frames(&pieces), whole.clone());
        prop_assert_eq!(frames(&single), whole);
    }

    #[test]
    fn any_bytes_are_answered_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let sent = answers(&bytes, Mode::AsRead, Ok(()), "20261121000000+0000", "C");
        prop_assert_eq!(sent.bytes.is_empty(), sent.messages.iter().all(|answer| answer.code.is_none()));
    }
}

fn answered(frame: &str) -> Vec<String> {
    let sent = answers(frame.as_bytes(), Mode::AsRead, Ok(()), "T", "C");
    let text = String::from_utf8(sent.bytes).unwrap();
    text.split('\x0b').skip(1).map(|frame| frame.trim_end_matches("\x1c\r").to_owned()).collect()
}

#[test]
fn acknowledgments_are_as_the_standard_has_them() {
    assert_eq!(
        answered("\x0bMSH|^~\\&|A|B|C|D|2026||ADT^A01^ADT_A01|M\\T\\1|T|2.5.1||||||8859/1\rPID|1\r\x1c\r"),
        ["MSH|^~\\&|C|D|A|B|T||ACK^A01^ACK|C1|T|2.5.1||||||8859/1\rMSA|AA|M\\T\\1\r"]
    );
    assert_eq!(
        answered("MSH#*#A#B#C#D#2026##ADT*A01#7#P#2.3\r\x1c\r"),
        ["MSH#*#C#D#A#B#T##ACK*A01#C1#P#2.3\rMSA#AA#7\r"]
    );
    // The line is not a segment: the message is refused, in the form of its version.
    let later = answered("\x0bMSH|^~\\&|A|B|C|D|2026||ADT^A01|7|P|2.5.1\rno segment\r\x1c\r");
    assert!(
        later[0].ends_with(
            "MSA|AE|7\rERR|||100^Segment sequence error^HL70357|E|||the line does not start with a segment id\r"
        ),
        "{later:?}"
    );
    let earlier = answered("\x0bMSH|^~\\&|A|B|C|D|2026||ADT^A01|7|P|2.3\rno segment\r\x1c\r");
    assert!(earlier[0].ends_with("MSA|AE|7\rERR|^^^100&Segment sequence error\r"), "{earlier:?}");
    // A header that cannot be read.
    let header = answered("\x0bMSH|^^|A|B\r\x1c\r");
    assert!(header[0].contains("MSA|AR|\rERR|||207"), "{header:?}");
    // Several messages in a frame, each with its own.
    assert_eq!(answered("\x0bMSH|^~\\&|A||||||ADT|1\rMSH|^~\\&|A||||||ADT|2\r\x1c\r").len(), 2);
    let bare = answered("\x0bMSH|^~\\&|A|B|C|D|2026||ADT^A01||P|\rPID|1\r\x1c\r");
    assert!(bare[0].contains("\rMSA|AR|\r") && bare[0].contains("101^Required field missing"), "{bare:?}");
    assert!(bare[0].ends_with("the header has no MSH-10, MSH-12\r"), "{bare:?}");
    // An acknowledgment is not acknowledged.
    assert_eq!(answered("\x0bMSH|^~\\&|A||||||ACK|1\rMSA|AA|7\r\x1c\r"), [""; 0]);
    // Enhanced mode: as MSH-15 and MSH-16 ask.
    let enhanced = |asked: &str| {
        let sent = answered(&format!("\x0bMSH|^~\\&|A|B|C|D|2026||ADT^A01|7|P|2.5.1|||{asked}\rPID|1\r\x1c\r"));
        sent.iter().map(|ack| ack.split("MSA|").nth(1).unwrap()[..2].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(enhanced("AL|AL"), ["CA", "AA"]);
    assert_eq!(enhanced("AL|NE"), ["CA"]);
    assert_eq!(enhanced("NE|NE"), [""; 0]);
    assert_eq!(enhanced("ER|SU"), ["AA"]);
}
