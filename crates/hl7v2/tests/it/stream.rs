//! A stream cut anywhere gives what the whole input gives.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_hl7v2::{Part, Stream, messages};
use proptest::prelude::*;

fn whole(input: &[u8]) -> Vec<String> {
    let mut read = Vec::new();
    let mut reading = messages(input);
    for item in reading.by_ref() {
        read.push(match item {
            Ok(message) => described(&message),
            Err(error) => format!("{error:?}"),
        });
    }
    // Trailers are separate: they are there at once, an item only after its successor was read.
    read.extend(reading.trailers().map(|trailer| format!("{trailer:?}")));
    read.push(format!("{:?}", reading.ending()));
    read
}

fn described(message: &candor_hl7v2::Message<'_>) -> String {
    let segments: Vec<_> = message.segments().map(|segment| (segment.id(), segment.piece().span())).collect();
    format!("{:?} {:?} {:?}", message.span(), String::from_utf8_lossy(message.raw()), segments)
}

fn pieces(input: &[u8], mut size: impl FnMut() -> usize) -> Vec<String> {
    let mut stream = Stream::default();
    let (mut read, mut trailers) = (Vec::new(), Vec::new());
    let mut each = |part: Part<'_>| match part {
        Part::Message(message) => read.push(described(&message)),
        Part::Unreadable(error) => read.push(format!("{error:?}")),
        Part::Trailer(trailer) => trailers.push(format!("{trailer:?}")),
        Part::Ending(ending) => trailers.push(format!("{ending:?}")),
    };
    let mut rest = input;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(size().clamp(1, rest.len()));
        stream.push(piece, &mut each);
        rest = after;
    }
    stream.finish(&mut each);
    read.extend(trailers);
    read
}

/// More of them than padding has.
const NULS: &str = match str::from_utf8(&[0; 600]) {
    Ok(nuls) => nuls,
    Err(_) => "",
};

fn soup() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "MSH|^~\\&|A|B\r",
        "MSH|^~\\&|C\n",
        "MSH#*#x\r\n",
        "MSH|^^\r",
        "PID|1||7\r",
        "OBX|1|x",
        "\r",
        "\n",
        "\r\n",
        "\x0b",
        "\x1c",
        "\x1c\r",
        "\x0bMSH|^~\\&|F\r",
        "BHS|^~\\&|A\r",
        "FHS|^~\\&\r",
        "BTS|2\r",
        "FTS|1\r",
        "\u{feff}",
        "text",
        " ",
        "\0",
        NULS,
        "MSH|^~\\&|A|B",
        "é",
    ]);
    prop::collection::vec(words, 0..30).prop_map(|words| words.concat().into_bytes())
}

proptest! {
    #[test]
    fn cut_anywhere(input in soup(), sizes in prop::collection::vec(1..40usize, 1..20)) {
        let mut at = 0;
        let size = || {
            at += 1;
            sizes.get(at % sizes.len()).copied().unwrap_or(1)
        };
        prop_assert_eq!(pieces(&input, size), whole(&input));
        prop_assert_eq!(pieces(&input, || 1), whole(&input));
    }
}

#[test]
fn every_fixture_reads_the_same_in_pieces() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures"));
    let mut read = 0;
    for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.is_dir() && folder.file_name().unwrap().to_string_lossy().starts_with("hl7v2-") {
            for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|f| f.is_file()) {
                let bytes = std::fs::read(&file).unwrap();
                for size in [7, 1000, 4096] {
                    assert_eq!(pieces(&bytes, || size), whole(&bytes), "{}", file.display());
                }
                read += 1;
            }
        }
    }
    assert!(read > 20, "{read}");
}
