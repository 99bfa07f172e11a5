//! The bodies of the fuzz targets around HL7 v2 traffic: streams, message structures, profiles, MLLP.

use candor_hl7v2::{Message, Part, Stream, messages};
use candor_hl7v2_structure::{Fit, Wanted, check};
use candor_mllp::{Frames, Mode, answers};

fn described(message: &Message<'_>) -> String {
    let segments: Vec<_> = message.segments().map(|segment| segment.piece().span()).collect();
    format!("{:?} {:?} {segments:?}", message.span(), message.raw())
}

/// A stream cut into pieces gives the messages and errors of the whole. The first byte says how long pieces are.
///
/// # Panics
/// When it does not.
pub fn hl7v2_stream(data: &[u8]) {
    let Some((&size, input)) = data.split_first() else { return };
    let mut whole = messages(input);
    let expected: Vec<String> = whole
        .by_ref()
        .map(|item| match item {
            Ok(message) => described(&message),
            Err(error) => format!("{error:?}"),
        })
        .collect();
    let (mut read, mut ending) = (Vec::new(), None);
    let mut each = |part: Part<'_>| match part {
        Part::Message(message) => read.push(described(&message)),
        Part::Unreadable(error) => read.push(format!("{error:?}")),
        Part::Trailer(_) => {}
        Part::Ending(end) => ending = Some(end),
    };
    let mut stream = Stream::default();
    for piece in input.chunks(usize::from(size).max(1)) {
        stream.push(piece, &mut each);
    }
    stream.finish(&mut each);
    assert_eq!((read, ending), (expected, Some(whole.ending())));
}

/// Every message is checked against the structure it says and one that it may not have; spans stay inside.
///
/// # Panics
/// When they do not.
pub fn hl7v2_structure(data: &[u8]) {
    for message in messages(data).flatten() {
        for wanted in [Wanted::ByMessage, Wanted::Named("ORU_R01"), Wanted::Named("CCR_I16")] {
            let Fit::Checked(checked) = check(&message, wanted) else { continue };
            for violation in checked.violations {
                assert!(violation.span.start <= violation.span.end && violation.span.end <= data.len());
                assert!(!violation.path.is_empty() && !violation.expected.is_empty());
            }
        }
    }
}

/// Bytes become the same frames however they are cut, none is lost, and every frame is answered.
///
/// # Panics
/// When that does not hold.
pub fn mllp(data: &[u8]) {
    let Some((&size, input)) = data.split_first() else { return };
    let split = |size: usize| {
        let mut frames = Frames::default();
        let mut all = Vec::new();
        for piece in input.chunks(size.max(1)) {
            frames.push(piece);
            all.extend(std::iter::from_fn(|| frames.next_frame()));
        }
        all.extend(frames.settle());
        (all, frames.begun().to_vec())
    };
    let (frames, rest) = split(input.len());
    assert_eq!((&frames, &rest), (&split(usize::from(size)).0, &split(usize::from(size)).1));
    for frame in &frames {
        let sent = answers(frame, Mode::AsRead, Ok(()), "20261121000000+0000", "C");
        assert!(sent.messages.len() >= sent.messages.iter().filter(|answer| answer.code.is_some()).count());
        for answer in messages(&sent.bytes) {
            assert!(answer.is_ok(), "an acknowledgment that cannot be read");
        }
    }
    let kept: usize = frames.iter().map(Vec::len).sum();
    assert!(kept + rest.len() <= input.len());
}

/// Any text as a profile, and any bytes behind a blank line as a message held to it.
pub fn hl7_profile(data: &[u8]) {
    let at = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let (text, message) = data.split_at(at);
    let Ok(document) = candor_engine::Document::parse(std::path::Path::new("profile.yaml"), text) else { return };
    let assertion = candor_json::json!({"assert": "hl7-structural", "profile": document.value()});
    let Ok(bound) = candor_hl7_structural::CHECK.bind(assertion) else { return };
    let text = candor_json::Value::from(String::from_utf8_lossy(message));
    let observation = candor_json::json!({
        "place": "hl7/",
        "messages": {
            "candidates": [{"source": {"locator": "hl7/a.hl7"}, "label": "a", "content": {"text": text, "offset": 0}}],
            "considered": 1
        }
    });
    if let Ok(seen) = bound.restore(observation) {
        bound.judge(&seen);
    }
}
