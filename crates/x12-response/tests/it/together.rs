//! Criteria that read sets together are answered as each alone is, however what they want is written.

#![expect(clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use candor_check::Sandbox;
use candor_check_testkit::answered_alike;
use candor_json::{Value, json};
use candor_x12_response::{CHECK, PART};
use proptest::prelude::*;
use proptest::sample::select;

const TEXTS: &[&str] = &["T1", "t1", "T1 ", " T1", "1", "01", "1.0", "20261120", "T", "0001", "C1", "C1"];

/// The same as a file may write them, wrapped or not.
const WRITTEN: &[&str] =
    &["T1", "t1", "T1 ", " T1", "1", "01", "1.0", "20261120", "T", "0001", "T\n1", "\r\nT1", "2026\r1120", "1\n"];

/// Element, component and repetition separators and the segment terminator.
const SEPARATORS: &[[char; 4]] = &[['*', ':', '^', '~'], ['|', '>', '!', '\n'], ['+', '*', '%', '\'']];

#[derive(Clone, Copy, Debug)]
enum Damage {
    None,
    NoId,
    CutOff,
    WrongCount,
    OtherSet,
}

/// Claims of a remittance, some of them reversed.
const CLAIMS: &[&[&str]] = &[
    &[],
    &[],
    &["CLP*C1*1*100*80**MC*P1"],
    &["CLP*C1*22*100*-80**MC*P1", "CLP*C1*1*100*1**MC*P1"],
    &["CLP*C2*1*9*1", "C\nLP*C1*2\r\n2*100*-80**MC*P1"],
    &["CLP*C2*22*9*-1"],
];

/// With a composite, and with levels.
type Set = (&'static str, &'static str, [&'static str; 3], [bool; 2], &'static [&'static str], Damage);

fn set() -> impl Strategy<Value = Set> {
    use Damage::{CutOff, NoId, None, OtherSet, WrongCount};
    let kind = select(vec!["271", "277", "835"]);
    let guide = select(vec!["005010X279A1", "005010X214", "005010X221A1", ""]);
    let damage = select(vec![None, None, None, None, NoId, CutOff, WrongCount, OtherSet]);
    (kind, guide, [select(WRITTEN), select(WRITTEN), select(WRITTEN)], any::<[bool; 2]>(), select(CLAIMS), damage)
}

/// An interchange with its sets, with `*`, `:`, `^` and `~` as separators.
fn interchange(number: usize, sets: &[Set]) -> String {
    let mut text = format!(
        "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*{number:09}*0*P*:~\
         GS*HB*PAYER*PROVIDER*20261120*1200*{number}*X*005010X279A1~"
    );
    for (at, (kind, guide, [trace, other, reference], [composite, levels], claims, damage)) in sets.iter().enumerate() {
        let st = if guide.is_empty() { format!("ST*{kind}*{at:04}") } else { format!("ST*{kind}*{at:04}*{guide}") };
        let mut segments = vec![st, format!("BHT*0022*11*{reference}*20261120*1319")];
        if *levels {
            segments.extend(["HL*1**20*1", "HL*2*1*21*1", "HL*3*2*22*0"].map(str::to_owned));
        }
        if *composite {
            segments.push(format!("TRN*2:{trace}*{other}:{trace}"));
        }
        segments.push(format!("TRN*2*{trace}*9877281234"));
        if *levels {
            segments.push("HL*4*2*22*0".to_owned());
        }
        segments.push(format!("TRN*1*{other}**"));
        segments.push("EB*1**1^33^30**GOLD".to_owned());
        segments.extend(claims.iter().map(|&claim| claim.to_owned()));
        match damage {
            Damage::NoId => segments.insert(2, "*none".to_owned()),
            Damage::OtherSet => segments.push("ST*999*7777".to_owned()),
            Damage::None | Damage::CutOff | Damage::WrongCount => {}
        }
        let count = segments.len() + 1 + usize::from(matches!(damage, Damage::WrongCount));
        if !matches!(damage, Damage::CutOff) {
            segments.push(format!("SE*{count}*{at:04}"));
        }
        text.extend(segments.iter().map(|segment| format!("{segment}~")));
    }
    text + &format!("GE*{}*{number}~IEA*1*{number:09}~", sets.len())
}

fn separated(text: &str, separators: [char; 4]) -> String {
    let by =
        |c: char| ['*', ':', '^', '~'].iter().zip(separators).find(|(known, _)| **known == c).map_or(c, |(_, by)| by);
    text.chars().map(by).collect()
}

fn wanted() -> impl Strategy<Value = Value> {
    prop_oneof![8 => select(TEXTS).prop_map(Value::from), 1 => Just(json!(1)), 1 => Just(json!(null)), 1 => Just(json!(""))]
}

fn criterion() -> impl Strategy<Value = Value> {
    let paths = vec![
        "TRN.2",
        "TRN[*].2",
        "TRN.2.1",
        "TRN[1=2].2",
        "BHT.3",
        "ST.2",
        "GS.6",
        "ISA.13",
        "2000C.TRN02",
        "2000C.TRN[*].2",
        "2000C[2].TRN.2",
        "2000C[*].TRN[1=2].2.1",
        "2000C[1=3].TRN[2].2",
        "2200D.TRN.2",
        "CLP.1",
        "CLP[*].1",
    ];
    let correlated = prop::collection::vec((select(paths), wanted()), 0..3);
    let transaction = select(vec![None, None, None, Some("271"), Some("271"), Some("277"), Some("835"), Some("TA1")]);
    let guide = select(vec![None, None, Some("005010X279A1"), Some("005010")]);
    let rest = select(vec![
        json!({"fields": [{"path": "BHT.3", "op": "notEmpty"}]}),
        json!({"fields": [{"path": "TRN[*].2", "op": "notEmpty"}], "match": "all"}),
        json!({"fields": [{"path": "ST.2", "op": "notEmpty"}], "match": "exactly_one"}),
        json!({"fields": [{"path": "EB[*].1", "expected": "1"}], "match": "last"}),
        json!({"count": 0}),
        json!({"count": 1}),
        json!({"validate": [1, 2]}),
        json!({"envelope": "strict"}),
        json!({"fields": [{"path": "CLP[1=C1].4", "expected": 80}]}),
        json!({"fields": [{"path": "CLP[*].4", "op": "notEmpty"}], "allow_modifiers": true}),
    ]);
    (correlated, transaction, guide, rest).prop_map(|(correlated, transaction, guide, rest)| {
        let mut assertion = rest;
        assertion["assert"] = json!("x12-response");
        if let Some(transaction) = transaction {
            assertion["transaction"] = json!(transaction);
        }
        if let Some(guide) = guide {
            assertion["guide"] = json!(guide);
        }
        if !correlated.is_empty() {
            let conditions = correlated.into_iter().map(|(path, value)| (path.to_owned(), value));
            assertion["correlate_by"] = Value::Object(conditions.collect());
        }
        assertion
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn criteria_are_answered_alike_together_and_alone(
        files in prop::collection::vec((prop::collection::vec(prop::collection::vec(set(), 0..4), 1..3), select(SEPARATORS)), 1..3),
        lines in select(vec!["~", "~\n", "~\r\n", "~ \n"]),
        cut in prop::option::weighted(0.1, any::<prop::sample::Index>()),
        asked in prop::collection::vec(criterion(), 2..8),
    ) {
        let mut builder = Sandbox::builder();
        for (at, (interchanges, separators)) in files.iter().enumerate() {
            let text: String = (1..).zip(interchanges).map(|(number, sets)| interchange(number, sets)).collect();
            let mut bytes = separated(&text.replace('~', lines), *separators).into_bytes();
            bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
            builder = builder.file(format!("x12/{at}.x12"), bytes);
        }
        answered_alike(CHECK, &builder.build(&[PART]).unwrap(), &asked);
    }
}

/// A value is compared as the path reads it, whatever the delimiters are.
#[test]
fn a_value_is_found_however_it_is_separated() {
    let set = |guide, trace, levels| ("271", guide, [trace, "T2", "R1"], [false, levels], CLAIMS[0], Damage::None);
    let whole = |trace| set("005010X279A1", trace, false);
    let through = set("005010X279A1", "T3", true);
    let sets = [whole("T1"), whole(" T1"), whole("t1"), whole("1"), whole("T4"), through];
    let text = separated(&interchange(1, &sets), ['|', '>', '!', '\n']);
    let sandbox = Sandbox::builder().file("x12/a.x12", text.into_bytes()).build(&[PART]).unwrap();
    let rows = [
        ("TRN.2", "T1", true),
        ("TRN.2", "t1", true),
        ("TRN.2", "1.0", false),
        ("TRN.2", "T2", false),
        ("2000C.TRN02", "T3", true),
        ("2000C.TRN02", "T2", false),
        ("2000C[2].TRN02", "T2", true),
        ("2000C.TRN02", "T4", false),
    ];
    let assertions =
        rows.map(|(path, value, _)| json!({"assert": "x12-response", "correlate_by": {path: value}, "count": 1}));
    let passed: Vec<bool> =
        answered_alike(CHECK, &sandbox, &assertions).iter().map(|one| one.status().name() == "passed").collect();
    assert_eq!(passed, rows.map(|(.., found)| found));
}
