//! The events that a service recorded.

use candor_check::Sandbox;
use candor_check::sandbox::{EventKind, Events};

fn read(text: &str, kind: EventKind) -> Events {
    let sandbox = Sandbox::builder().events(text.as_bytes()).build(&[]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sandbox.events(kind)).unwrap().unwrap()
}

#[test]
fn a_bad_line_is_kept_and_hides_no_other() {
    let text = "\u{feff}{\"type\":\"hl7_outbound\",\"at\":\"2026-11-20T10:00:00Z\",\"payload\":\"MSH|\"}\r\n\n{bad\n{\"type\":\"fax\",\"at\":\"\"}\n{\"type\":\"voice_turn\",\"at\":\"\",\"payload\":{}}";
    let events = read(text, EventKind::Hl7Outbound);
    assert_eq!(events.events.len(), 1);
    assert_eq!(events.events[0].line, 1);
    let what: Vec<&str> = events.unreadable.iter().map(|u| u.what.as_str()).collect();
    assert!(what[0].starts_with("line 3 is not an event") && what[1].contains("`fax`"), "{what:?}");
    assert_eq!(read(text, EventKind::VoiceTurn).events.len(), 1);
}
