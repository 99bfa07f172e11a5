//! Names and offsets of zones.

use candor_check::compare::Zone;

#[test]
fn names_and_offsets_are_zones() {
    let hour = 3_600_000_000_000;
    // 2026-07-01 and 2026-01-01, both at midnight in UTC.
    let (summer, winter) = (1_782_864_000_000_000_000, 1_767_225_600_000_000_000);
    for (name, in_summer, in_winter) in [
        ("America/New_York", -4 * hour, -5 * hour),
        ("europe/berlin", 2 * hour, hour),
        ("Asia/Kolkata", 11 * hour / 2, 11 * hour / 2),
        ("UTC", 0, 0),
        ("Z", 0, 0),
        ("+05:30", 11 * hour / 2, 11 * hour / 2),
        ("-0500", -5 * hour, -5 * hour),
    ] {
        let zone = Zone::named(name).unwrap();
        assert_eq!((zone.ahead(summer), zone.ahead(winter)), (in_summer, in_winter), "{name}");
    }
    assert_eq!(Zone::named("UTC").unwrap().ahead(i128::MAX), 0);
}

#[test]
fn other_text_is_not_a_zone() {
    for (text, meant) in [
        ("Europe/Berln", "did you mean `Europe/Berlin`?"),
        ("America/NewYork", "did you mean `America/New_York`?"),
        ("", "expected a name"),
        ("+25:00", "expected a name"),
        ("somewhere over the rainbow", "expected a name"),
        ("../../etc/passwd", "expected a name"),
    ] {
        let error = Zone::named(text).unwrap_err();
        assert!(error.contains(meant), "{error}");
    }
}
