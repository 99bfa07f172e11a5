//! Which messages a `correlate_by` means.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_check::compare::Zone;
use candor_hl7v2::messages;
use candor_json::json;

use crate::correlation::{Correlation, Selected, Sent};

/// How a time bound judges an MSH-7: `None` where that is not decided.
fn bounded(key: &str, bound: &str, written: &str, zone: Option<&str>) -> Option<bool> {
    let bytes = format!("MSH|^~\\&|A||||{written}||ADT^A01|1\r");
    let message = messages(bytes.as_bytes()).next().unwrap().unwrap();
    let sent = Sent { message: &message, at: None };
    let mut correlation: Correlation = candor_json::from_value(json!({key: bound})).unwrap();
    zone.iter().for_each(|zone| correlation.set_zone(&Zone::named(zone).unwrap()));
    match correlation.select(&sent) {
        Selected::Yes => Some(true),
        Selected::No(_) => Some(false),
        Selected::Undecidable => None,
    }
}

#[test]
fn since_is_from_the_first_instant_of_what_was_written() {
    for (written, since, answer) in [
        ("20261120103000", "2026-11-20", Some(true)),
        ("20261120", "2026-11-20", Some(true)),
        ("20261119235959", "2026-11-20", Some(false)),
        ("20261120", "2026-11-20T10:00:00", None),
        ("20261121", "2026-11-20T10:00:00", Some(true)),
        ("202611", "2026-11-20", None),
        ("2026", "20261120", None),
        ("20261120103000+0000", "2026-11-20T10:30:00Z", Some(true)),
        ("20261120103000+0200", "2026-11-20T10:30:00Z", Some(false)),
        ("20261120102959-0100", "2026-11-20T10:30:00Z", Some(true)),
        ("20261120103000", "2026-11-20T10:30:00Z", None),
        ("20261121103000", "2026-11-20T10:30:00Z", Some(true)),
        ("20261119103000", "2026-11-20T10:30:00Z", Some(false)),
        // Days are days by the clock of the message.
        ("20261120001500-0500", "2026-11-20", Some(true)),
        ("20261119231500-0500", "2026-11-20", Some(false)),
        ("20261120001500+0000", "2026-11-20", Some(true)),
        // UTC may mean any zone.
        ("20261119231500+0000", "2026-11-20", None),
        ("20261119090000+0000", "2026-11-20", Some(false)),
    ] {
        assert_eq!(bounded("since", since, written, None), answer, "{written} since {since}");
    }
    assert_eq!(bounded("since", "2026-11-20", "20261119231500+0000", Some("Europe/Berlin")), Some(true));
    assert_eq!(bounded("since", "2026-11-20", "20261120041500+0000", Some("America/New_York")), Some(false));
}

#[test]
fn until_is_to_the_last_instant_of_what_was_written() {
    for (written, until, answer) in [
        ("20261120103000", "2026-11-20", Some(true)),
        ("20261120", "2026-11-20", Some(true)),
        ("20261121000000", "2026-11-20", Some(false)),
        ("20261120", "2026-11-20T10:00:00", None),
        ("202611", "2026-11-20", None),
        ("202610", "2026-11-20", Some(true)),
        ("20261120103000+0000", "2026-11-20T10:30:00Z", Some(true)),
        ("20261120103001+0000", "2026-11-20T10:30:00Z", Some(false)),
        ("20261120103000", "2026-11-20T10:30:00Z", None),
        ("20261118103000", "2026-11-20T10:30:00Z", Some(true)),
        ("20261120101500-0500", "2026-11-20", Some(true)),
        ("20261121041500+0000", "2026-11-20", None),
    ] {
        assert_eq!(bounded("until", until, written, None), answer, "{written} until {until}");
    }
    assert_eq!(bounded("until", "2026-11-20", "20261121041500+0000", Some("America/New_York")), Some(true));
}

#[test]
fn messages_are_told_by_their_type() {
    let of = |wanted: &str, msh9: &str| {
        let bytes = format!("MSH|^~\\&|A||||||{msh9}|1\r");
        let message = messages(bytes.as_bytes()).next().unwrap().unwrap();
        let sent = Sent { message: &message, at: None };
        let correlation: Correlation = candor_json::from_value(json!({"message_type": wanted})).unwrap();
        correlation.select(&sent) == Selected::Yes
    };
    assert!(of("ADT", "ADT^A01^ADT_A01") && of("ADT^A01", "ADT^A01^ADT_A01") && of("ADT^A01", "ADT^A01"));
    assert!(!of("ADT^A01", "ADT^A04^ADT_A01") && !of("ADT^A01", "ADT") && !of("ADT^A01^ADT_A01", "ADT^A01"));
    assert!(!of("AD", "ADT^A01") && !of("ADT", "ADT&X^A01"));
    for wrong in ["", "^A01", "ADT^", "A^B^C^D"] {
        assert!(candor_json::from_value::<Correlation>(json!({"message_type": wrong})).is_err(), "{wrong}");
    }
}
