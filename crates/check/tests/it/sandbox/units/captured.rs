//! The description of a capture.

use candor_check::Sandbox;
use candor_check::sandbox::{CAPTURE, Captured, CapturedPart};

fn read(text: &[u8]) -> Result<Option<Captured>, String> {
    let sandbox = Sandbox::builder().file(CAPTURE, text).build(&[]).map_err(|error| error.message)?;
    Ok(sandbox.captured().cloned())
}

#[test]
fn a_description_is_read_back_and_others_are_left_alone() {
    let mut captured = Captured::new("2026-11-22T10:00:00Z");
    captured.parts.insert("portal".to_owned(), CapturedPart { from: "sqlite:a.db".into(), ..Default::default() });
    let text = candor_json::to_vec(&captured).unwrap();
    assert_eq!(read(&text).unwrap(), Some(captured));
    assert_eq!(read(b"{\"frames\": 3}").unwrap(), None);
    for (text, expected) in [
        (&b"{"[..], "it is not JSON"),
        (b"{\"candor_capture\": 2}", "its form has the version 2"),
        (b"{\"candor_capture\": 1, \"at\": 3}", "it describes no capture"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn what_was_not_asked_for_is_not_known() {
    let all = CapturedPart::default();
    let some = CapturedPart { only: Some(vec!["Patient".to_owned()]), ..CapturedPart::default() };
    assert!(all.covers("Task") && some.covers("Patient") && !some.covers("Task"));
    assert!(some.not_covered("Task").details.contains("holds only Patient, so that nothing is known of Task"));
}
