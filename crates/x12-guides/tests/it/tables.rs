//! The tables: rules and segments of guides against each other, and the levels of a set by their numbers.

use candor_x12::Path;
use candor_x12_guides::unknown_part;

use crate::guide::{Guide, Loop};
use crate::levels::Levels;
use crate::rules::RULES;
use crate::segments::DIRECTORY;

#[test]
fn the_last_level_of_a_number_is_meant() {
    let mut levels = Levels::default();
    for (occurrence, number) in ["1", "2", "2", "01", "", "9", "3", "1"].into_iter().enumerate() {
        levels.insert(number, occurrence);
    }
    let found = ["1", "2", "3", "01", "9", "", "4", "002", "18446744073709551616"].map(|number| levels.get(number));
    assert_eq!(found, [Some(7), Some(2), Some(6), Some(3), Some(5), None, None, None, None]);
}

#[test]
fn every_rule_is_read_and_its_loop_and_segments_are_of_its_guides() {
    let lines = include_str!("../../data/situations.txt").lines().filter(|line| !line.starts_with(';')).count();
    assert_eq!(RULES.len(), lines);
    for rule in RULES.iter() {
        let guides: Vec<_> = Guide::all().filter(|guide| rule.is_of(guide)).collect();
        assert!(guides.len() >= rule.guides.len(), "{rule:?}");
        for guide in guides {
            assert!(guide.loops().iter().any(|known| known.id() == rule.looped), "{} {rule:?}", guide.id());
            for condition in rule.when.iter().chain(&rule.needs) {
                let is_known = guide.loops().iter().any(|known| known.id() == condition.id)
                    || guide.loops().iter().flat_map(|l| l.segments()).any(|s| s.id() == condition.id);
                // The AAA is the answer's alone.
                assert!(is_known || (condition.id == "AAA" && guide.transaction() == "270"), "{rule:?}");
            }
        }
    }
}

#[test]
fn every_guide_stays_within_the_directory() {
    for guide in Guide::all() {
        for rule in guide.loops().iter().flat_map(Loop::segments) {
            let known = DIRECTORY.get(rule.id()).unwrap();
            for (position, element) in (1..).zip(rule.elements()) {
                let place = format!("{} {} {position}", guide.id(), rule.id());
                assert!(position <= known.elements, "{place}");
                assert!(element.components().count() <= known.components(position).unwrap_or(0), "{place}");
            }
        }
    }
}

#[test]
fn a_path_is_refused_where_no_version_has_it() {
    let said = |path: &str| {
        let path = Path::parse(path).unwrap();
        unknown_part(&path).map(|unknown| (unknown.at, unknown.to_string()))
    };
    for path in
        ["EB", "EB.14", "EB.13.12", "CLM05-3", "SV101-1", "2110C.EB[3=30].1", "CLM.2.3", "ISA.16", "TA1.5", "ZZZ.50"]
    {
        assert_eq!(said(path), None, "{path}");
    }
    let at = |path: &str| said(path).map(|(at, _)| at);
    assert_eq!(at("EB.15"), Some(3));
    assert_eq!(at("EB99"), Some(2));
    assert_eq!(at("2110C.EB[99=1].1"), Some(9));
    assert_eq!(at("2300.CLM05-9"), Some(8));
    assert_eq!(at("QQQ.1"), Some(0));
    assert_eq!(said("CLM05-9").unwrap().1, "CLM.5 does not have a component 9; it has 3, CLM.5.1 to CLM.5.3");
}
