//! The grammar of paths.

use candor_hl7v2::{Path, PathErrorKind};

#[test]
fn paths_that_are_accepted_keep_their_text() {
    for text in [
        "PID",
        "PID.5",
        "PID.5.1",
        "PID.5.1.1",
        "PID-5-1",
        "PID-5.1",
        "PID.5-1",
        "PID.3[2].4.2",
        "PID.3[*].1",
        "OBX[3].5",
        "OBX[*].5",
        "OBX[*]",
        "OBX[2]",
        "OBX[3.1=2345-7].5",
        "OBX[3-1=2345-7]-5",
        "OBX[3.1=a][11=F].5[*]",
        "OBX[3.1.2=a=b [c].5",
        "OBX[3=x]",
        "MSH.1",
        "MSH.2",
        "MSH.2.1.1",
        "MSH.1[1]",
        "MSH[1].9.1",
        "MSH[*].9",
        "MSH[9.1=ADT].10",
        "ZZ9.1",
        "Z01.200",
        "PID.05",
        "OBX[5=\"\"].3",
    ] {
        let path = Path::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((path.as_str(), path.segment_id()), (text, &text[..3]));
        assert_eq!(text.parse(), Ok(path));
    }
}

#[test]
fn paths_that_can_never_select_are_refused_with_the_place() {
    use PathErrorKind::*;
    for (text, offset, kind, suggestion) in [
        ("", 0, SegmentId, None),
        ("PI", 0, SegmentId, None),
        ("PI.5", 0, SegmentId, None),
        ("PIDX.5", 0, SegmentId, None),
        ("pid.5.1", 0, SegmentId, Some("PID.5.1")),
        ("Pid-5", 0, SegmentId, Some("PID-5")),
        ("PID5", 0, SegmentId, Some("PID.5")),
        ("PID5.1", 0, SegmentId, Some("PID.5.1")),
        (" PID.5", 0, SegmentId, Some("PID.5")),
        ("1ID.5", 0, SegmentId, None),
        ("ÄPD.5", 0, SegmentId, None),
        ("5.1", 0, SegmentId, None),
        ("PID.0", 4, Zero, Some("PID.1")),
        ("PID.5.0", 6, Zero, Some("PID.5.1")),
        ("PID.5.1.00", 8, Zero, Some("PID.5.1.1")),
        ("PID[0].5", 4, Zero, Some("PID[1].5")),
        ("PID.3[0].1", 6, Zero, Some("PID.3[1].1")),
        ("OBX[0=a].1", 4, Zero, Some("OBX[1=a].1")),
        ("PID.", 4, Number, Some("PID")),
        ("PID.5.", 6, Number, Some("PID.5")),
        ("PID..5", 4, Number, None),
        ("PID.x", 4, Number, None),
        ("PID.-5", 4, Number, None),
        ("PID.99999999999", 4, TooLarge, None),
        ("PID[3", 3, Bracket, Some("PID[3]")),
        ("PID]", 3, Bracket, Some("PID")),
        ("PID.3[2.1", 5, Bracket, None),
        ("PID.3]2", 5, Bracket, None),
        ("OBX[3.1=x", 3, Bracket, Some("OBX[3.1=x]")),
        ("OBX[].5", 4, Selector, None),
        ("OBX[a].5", 4, Selector, None),
        ("OBX[-1].5", 4, Selector, None),
        ("OBX[1.2].5", 4, Selector, None),
        ("OBX[3.1!=x].5", 7, Selector, None),
        ("OBX[3[1].1=x].5", 4, Selector, None),
        ("OBX[ 3.1=x].5", 4, Number, None),
        ("OBX[1][2].5", 6, SecondSelector, None),
        ("OBX[3=a][2].5", 8, SecondSelector, None),
        ("OBX[2][3=a].5", 6, SecondSelector, None),
        ("PID.3[1][2]", 8, SecondSelector, None),
        ("PID.3[5.1.1=MR].1", 6, TooDeep, None),
        ("OBX[3.1=].5", 8, ConditionValue, None),
        ("PID.3.4[2]", 7, SelectorPlace, Some("PID.3[2].4")),
        ("PID.3.4.1[*]", 9, SelectorPlace, Some("PID.3[*].4.1")),
        ("PID.5.1.1.1", 9, TooDeep, Some("PID.5.1.1")),
        ("MSH.2.2", 4, Opaque, Some("MSH.2")),
        ("MSH.1[2]", 4, Opaque, Some("MSH.1")),
        ("MSH[2.3=x].9", 4, Opaque, None),
        ("MSH[2].9", 4, SecondMsh, Some("MSH.9")),
        ("BHS.3", 0, BatchSegment, None),
        ("PID 5", 3, Unexpected, Some("PID.5")),
        ("PID.5 ", 5, Unexpected, Some("PID.5")),
        ("PID.5/1", 5, Unexpected, Some("PID.5.1")),
        ("PID.5.1é", 7, Unexpected, None),
        ("PID(2).5", 3, Unexpected, None),
    ] {
        let error = Path::parse(text).expect_err(text);
        assert_eq!((error.offset, error.kind, error.suggestion.as_deref()), (offset, kind, suggestion), "{text}");
        assert!(error.to_string().contains(&format!("offset {offset}")), "{error}");
    }
}
