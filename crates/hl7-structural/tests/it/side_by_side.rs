//! Files that several threads read give the evidence that one thread gives.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use std::time::SystemTime;

use candor_check::Sandbox;
use candor_check::work::{Budget, Work};
use candor_check_testkit::answered_alike;
use candor_hl7_structural::{CHECK, PART};
use candor_json::{Value, json};

/// Thirty files of 50 KB. Some are broken, one is larger than may be read, and the last ones are beyond what may be read of
/// all.
fn sandbox(threads: usize) -> Sandbox {
    let long = "x".repeat(50_000);
    let mut builder = Sandbox::builder().settings("[limits]\nmax_bytes = \"60KB\"\nmax_total_bytes = \"1150KB\"\n");
    for at in 0..30_usize {
        let header = |id: &str| format!("MSH|^~\\&|A|B|C|D|20261120||ADT^A01|{id}|P|2.5\r");
        let message = |id: &str| format!("{}PID|1||{at}\rNTE|1||{long}\r", header(&format!("{id}{at}")));
        let (name, text) = match at % 6 {
            0 => ("hl7", message("a")),
            1 => ("txt", format!("{}PID|1||{at}\r{}", header("same"), message("b"))),
            2 if at == 8 => ("hl7", format!("{}NTE|2||{}\r", message("c"), "x".repeat(20_000))),
            2 => ("hl7", format!("BHS|^~\\&|A\r{}BTS|7\r", message("c"))),
            3 => ("hl7", format!("PID|1\r{}", message("d"))),
            4 => ("csv", message("e")),
            _ => ("hl7", format!("{}\0\0", message("f"))),
        };
        builder = builder.file(format!("hl7/{at:02}.{name}"), text.into_bytes());
    }
    let work = Work::new(Budget { threads, ..Budget::default() }).at(SystemTime::UNIX_EPOCH);
    builder.build(&[PART]).unwrap().with_work(work)
}

#[test]
fn evidence_is_the_same_with_one_thread_and_with_four() {
    let fields = |expected: &str| json!([{"path": "PID.3.1", "expected": expected}]);
    let criterion = |id: &str, expected: &str| {
        // A file that is not read may cancel a message.
        let (key, allowed) = (json!({"control_id": id}), id != "same");
        json!({"assert": "hl7-structural", "correlate_by": key, "fields": fields(expected), "allow_modifiers": allowed})
    };
    let criteria = [
        criterion("a6", "6"),
        criterion("f5", "6"),
        criterion("same", "7"),
        criterion("z1", "1"),
        json!({"assert": "hl7-structural", "match": "all", "fields": fields("1")}),
        json!({"assert": "hl7-structural", "count": 40}),
    ];
    let shown = |threads: usize| -> Vec<(Value, String)> {
        let answers = answered_alike(CHECK, &sandbox(threads), &criteria);
        answers.iter().map(|one| (one.to_value(CHECK.meta().evidence_key), one.details().to_owned())).collect()
    };
    let (one, four) = (shown(1), shown(4));
    assert_eq!(one, four);
    let all = format!("{one:?}");
    for expected in ["larger than 60000 bytes", "limit max_total_bytes", "hl7/03.hl7", "sha256", "04.csv"] {
        assert!(all.contains(expected), "{expected} in {all:.3000}");
    }
}
