//! Files that are read side by side give the evidence that they give one after another.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use std::time::SystemTime;

use candor_check::Sandbox;
use candor_check::work::{Budget, Work};
use candor_check_testkit::answered_alike;
use candor_json::{Value, json};
use candor_x12_response::{CHECK, PART};

const NAME: &str = "x12-response";

/// 24 files of 80 KB. Some are broken, one is larger than may be read, and two may be requests.
fn sandbox(threads: usize, max_total_bytes: &str) -> Sandbox {
    let long = "x".repeat(1_900);
    let limits = format!("[limits]\nmax_bytes = \"120KB\"\nmax_total_bytes = \"{max_total_bytes}\"\n");
    let mut builder = Sandbox::builder().settings(limits);
    for at in 0..24_usize {
        let day = at + 1;
        let mut text = format!(
            "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *2611{day:02}*1200*^*00501*{at:09}*0*P*:~\
             GS*HB*PAYER*PROVIDER*20261120*1200*{at}*X*005010X279A1~"
        );
        for set in 0..40 {
            let damage = if (at, set) == (13, 7) { "*none~" } else { "" };
            text += &format!("ST*271*{set:04}*005010X279A1~TRN*2*T{at}-{set}*98~{damage}");
            text += &format!("EB*1**30~MSG*{long}~SE*5*{set:04}~");
        }
        let status = match at {
            3 | 15 => Some("1"),
            17 => Some("22"),
            _ => None,
        };
        if let Some(status) = status {
            text += &format!("ST*835*0040*005010X221A1~CLP*C1*{status}*100*80**MC*P1~SE*3*0040~");
        }
        text += &format!("GE*40*{at}~IEA*1*{at:09}~");
        match at {
            8 => text += &" ".repeat(50_000),
            11 => text.truncate(60_000),
            _ => {}
        }
        let folder = if at == 19 || at == 20 { "19/" } else { "" };
        builder = builder.file(format!("x12/{folder}{at:02}.x12"), text.into_bytes());
    }
    let work = Work::new(Budget { threads, ..Budget::default() }).at(SystemTime::UNIX_EPOCH);
    builder.build(&[PART]).unwrap().with_work(work)
}

/// The last one holds so much that all together read one file after another, and each alone side by side.
fn criteria() -> Vec<Value> {
    let fields = json!([{"path": "EB.1", "expected": "1"}]);
    let claim = json!([{"path": "CLP[1=C1].4", "expected": 80}]);
    let answers = json!({"transaction": "270", "in": "x12/19"});
    vec![
        json!({"assert": NAME, "correlate_by": {"TRN.2": "T5-7"}, "fields": fields}),
        json!({"assert": NAME, "correlate_by": {"TRN.2": "T13-7"}, "fields": fields}),
        json!({"assert": NAME, "transaction": "271", "correlate_by": {"TRN.2": "T23-3"}, "fields": fields}),
        json!({"assert": NAME, "transaction": "271", "correlate_by": {"TRN.2": "T7-1"}, "fields": fields, "answers": answers}),
        json!({"assert": NAME, "transaction": "835", "fields": claim}),
        json!({"assert": NAME, "correlate_by": {"CLP[*].1": "C1"}, "fields": claim}),
        json!({"assert": NAME, "correlate_by": {"TRN.2": "T"}, "count": 0}),
        json!({"assert": NAME, "transaction": "271", "match": "all", "fields": fields}),
    ]
}

/// The evidence of all criteria, which is the same with one thread and with four.
fn shown(max_total_bytes: &str) -> String {
    let shown = |threads: usize| -> Vec<(Value, String)> {
        let answers = answered_alike(CHECK, &sandbox(threads, max_total_bytes), &criteria());
        answers.iter().map(|one| (one.to_value(CHECK.meta().evidence_key), one.details().to_owned())).collect()
    };
    let (one, four) = (shown(1), shown(4));
    assert_eq!(one, four);
    format!("{one:?}")
}

#[test]
fn evidence_is_the_same_with_one_thread_and_with_four() {
    let all = shown("4MB");
    for expected in ["x12/08.x12", "x12/11.x12", "x12/13.x12", "x12/17.x12", "x12/23.x12", "sha256"] {
        assert!(all.contains(expected), "{expected} in {all:.3000}");
    }
    assert!(!all.contains("max_total_bytes"), "{all:.3000}");
}

#[test]
fn what_is_too_much_is_too_much_side_by_side() {
    let all = shown("2MB");
    assert!(all.contains("are more than the limit max_total_bytes"), "{all:.3000}");
}
