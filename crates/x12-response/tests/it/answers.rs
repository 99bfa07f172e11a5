//! The answers of a set, found in its tree of loops.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_x12::{Delimiters, Excerpt, SetView};
use candor_x12_guides::ReadSet;
use proptest::prelude::*;

use crate::claims::REVERSAL;
use crate::patients::{member, named_patients};
use crate::rejections::Rejections;
use crate::standing::{Remitted, standing};
use crate::tree::Tree;

fn set(text: &str) -> ReadSet<'_> {
    let delimiters = Delimiters::new(b'*', Some(b':'), None, b"~").unwrap();
    let body = Excerpt { bytes: text.as_bytes(), offset: 0 };
    ReadSet::new(SetView { delimiters, isa: Excerpt { bytes: &[], offset: 0 }, gs: None, body })
}

/// As [`standing`], with a look at every earlier claim.
fn standing_of_every(tree: &Tree<'_>, claims: &[Remitted]) -> Vec<usize> {
    let mut standing: Vec<usize> = Vec::new();
    for claim in claims {
        let text = |clp, element| tree.text(clp, element);
        let is_same = |earlier: &usize| {
            let (one, other) = (text(*earlier, 7), text(claim.clp, 7));
            let is_unnumbered = one.is_empty() || other.is_empty();
            text(*earlier, 1) == text(claim.clp, 1) && (is_unnumbered || one == other)
        };
        let paid = |clp| tree.amount(clp, 4).unwrap();
        let is_opposite = |earlier: &usize| is_same(earlier) && -paid(*earlier) == paid(claim.clp);
        let reversed = standing.iter().rposition(is_opposite).or_else(|| standing.iter().rposition(is_same));
        match reversed {
            _ if text(claim.clp, 2) != REVERSAL => standing.push(claim.clp),
            Some(at) => {
                standing.remove(at);
            }
            None => {}
        }
    }
    standing
}

proptest! {
    #[test]
    fn loops_below_another_are_those_that_it_is_around(
        ids in prop::collection::vec(
            prop::sample::select(vec!["HL*1**20", "HL*2*1*21", "HL*3*2*22", "HL*4*3*23", "NM1*IL", "NM1*03", "EB*1", "AAA*N"]),
            0..40,
        ),
    ) {
        let segments = std::iter::once("ST*271*1*005010X279A1").chain(ids);
        let text = segments.map(|segment| format!("{segment}~")).collect::<String>();
        let set = set(&text);
        let tree = Tree::of(set.loops().unwrap(), set.segments());
        let wanted = ["2000C", "2000D", "2100C", "2100D", "2110C", "2110D"];
        for outer in 0..set.loops().unwrap().occurrences().len() {
            let up = |at: usize| std::iter::successors(tree.parent(at), |&at| tree.parent(at));
            let inside = tree.all(&wanted).into_iter().filter(|&at| up(at).any(|above| above == outer));
            let mut below: Vec<usize> = tree.below(outer, &wanted).collect();
            below.sort_unstable();
            prop_assert_eq!(below, inside.collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_aaa_is_the_one_that_a_look_at_every_loop_finds(
        ids in prop::collection::vec(
            prop::sample::select(vec!["HL*1**20", "HL*2*1*21", "HL*3*2*22", "HL*4*3*23", "NM1*IL", "NM1*03", "EB*1", "AAA*N"]),
            0..40,
        ),
        is_meant in prop::collection::vec(any::<bool>(), 41),
    ) {
        let segments = std::iter::once("ST*271*1*005010X279A1").chain(ids);
        let text = segments.map(|segment| format!("{segment}~")).collect::<String>();
        let set = set(&text);
        let tree = Tree::of(set.loops().unwrap(), set.segments());
        let (levels, names, services) = (["2000A", "2000C", "2000D"], ["2000A", "2100C", "2100D"], ["2110C", "2110D"]);
        let rejections = Rejections::of(&tree, &levels, [&names, &services]);
        for occurrence in tree.all(&levels).into_iter().map(Some).chain([None]) {
            let around: Vec<usize> = std::iter::successors(occurrence, |&at| tree.parent(at)).collect();
            let level = |at: usize| tree.around(at, &levels);
            let concerns = |at: &usize| occurrence.is_none() || level(*at).is_some_and(|level| around.contains(&level));
            let every = tree.all(&names).into_iter().chain(tree.all(&services)).filter(concerns);
            let first = every.filter(|&at| is_meant[at % 41]).find_map(|at| tree.first(at, "AAA"));
            let found = rejections.around(&tree, occurrence, |at| is_meant[at % 41]);
            prop_assert_eq!(found.map(|(_, aaa)| aaa), first);
        }
    }

    #[test]
    fn a_patient_is_the_first_name_with_a_number_in_a_level(
        ids in prop::collection::vec(
            prop::sample::select(vec![
                "HL*1**20", "HL*2*1*21", "HL*3*2*19", "HL*4*3*22", "HL*5*4*23", "NM1*IL*1*ROE", "NM1*IL*1*ROE*****MI*M1",
                "NM1*QC*1*ROE", "NM1*QC*1*ROE*****MI*M2", "TRN*2*C1",
            ]),
            0..40,
        ),
    ) {
        let segments = std::iter::once("ST*277*1*005010X212").chain(ids);
        let text = segments.map(|segment| format!("{segment}~")).collect::<String>();
        let set = set(&text);
        let tree = Tree::of(set.loops().unwrap(), set.segments());
        let patients = named_patients(&tree);
        for claim in tree.all(&["2200D", "2200E"]) {
            let first = |level: &str, id: &str| {
                let level = tree.around(claim, &[level])?;
                let is_own = |at: &usize| tree.around(*at, &["2000D", "2000E"]) == Some(level);
                let ids = [id];
                let mut names = tree.below(level, &ids).filter(is_own).filter_map(|at| tree.first(at, "NM1"));
                names.find(|&name| !tree.text(name, 9).is_empty())
            };
            let expected = first("2000E", "2100E").or_else(|| first("2000D", "2100D"));
            prop_assert_eq!(member(&tree, &patients, claim).map(|(name, _)| name), expected);
        }
    }

    #[test]
    fn a_reversal_takes_the_claim_that_a_look_at_every_one_finds(
        written in prop::collection::vec((0..2, prop::bool::ANY, prop::sample::select(vec!["", "N", "M"]), -1..2), 0..30),
    ) {
        let mut text = "ST*835*1*005010X221A1~LX*1~".to_owned();
        for (id, reverses, number, paid) in written {
            text += &format!("CLP*{id}*{}*9*{paid}*0*MC*{number}~", if reverses { REVERSAL } else { "1" });
        }
        let set = set(&text);
        let tree = Tree::of(set.loops().unwrap(), set.segments());
        let claims: Vec<Remitted> = tree.with_id("CLP").map(|clp| Remitted { occurrence: 0, clp }).collect();
        let found: Vec<usize> =
            standing(&tree, &claims.iter().collect::<Vec<_>>()).into_iter().map(|claim| claim.clp).collect();
        prop_assert_eq!(found, standing_of_every(&tree, &claims));
    }
}
