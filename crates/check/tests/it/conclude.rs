//! `match`, `count`, reasons and scores, over candidates that need no source.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::evidence::{Entry, SourceRef};
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::records::{
    Bytes, Candidate, Fault, Judgement, Judging, Label, Match, NearMiss, Observation, RecordRules, Unreadable,
    UnsafeMatch, Wording, conclude,
};
use candor_check::settings::Cardinality;
use candor_check::{Evidence, Failure, Obstacle, Reason, Share, Status};
use candor_json::json;
use proptest::prelude::*;

/// A candidate is described by what its fields come to: `+` passed, `-` failed, `?` undecidable, `v` vague, `!` unsafe, `u`
/// perhaps unsafe, `r` retracted and ignored, `c` a constraint that fails, `e` explained, `k` with results that are all kept.
fn evidence(candidates: &[&str], rules: RecordRules) -> Evidence {
    over(&observation(candidates), rules, candidates.iter().any(|c| c.contains(['+', '-', '?', 'c'])))
}

fn unsafe_match(result: FieldResult) -> UnsafeMatch {
    UnsafeMatch { result, why: "f is 2".into() }
}

fn observation(candidates: &[&str]) -> Observation<Bytes> {
    let candidate = |(index, content): (usize, &&str)| Candidate {
        source: SourceRef { locator: format!("part/{index}").into(), sha256: None, span: Some((0, 1)), record: None },
        label: format!("record {index}").into(),
        content: Bytes(content.as_bytes().into()),
    };
    Observation {
        candidates: candidates.iter().enumerate().map(candidate).collect(),
        considered: candidates.len() as u64 + 1,
        ..Observation::default()
    }
}

fn over(seen: &Observation<Bytes>, rules: RecordRules, asserts_content: bool) -> Evidence {
    let wording = Wording {
        one: "record".into(),
        several: "records".into(),
        selected_by: "with key 1".into(),
        place: "part/".into(),
        field: "field",
    };
    conclude(
        &Judging { rules, asserts_content, whole: Vec::new(), hangs_on_all: false, wording: &wording },
        seen,
        |candidate| {
            let mut judgement = Judgement::default();
            let result = |passed| FieldResult::constraint("f", json!(1), json!(2), passed).at(candidate.source.place());
            for kind in candidate.content.0.iter() {
                match kind {
                    b'+' => judgement.fields.push(result(true)),
                    b'-' => judgement.fields.push(result(false)),
                    b'?' => judgement.fields.push(result(false).because(FieldReason::Undecidable)),
                    b'v' => judgement.fields.push(result(false).because(FieldReason::Vague)),
                    b'c' => judgement.constraints.push((Failure::StructureViolation, result(false))),
                    b'!' => judgement.unsafe_match = Some(unsafe_match(result(false))),
                    b'u' => {
                        judgement.unsafe_match = Some(unsafe_match(result(false).because(FieldReason::Undecidable)));
                    }
                    b'r' => judgement.is_ignored = true,
                    b'e' => judgement.explained.push(format!("{} is explained.", candidate.label)),
                    b'k' => judgement.keeps_results = true,
                    _ => {}
                }
            }
            judgement
        },
    )
}

fn any() -> RecordRules {
    RecordRules::default()
}

fn matching(matching: Match) -> RecordRules {
    RecordRules { matching, count: None }
}

fn counting(count: candor_json::Value) -> RecordRules {
    RecordRules { matching: Match::Any, count: Some(Cardinality::from_value(&count).unwrap()) }
}

fn share(numerator: u64, denominator: u64) -> Share {
    Share::of(numerator, denominator).unwrap()
}

#[test]
fn evidence_over_a_limit_is_cut_and_counts_what_it_leaves_out() {
    let place = |entry: Option<&Entry>| match entry {
        Some(Entry::Field(field)) => field.source.clone().unwrap().locator,
        _ => String::new(),
    };
    for (failing, status) in [(0, Status::Passed), (1, Status::Failed), (1000, Status::Failed)] {
        let content: Vec<&str> = (0..1000).map(|index| if index < failing { "-" } else { "+" }).collect();
        let whole = evidence(&content, matching(Match::All)).with("matchedPaths", json!(content));
        assert_eq!(whole.clone().capped(1 << 20), whole);
        assert_eq!(whole.clone().capped(0).results.len(), 1);
        let cut = whole.clone().capped(4096);
        assert_eq!((cut.status(), cut.reason(), cut.share()), (status, whole.reason(), whole.share()));
        assert_eq!([place(cut.results.first()), place(cut.results.last())], ["part/0", "part/999"]);
        let value = cut.to_value("results");
        let paths = value["matchedPaths"].as_array().unwrap().len();
        assert!(value["results"].to_string().len() + value["matchedPaths"].to_string().len() <= 4098, "{value}");
        let left_out = (1000 - cut.results.len(), 1000 - paths);
        assert!(left_out.0 > 900 && left_out.1 > 400, "{left_out:?}");
        assert_eq!(value["cut"], json!({"results": left_out.0, "matchedPaths": left_out.1}));
        let sentence = format!(
            " The evidence leaves out {} of 1000 results and {} of 1000 matchedPaths (limit max_evidence).",
            left_out.0, left_out.1
        );
        assert_eq!(cut.details(), format!("{}{sentence}", whole.details()));
    }
}

/// An observation of which some thousand results are more than the limit.
fn long(candidates: &[&str]) -> Observation<Bytes> {
    let mut seen = observation(candidates);
    for candidate in &mut seen.candidates {
        candidate.source.locator = format!("{}{}", candidate.source.locator, "x".repeat(1500)).into();
    }
    seen
}

/// The evidence of `match: all` as JSON: with every result held while judging, or with as few as possible.
fn written(candidates: &[String], count: Option<u64>, vague_fails: bool, most: u64) -> (usize, String) {
    let names: Vec<&str> = candidates.iter().map(String::as_str).collect();
    let count = count.and_then(|number| Cardinality::range(number, Some(number)));
    let evidence = over(&long(&names), RecordRules { matching: Match::All, count }, true);
    let held = evidence.results.len();
    let evidence = if vague_fails { evidence.with_vague_failed() } else { evidence };
    let evidence = evidence.capped(most);
    let outcome = (evidence.status(), evidence.reason(), evidence.share());
    (held, format!("{outcome:?} {} {}", evidence.details(), evidence.to_value("r")))
}

#[test]
fn no_more_results_are_held_of_very_many_that_fail() {
    for kinds in ["-", "?", "+-", "-c?+", "-e"] {
        let [less, more] = [15_000, 20_000].map(|number| written(&vec![kinds.to_owned(); number], None, false, 4096).0);
        assert_eq!(less, more, "{kinds}");
    }
}

#[test]
fn a_limit_that_cut_nothing_is_not_named() {
    let content = vec!["+"; 12_000];
    let evidence = over(&long(&content), matching(Match::All), true);
    let left_out = 12_000 - evidence.results.len();
    let evidence = evidence.capped(1 << 30);
    let sentence = format!("leaves out {left_out} of 12000 results (only the first and the last 8 MiB are kept).");
    assert!(evidence.details().ends_with(&sentence), "{}", evidence.details());
}

#[test]
fn passed_results_that_no_evidence_shows_are_left_out_while_judging() {
    const LIMIT: u64 = 8 << 20;
    for failing in [false, true] {
        let content: Vec<&str> = (0..12_000)
            .map(|index| match index % 1000 {
                5 if failing => "+-",
                6 if failing => "-?",
                _ => "+",
            })
            .collect();
        let seen = long(&content);
        let result = |candidate: &Candidate<Bytes>, kind: &u8| {
            let result = FieldResult::constraint("f", json!(1), json!(2), *kind == b'+').at(candidate.source.place());
            Entry::from(if *kind == b'?' { result.because(FieldReason::Undecidable) } else { result })
        };
        let mut all = Vec::new();
        for candidate in &seen.candidates {
            all.extend(candidate.content.0.iter().map(|kind| result(candidate, kind)));
        }
        let number = all.len();
        let whole = over(&seen, matching(Match::All), true);
        assert!(whole.results.len() < number);
        assert_eq!(whole.to_value("r")["cut"], json!({"r": number - whole.results.len()}));
        let expected = match failing {
            true => Evidence::failed(Failure::FieldMismatch, share(2 * (12_000 - 24) + 12, 2 * 12_000), all, "")
                .capped(LIMIT),
            false => Evidence::passed(all, "").capped(LIMIT),
        };
        let cut = whole.capped(LIMIT);
        assert!(cut.results == expected.results);
        assert_eq!((cut.status(), cut.reason(), cut.share()), (expected.status(), expected.reason(), expected.share()));
        assert_eq!(cut.to_value("r")["cut"], expected.to_value("r")["cut"]);
        assert!(cut.details().ends_with(expected.details()), "{:.500} {}", cut.details(), expected.details());
        let of_all = match failing {
            true => format!("36 of {number} fields failed"),
            false => format!("all {number} fields passed"),
        };
        assert!(cut.details().contains(&of_all), "{:.500}", cut.details());
        let first: Vec<SourceRef> = seen.candidates.iter().take(100).map(|one| one.source.clone()).collect();
        assert!(cut.sources == first);
        let closest = cut.candidates.nearest.map(|nearest| (nearest.label, nearest.matched));
        assert_eq!(closest, failing.then(|| ("record 0".to_owned(), (1, 1))));
    }
}

#[test]
fn every_combination_has_its_outcome() {
    let both = |m, count| RecordRules { matching: m, ..counting(count) };
    for (candidates, rules, reason, score) in [
        (&["++"][..], any(), None, share(1, 1)),
        (&["+-"], any(), Some("field_mismatch"), share(1, 2)),
        (&["--", "+-", "-+"], any(), Some("field_mismatch"), share(1, 2)),
        (&["--", "++"], any(), None, share(1, 1)),
        (&[], any(), Some("no_candidate"), share(0, 1)),
        (&["--", "++"], matching(Match::First), Some("field_mismatch"), share(0, 1)),
        (&["--", "++"], matching(Match::Last), None, share(1, 1)),
        (&["+-", "++"], matching(Match::All), Some("field_mismatch"), share(3, 4)),
        (&["++", "++"], matching(Match::All), None, share(1, 1)),
        (&["++", "--"], matching(Match::ExactlyOne), None, share(1, 1)),
        (&["++", "++"], matching(Match::ExactlyOne), Some("ambiguous_match"), share(0, 1)),
        (&["+-", "--"], matching(Match::ExactlyOne), Some("field_mismatch"), share(1, 2)),
        (&["++", "+?"], matching(Match::ExactlyOne), Some("undecidable"), share(0, 1)),
        // Undecidable alone is not failed; next to a plain failure it is.
        (&["+?"], any(), Some("undecidable"), share(0, 1)),
        (&["-?"], any(), Some("field_mismatch"), share(0, 1)),
        (&["++-", "+??"], any(), Some("undecidable"), share(0, 1)),
        (&["+?", "++"], any(), None, share(1, 1)),
        // Counts.
        (&["+"], counting(json!(1)), None, share(1, 1)),
        (&["+", "+"], counting(json!(1)), Some("count_mismatch"), share(1, 2)),
        (&["-", "-"], counting(json!(1)), Some("count_mismatch"), share(0, 1)),
        (&[], counting(json!(0)), None, share(1, 1)),
        (&[], counting(json!({"min": 0, "max": 2})), None, share(1, 1)),
        (&[], counting(json!(2)), Some("no_candidate"), share(0, 1)),
        (&["x"], counting(json!(0)), Some("count_mismatch"), share(0, 1)),
        (&["+", "-"], both(Match::All, json!(2)), Some("field_mismatch"), share(3, 4)),
        (&["+", "+"], both(Match::ExactlyOne, json!(1)), Some("count_mismatch"), share(0, 1)),
        // Nothing but existence.
        (&["x"], any(), None, share(1, 1)),
        (&["!"], any(), Some("unsafe_match"), share(0, 1)),
        (&["!", "x"], any(), None, share(1, 1)),
        (&["!"], counting(json!(0)), Some("count_mismatch"), share(0, 1)),
        (&["!", "x"], counting(json!(2)), Some("unsafe_match"), share(0, 1)),
        (&["!", "x"], counting(json!({"min": 1})), None, share(1, 1)),
        (&["x"], matching(Match::ExactlyOne), None, share(1, 1)),
        (&["x", "x"], matching(Match::ExactlyOne), Some("ambiguous_match"), share(0, 1)),
        (&["x", "!", "x", "x"], matching(Match::ExactlyOne), Some("ambiguous_match"), share(0, 1)),
        (&["!", "x"], matching(Match::ExactlyOne), None, share(1, 1)),
        (&["u", "x"], matching(Match::ExactlyOne), Some("undecidable"), share(0, 1)),
        (&["x", "x"], both(Match::ExactlyOne, json!(2)), Some("ambiguous_match"), share(0, 1)),
        (&["x", "x"], both(Match::ExactlyOne, json!(1)), Some("count_mismatch"), share(0, 1)),
        (&["!r", "!r"], both(Match::ExactlyOne, json!(0)), None, share(1, 1)),
        // Unsafe matches.
        (&["+!"], any(), Some("unsafe_match"), share(0, 1)),
        (&["-!"], any(), Some("field_mismatch"), share(0, 1)),
        (&["+!", "+"], any(), None, share(1, 1)),
        (&["+!", "+"], matching(Match::ExactlyOne), None, share(1, 1)),
        (&["+!", "+"], matching(Match::First), Some("unsafe_match"), share(0, 1)),
        (&["+!", "+"], matching(Match::All), Some("unsafe_match"), share(0, 1)),
        (&["+!"], counting(json!(2)), Some("count_mismatch"), share(0, 1)),
        // What is unsafe does not count, except where nothing of the kind must have been made.
        (&["+!", "+"], counting(json!(1)), None, share(1, 1)),
        (&["-!", "+"], counting(json!(1)), None, share(1, 1)),
        (&["+!", "+"], counting(json!(2)), Some("unsafe_match"), share(0, 1)),
        (&["+!"], counting(json!(1)), Some("unsafe_match"), share(0, 1)),
        (&["+!", "+!"], counting(json!(1)), Some("count_mismatch"), share(0, 1)),
        (&["+!", "+", "+"], counting(json!({"min": 1, "max": 2})), None, share(1, 1)),
        (&["!", "x", "x"], counting(json!({"max": 2})), None, share(1, 1)),
        (&["!", "!"], counting(json!({"max": 0})), Some("count_mismatch"), share(0, 1)),
        (&["!r"], counting(json!(0)), None, share(1, 1)),
        (&["+!r"], counting(json!(0)), None, share(1, 1)),
        (&["-!r"], counting(json!(0)), None, share(1, 1)),
        (&["!r", "!"], counting(json!(0)), Some("count_mismatch"), share(0, 1)),
        (&["!r"], any(), Some("unsafe_match"), share(0, 1)),
        // What may be unsafe leaves open what depends on it.
        (&["+u"], any(), Some("undecidable"), share(0, 1)),
        (&["+u", "+"], any(), None, share(1, 1)),
        (&["-u"], any(), Some("field_mismatch"), share(0, 1)),
        (&["+u", "+"], matching(Match::First), Some("undecidable"), share(0, 1)),
        (&["+u", "+"], matching(Match::ExactlyOne), Some("undecidable"), share(0, 1)),
        (&["+u", "+"], matching(Match::All), Some("undecidable"), share(0, 1)),
        (&["+u", "+!"], matching(Match::All), Some("unsafe_match"), share(0, 1)),
        (&["u", "x"], counting(json!(2)), Some("undecidable"), share(0, 1)),
        (&["u", "x"], counting(json!({"min": 1})), None, share(1, 1)),
        (&["u", "x"], counting(json!(3)), Some("count_mismatch"), share(0, 1)),
        (&["u"], any(), Some("undecidable"), share(0, 1)),
        (&["u"], counting(json!(0)), Some("count_mismatch"), share(0, 1)),
        // Constraints next to fields.
        (&["++c"], any(), Some("structure_violation"), share(2, 3)),
        (&["+-c"], any(), Some("structure_violation"), share(1, 3)),
    ] {
        let evidence = evidence(candidates, rules);
        let named = format!("{candidates:?} {rules:?}: {}", evidence.details());
        assert_eq!(evidence.reason().map(Reason::name), reason, "{named}");
        assert_eq!(evidence.share(), &score, "{named}");
        assert_eq!(evidence.status() == Status::Passed, reason.is_none(), "{named}");
        assert!(evidence.details().ends_with('.'), "{named}");
        assert_eq!(evidence.candidates.nearest.is_some(), reason.is_some() && !candidates.is_empty(), "{named}");
    }
}

fn unreadable(fault: Fault) -> Unreadable {
    Unreadable { place: Location::bytes("part/9", 3..7), what: "it ends in the middle".into(), fault }
}

#[test]
fn what_cannot_be_read_matters_when_it_could_change_the_outcome() {
    let cases = [
        (&[][..], any(), true),
        (&["+"], any(), false),
        (&["-"], any(), false),
        (&["+"], counting(json!(1)), true),
        (&["+"], matching(Match::All), true),
        (&["+"], matching(Match::ExactlyOne), true),
        (&["+"], matching(Match::First), true),
        (&["+"], matching(Match::Last), true),
        (&[], counting(json!(0)), true),
        (&["!"], any(), true),
        (&["!", "x"], any(), false),
    ];
    for (fault, reason) in [
        (Fault::System, Reason::Failed(Failure::Malformed)),
        (Fault::Recording, Reason::Unverifiable(Obstacle::SourceMalformed)),
        (Fault::Obstacle(Obstacle::LimitExceeded), Reason::Unverifiable(Obstacle::LimitExceeded)),
    ] {
        for (candidates, rules, matters) in cases {
            let mut seen = observation(candidates);
            seen.unreadable.push(unreadable(fault));
            // Behind an outage may be the one that is as asserted.
            let matters = matters || candidates == ["-"] && matches!(fault, Fault::Obstacle(_));
            let evidence = over(&seen, rules, candidates.iter().any(|c| c.contains(['+', '-'])));
            let named = format!("{candidates:?} {rules:?} {fault:?}: {}", evidence.details());
            assert_eq!(evidence.reason() == Some(reason), matters, "{named}");
            if matters {
                assert!(
                    evidence.details().contains("part/9") && evidence.details().contains("ends in the middle"),
                    "{named}"
                );
                assert_eq!(evidence.share(), &share(0, 1), "{named}");
            }
        }
    }
    // An outage is not booked as the system's fault because something else is.
    let mut seen = observation(&[]);
    seen.unreadable = vec![unreadable(Fault::System), unreadable(Fault::Obstacle(Obstacle::SourceDenied))];
    assert_eq!(over(&seen, any(), true).status(), Status::Unverifiable);
}

#[test]
fn what_more_could_not_change_is_concluded() {
    let mut seen = observation(&["+", "+"]);
    seen.unreadable.push(unreadable(Fault::Obstacle(Obstacle::LimitExceeded)));
    let too_many = over(&seen, counting(json!(1)), true);
    assert_eq!(too_many.reason(), Some(Reason::Failed(Failure::CountMismatch)));
    assert_eq!(over(&seen, counting(json!({"min": 2})), true).status(), Status::Passed);
    assert_eq!(over(&seen, counting(json!({"min": 3})), true).status(), Status::Unverifiable);
    assert_eq!(over(&seen, counting(json!({"min": 1, "max": 2})), true).status(), Status::Unverifiable);
}

#[test]
fn the_nearest_is_explained_in_a_sentence() {
    let mut seen = observation(&[]);
    seen.considered = 3;
    let conditions = [
        FieldResult::constraint("a", json!(1), json!(1), true),
        FieldResult::constraint("PID.3.1", json!("12345"), json!("12354"), false),
    ];
    seen.near = NearMiss::of(Location::whole("part/7"), "record 7".into(), &conditions);
    let evidence = over(&seen, any(), true);
    assert_eq!(
        evidence.details(),
        "No record with key 1 in part/: among 3 records; the nearest, record 7, has PID.3.1 \"12354\", not \"12345\"."
    );
    let nearest = evidence.candidates.nearest.unwrap();
    assert_eq!((nearest.matched, nearest.place.locator.as_str()), ((1, 2), "part/7"));
}

#[test]
fn an_observation_survives_being_stored() {
    let mut seen = observation(&["+-", "\u{fffd}"]);
    seen.candidates[1].content = Bytes(Box::new([0xff, 0x00]));
    seen.unreadable = vec![unreadable(Fault::System), unreadable(Fault::Obstacle(Obstacle::Timeout))];
    let stored = candor_json::to_string(&seen).unwrap();
    assert_eq!(candor_json::from_str::<Observation<Bytes>>(&stored).unwrap(), seen);
}

#[test]
fn a_label_reads_as_it_was_written() {
    let texts = ["message 2 of a", "set 271 0010 of 7", "a 0 of b", "a +2 of b", "2", "00", "Patient/7", " of ", ""];
    for text in texts {
        assert_eq!(Label::from(text.to_owned()).to_string(), text);
    }
    for long in [format!("row {} of a", u128::MAX), format!("MSH-10 {}7", "0".repeat(1 << 16))] {
        assert_eq!(Label::from(long.clone()).to_string(), long);
    }
}

#[test]
fn a_green_cannot_be_had_for_nothing() {
    assert_eq!(Evidence::passed(Vec::new(), "fine").status(), Status::Unverifiable);
    let failed = FieldResult::constraint("f", json!(1), json!(2), false);
    assert_eq!(Evidence::passed(vec![failed.into()], "fine").status(), Status::Unverifiable);
}

fn rules() -> impl Strategy<Value = RecordRules> {
    let matches = prop::sample::select(vec![Match::Any, Match::First, Match::Last, Match::All, Match::ExactlyOne]);
    let counts = prop::option::of((0u64..4, prop::option::of(0u64..4)));
    (matches, counts).prop_map(|(matching, count)| RecordRules {
        matching,
        count: count.and_then(|(min, max)| Cardinality::range(min, max)),
    })
}

proptest! {
    #[test]
    fn the_laws_hold(candidates in prop::collection::vec("[-+?!c]{1,3}", 0..5), rules in rules()) {
        let names: Vec<&str> = candidates.iter().map(String::as_str).collect();
        let evidence = evidence(&names, rules);
        prop_assert_eq!(evidence.status() == Status::Passed, evidence.reason().is_none());
        prop_assert!(evidence.share() >= &share(0, 1) && evidence.share() <= &share(1, 1));
        if evidence.status() == Status::Passed {
            prop_assert!(!evidence.results.is_empty() && evidence.results.iter().all(|r| r.passed()));
            prop_assert_eq!(evidence.share(), &share(1, 1));
        }
        if evidence.status() == Status::Unverifiable {
            prop_assert_eq!(evidence.share(), &share(0, 1));
        }
    }

    /// Making every candidate worse never turns anything into a pass.
    #[test]
    fn failing_fields_never_help(candidates in prop::collection::vec("[-+?]{1,3}", 1..5), m in 0usize..5) {
        let m = [Match::Any, Match::First, Match::Last, Match::All, Match::ExactlyOne][m];
        let worse: Vec<String> = candidates.iter().map(|c| format!("{c}-")).collect();
        let names: Vec<&str> = worse.iter().map(String::as_str).collect();
        prop_assert_eq!(evidence(&names, matching(m)).status(), Status::Failed);
    }
}

/// Runs of candidates that are alike, thousands in all.
fn very_many() -> impl Strategy<Value = Vec<String>> {
    let kinds = prop_oneof!["[-+?vc]{1,3}", "[-+?v]{1,2}[!ure]", "[+]", "[-]"];
    let alike = (prop::collection::vec(kinds, 1..4), 1..candor_test_size::pick(1_500_usize, 8_000));
    let alike = alike.prop_map(|(kinds, times)| kinds.into_iter().cycle().take(times).collect::<Vec<String>>());
    prop::collection::vec(alike, 1..5).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::pick(2, 32)))]

    #[test]
    fn what_is_not_held_while_judging_changes_nothing(
        candidates in very_many(),
        counted in prop::option::of(0u64..2),
        vague_fails: bool,
        most in prop::sample::select(vec![0u64, 4096, 1 << 20, 8 << 20]),
    ) {
        let count = counted.map(|more| candidates.len() as u64 + more);
        let kept: Vec<String> = candidates.iter().map(|kinds| format!("{kinds}k")).collect();
        let (_, whole) = written(&kept, count, vague_fails, most);
        let (_, less) = written(&candidates, count, vague_fails, most);
        prop_assert!(less == whole, "{less:.1000}\n{whole:.1000}");
    }
}
