//! A criterion observes the same, alone and with others, whether or not a text finds the sets that concern it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests fails them by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use candor_check::{Check as _, Sandbox};
use candor_json::{Value, json};
use candor_x12::{Item, SetHead, SetView, Walk};
use candor_x12_response::{PART, Seen, X12Response};
use proptest::prelude::*;
use proptest::sample::select;

/// ST01, ST03, the segments between ST and SE, and whether SE is missing.
type Set = (&'static str, &'static str, Vec<&'static str>, bool);

const SEGMENTS: &[&str] = &[
    "TRN*2*T1*98",
    "TRN*1*T2",
    "TRN*2*T\n1",
    "HL*3*2*22*0",
    "EB*1**22",
    "CLP*C1*1*50*40**MC*P1",
    "CLP*C1*22*50*-40**MC*P1",
    "CLP*C2*22",
    "C\nLP*C3*2\r\n2*1",
    "*none",
    "ST*999*7777",
];

fn set() -> impl Strategy<Value = Set> {
    (
        select(vec!["271", "277", "835", "835"]),
        select(vec!["", "005010X279A1", "005010X214", "005010X221A1"]),
        prop::collection::vec(select(SEGMENTS), 0..6),
        prop::bool::weighted(0.05),
    )
}

fn interchange(sets: &[Set]) -> String {
    let mut text =
        "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*000000001*0*P*:~\
        GS*HB*PAYER*PROVIDER*20261120*1200*1*X*005010X279A1~"
            .to_owned();
    for (number, (kind, guide, segments, is_cut)) in sets.iter().enumerate() {
        text += &format!("ST*{kind}*{number:04}*{guide}~");
        text.extend(segments.iter().map(|segment| format!("{segment}~")));
        if !is_cut {
            text += &format!("SE*{}*{number:04}~", segments.len() + 2);
        }
    }
    text + &format!("GE*{}*1~IEA*1*000000001~", sets.len())
}

fn criterion() -> impl Strategy<Value = Value> {
    let paths = select(vec!["TRN.2", "TRN[*].2", "TRN[1=2].2", "2000C.TRN02", "CLP.1", "CLP[*].1", "ST.2"]);
    let correlated = prop::collection::vec((paths, select(vec!["T1", "T2", "C1", "C2", "C3", "0001"])), 1..3);
    let transaction = select(vec![None, None, None, Some("835"), Some("271")]);
    let guide = select(vec![None, None, Some("005010X221A1"), Some("005010")]);
    let rest = select(vec![
        json!({"fields": [{"path": "ST.1", "op": "notEmpty"}]}),
        json!({"fields": [{"path": "ST.1", "op": "notEmpty"}], "allow_modifiers": true}),
        json!({"fields": [{"path": "ST.1", "op": "notEmpty"}], "match": "all"}),
        json!({"count": 0}),
        json!({"validate": [1]}),
    ]);
    (correlated, transaction, guide, rest).prop_map(|(correlated, transaction, guide, mut assertion)| {
        for (member, value) in [("transaction", transaction), ("guide", guide)] {
            if let Some(value) = value {
                assertion[member] = json!(value);
            }
        }
        let conditions = correlated.into_iter().map(|(path, value)| (path.to_owned(), json!(value)));
        assertion["correlate_by"] = Value::Object(conditions.collect());
        assertion
    })
}

/// The criterion of an assertion, if it is a valid one.
fn bound(assertion: &Value, is_searched: bool) -> Option<X12Response> {
    let check: X12Response = candor_json::from_value(assertion.clone()).ok()?;
    Some(if is_searched { check } else { check.unsearched() })
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The observations of criteria of one run, which read a source together.
fn together(sandbox: &Sandbox, asked: &[X12Response]) -> Vec<Seen> {
    let sandbox = sandbox.with_work(sandbox.work().one_run());
    let mut open: Vec<_> = asked.iter().map(|one| Box::pin(one.observe(&sandbox))).collect();
    let mut seen: Vec<Option<Seen>> = asked.iter().map(|_| None).collect();
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        for (future, seen) in open.iter_mut().zip(&mut seen).filter(|(_, seen)| seen.is_none()) {
            if let Poll::Ready(given) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                *seen = Some(given.unwrap());
            }
        }
        if seen.iter().all(Option::is_some) {
            return seen.into_iter().flatten().collect();
        }
        thread::park();
    }
}

fn alone(sandbox: &Sandbox, asked: &[X12Response]) -> Vec<Seen> {
    asked.chunks(1).flat_map(|one| together(sandbox, one)).collect()
}

fn claims(set: &SetView<'_>) -> Vec<(String, String)> {
    let clp = set.segments().filter(|segment| segment.id().is("CLP"));
    clp.map(|clp| (clp.text(1).into_owned(), clp.text(2).into_owned())).collect()
}

/// The claims that are reversed in the sets that a criterion reads, without a search.
fn reversed(text: &str, assertion: &Value) -> BTreeSet<String> {
    let member = |name: &str| assertion.get(name).and_then(Value::as_str);
    let accepts = ["allow_modifiers", "match", "validate"].iter().any(|name| assertion.get(*name).is_some());
    let mut found = BTreeSet::new();
    if accepts || member("transaction").is_some_and(|transaction| transaction != "835") {
        return found;
    }
    let mut reads = |head: &SetHead<'_>| {
        let transaction = head.st.text(1);
        let is_meant = member("transaction").is_none_or(|wanted| transaction == wanted)
            && member("guide").is_none_or(|guide| head.guide().starts_with(guide));
        is_meant || transaction == "835"
    };
    let mut walk = Walk::from_slice(text.as_bytes());
    while let Some(item) = walk.next_item(&mut reads).unwrap() {
        let Item::Set(set) = item else { continue };
        found.extend(claims(&set.view()).into_iter().filter(|(_, status)| status == "22").map(|(claim, _)| claim));
    }
    found
}

/// CLP01 and CLP02 of these claims in the remittances, in order.
fn remitted(text: &str, reversed: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut walk = Walk::from_slice(text.as_bytes());
    while let Some(item) = walk.next_item(&mut |head| head.st.text(1) == "835").unwrap() {
        let Item::Set(set) = item else { continue };
        found.extend(claims(&set.view()).into_iter().filter(|(claim, _)| reversed.contains(claim)));
    }
    found
}

/// The claims of an observation, with their status.
fn observed(seen: &Seen) -> Vec<(String, String)> {
    let text = |claim: &Value, name: &str| claim[name].as_str().unwrap().to_owned();
    let claims = seen.claims.iter().map(|claim| candor_json::to_value(claim).unwrap());
    claims.map(|claim| (text(&claim, "claim"), text(&claim, "status"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_search_misses_no_set_and_no_reversal(
        sets in prop::collection::vec(set(), 0..8),
        lines in select(vec!["~", "~\n", "~\r\n"]),
        asked in prop::collection::vec(criterion(), 1..6),
    ) {
        let text = interchange(&sets).replace('~', lines);
        let sandbox = Sandbox::builder().file("x12/a.x12", text.clone().into_bytes()).build(&[PART]).unwrap();
        let asked: Vec<&Value> = asked.iter().filter(|one| bound(one, true).is_some()).collect();
        let all = |is_searched| asked.iter().filter_map(|one| bound(one, is_searched)).collect::<Vec<_>>();
        let (searched, read) = (all(true), all(false));
        let expected = alone(&sandbox, &read);
        for (assertion, seen) in asked.iter().zip(&expected) {
            prop_assert_eq!(observed(seen), remitted(&text, &reversed(&text, assertion)));
        }
        prop_assert_eq!(&alone(&sandbox, &searched), &expected);
        prop_assert_eq!(&together(&sandbox, &searched), &expected);
        prop_assert_eq!(&together(&sandbox, &read), &expected);
    }
}
