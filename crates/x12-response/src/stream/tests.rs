//! A criterion observes the same, alone and with others, whether or not a text finds the sets that concern it.

use std::collections::BTreeSet;

use candor_check::field::Expected;
use candor_json::json;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::settings::Members;

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

fn criterion() -> impl Strategy<Value = candor_json::Value> {
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
        assertion["correlate_by"] = candor_json::Value::Object(conditions.collect());
        assertion
    })
}

/// The settings of an assertion, if it is a valid one. `in` selects as `equals` does, and is not searched for.
fn settings(assertion: &candor_json::Value, is_searched: bool) -> Option<Arc<Settings>> {
    let members: Members = candor_json::from_value(assertion.clone()).unwrap();
    let mut settings = Settings::try_from(members).ok()?;
    for field in settings.selection.correlation.0.iter_mut().filter(|_| !is_searched) {
        if let Expected::Equals(value) = &field.expected {
            field.expected = Expected::In(vec![value.clone()]);
        }
    }
    assert!(is_searched || settings.selection.wanted_text().is_none());
    Some(Arc::new(settings))
}

/// The observation of each criterion, and the reversed claims in it.
fn observed(text: &str, asked: &[Arc<Settings>]) -> Vec<(String, BTreeSet<String>)> {
    let from = From { place: Location::whole("x12/a.x12"), name: "x12/a.x12".to_owned(), located: true };
    let asking: Vec<Asking> = asked.iter().map(|settings| (Arc::clone(settings), 1 << 20)).collect();
    let open = || Ok(Walk::from_slice(text.as_bytes()));
    let shown = |reading: Result<Reading<Held>, Unverifiable>| {
        let (held, ending) = reading.unwrap().into_parts();
        let found = (&held.candidates, held.considered, &held.near, held.size, held.over_the_limit);
        let rest = (&held.unreadable, held.cuts_remittance, held.codes.len(), ending);
        (format!("{found:#?} {rest:#?}"), held.reversed.iter().cloned().collect())
    };
    from.read(&asking, &open, &|| 0).into_iter().map(shown).collect()
}

/// The claims that are reversed in the sets that a criterion reads, without a search.
fn reversed(text: &str, settings: &Settings) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut walk = Walk::from_slice(text.as_bytes());
    let mut reads = |head: &SetHead<'_>| {
        let transaction = head.st.text(1);
        settings.selection.unmet(head, &transaction).is_none() || transaction == REMITTANCE
    };
    while let Some(item) = walk.next_item(&mut reads).unwrap().filter(|_| settings.reads_remittances()) {
        let Item::Set(set) = item else { continue };
        let clp = set.view().segments().filter(|clp| clp.id().is("CLP") && clp.text(2) == "22");
        found.extend(clp.map(|clp| clp.text(1).into_owned()));
    }
    found
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
        let all = |is_searched| asked.iter().filter_map(|one| settings(one, is_searched)).collect::<Vec<_>>();
        let alone = |all: &[Arc<Settings>]| all.chunks(1).flat_map(|one| observed(&text, one)).collect::<Vec<_>>();
        let (searched, read) = (all(true), all(false));
        let expected = alone(&read);
        for (settings, (_, claims)) in read.iter().zip(&expected) {
            prop_assert_eq!(claims, &reversed(&text, settings));
        }
        prop_assert_eq!(&alone(&searched), &expected);
        prop_assert_eq!(&observed(&text, &searched), &expected);
        prop_assert_eq!(&observed(&text, &read), &expected);
    }
}
