//! The order in which candidates happened.

use candor_check::compare::{Date, DateForm};
use candor_check::records::Match;
use proptest::prelude::*;

use crate::records::order::{Moment, Standing, ends};

fn standing<'a>(position: usize, (stream, time): (&'a str, &str)) -> Standing<'a> {
    let (time, number) = time.split_once('#').unwrap_or((time, ""));
    let time = Date::parse(time, DateForm::Hl7);
    Standing { stream, position, moment: time.map(|time| Moment { time, number: number.parse().ok() }) }
}

fn of<'a>(times: &[(&'a str, &str)]) -> Vec<Standing<'a>> {
    times.iter().enumerate().map(|(position, time)| standing(position, *time)).collect()
}

#[test]
fn the_last_is_the_last_by_time() {
    for (times, picked, possible) in [
        // By time, whatever the files are called.
        (vec![("b", "20261120100010"), ("a", "20261120100002")], 0, vec![0]),
        (vec![("a", "20261120"), ("a", "20261121")], 1, vec![1]),
        // One time: by position in one file, not across files.
        (vec![("a", "20261120100000"), ("a", "20261120100000")], 1, vec![1]),
        (vec![("a", "20261120100000"), ("b", "20261120100000")], 1, vec![0, 1]),
        (vec![("a", "20261120"), ("a", "20261120100000")], 1, vec![1]),
        // Time and position contradict each other, by more than a minute and by less.
        (vec![("a", "20261120110000"), ("a", "20261120100000")], 0, vec![0, 1]),
        (vec![("a", "20261120110000"), ("a", "20261120105930")], 0, vec![0]),
        (vec![("a", "20261120110000"), ("a", "20261120100000"), ("b", "20261121")], 2, vec![2]),
        // Zones.
        (vec![("a", "20261120080000-0600"), ("b", "20261120130000+0000")], 0, vec![0]),
        (vec![("a", "20261120080000"), ("b", "20261120130000+0000")], 1, vec![0, 1]),
        (vec![("a", "20261120080000"), ("a", "20261120130000+0000")], 1, vec![0, 1]),
        (vec![("a", "20261118080000"), ("b", "20261120130000+0000")], 1, vec![1]),
        // No time.
        (vec![("a", "20261120100000"), ("a", "")], 0, vec![0, 1]),
        (vec![("a", "")], 0, vec![0]),
        // Numbers of one time.
        (vec![("b", "202611201000#8"), ("a", "202611201000#7")], 0, vec![0]),
        (vec![("b", "202611201000#8"), ("a", "202611201001#7")], 1, vec![1]),
    ] {
        let (found, open) = ends(Match::Last, &of(&times));
        assert_eq!((found, open), (Some(picked), possible), "{times:?}");
    }
    assert_eq!(ends(Match::Last, &[]), (None, vec![]));
    assert_eq!(ends(Match::First, &of(&[("a", "20261121"), ("b", "20261120")])), (Some(1), vec![1]));
    assert_eq!(ends(Match::First, &of(&[("a", "20261120"), ("a", "20261120")])), (Some(0), vec![0]));
}

fn times() -> impl Strategy<Value = Vec<(usize, String)>> {
    let time = prop_oneof![
        (0..3u32, 0..4u32).prop_map(|(day, minute)| format!("202611{:02}10{minute:02}00", 20 + day)),
        (0..3u32).prop_map(|day| format!("202611{:02}", 20 + day)),
        (0..3u32, 0..24u32).prop_map(|(day, hour)| format!("202611{:02}{hour:02}0000-0500", 20 + day)),
        Just(String::new()),
    ];
    prop::collection::vec((0..3usize, time), 1..8)
}

const STREAMS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

proptest! {
    #[test]
    fn what_nothing_follows_may_be_the_last(times in times()) {
        let apart: Vec<Standing<'_>> =
            times.iter().zip(STREAMS).enumerate().map(|(at, ((_, time), stream))| standing(at, (stream, time))).collect();
        let open = |one: &&Standing<'_>| apart.iter().all(|other| one.before(other) != Some(true));
        let expected: Vec<usize> = apart.iter().filter(open).map(|standing| standing.position).collect();
        prop_assert_eq!(ends(Match::Last, &apart).1, expected);
    }

    #[test]
    fn the_picked_one_is_possible_and_the_order_has_two_sides(times in times()) {
        let standings: Vec<Standing<'_>> =
            times.iter().enumerate().map(|(at, (stream, time))| standing(at, (STREAMS[*stream], time))).collect();
        let (picked, possible) = ends(Match::Last, &standings);
        prop_assert!(possible.contains(&picked.unwrap()));
        for one in &standings {
            for other in &standings {
                prop_assert!(one.before(other).is_none() || one.position == other.position
                    || one.before(other) == other.before(one).map(|before| !before));
            }
        }
        let (first, possible) = ends(Match::First, &standings);
        prop_assert!(possible.contains(&first.unwrap()));
    }
}
