//! Paths that are tried on a file.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_check::tried::Tried;
use candor_hl7_structural::tried::path;

const ADT: &[u8] = b"MSH|^~\\&|A|B|||20261120||ADT^A01^ADT_A01|42|P|2.5.1\rEVN||20261120\r\
    PID|1||77^^^H^MR~88^^^H^SS||Roe^Ann\rPV1||I\r";

fn tried(text: &str) -> Tried {
    path(text, "a.hl7", ADT).unwrap().remove(0)
}

#[test]
fn values_are_told_with_their_places_and_nothing_with_its_reason() {
    let one = tried("PID.3[5=SS].1");
    assert_eq!((one.record.as_str(), one.selected[0].value.as_str()), ("message 1 (42)", Some("88")));
    assert!(one.selected[0].place.starts_with("PID[1], segment 3 of the message, byte "), "{one:?}");
    let why = |text: &str| tried(text).why.unwrap();
    assert_eq!(why("PID.3[5=PI].1"), "PID.3 is `77^^^H^MR`, `88^^^H^SS`, in which the path selects nothing");
    assert_eq!(why("PID.8"), "PID is there, and PID.8 is empty");
    assert_eq!(why("OBX.5"), "the message has no OBX segment; it has MSH EVN PID PV1");
    assert!(why("ORDER.RXR.1").contains("ADT_A01 does not have a group ORDER"), "{}", why("ORDER.RXR.1"));
    assert!(path("PDI.3", "a.hl7", ADT).is_err() && tried("PID").selected.len() == 1);
}

#[test]
fn what_is_no_message_is_said() {
    assert!(path("PID.3", "x", b"hello").unwrap()[0].unreadable);
    assert!(path("PID.3", "x", b"").unwrap()[0].unreadable);
}

proptest::proptest! {
    #[test]
    fn nothing_panics(text in "[ -~]{0,24}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = path(&text, "f", &bytes);
        let _ = path("PID.3[5=MR].1", "f", &[ADT, &bytes].concat());
    }
}
