//! The fuzz body over stored criterion runs, cut off and with bytes exchanged.

use candor_tests::fuzz_scoring::stored_runs;

const RUNS: &str = r#"{"task_run_id":"r1","task_id":"t","criterion_id":"a","axis":"x","weight":0.7,"status":"passed","passed":true,"score":1.0}
{"task_run_id":"r1","task_id":"t","criterion_id":"b","weight":2e1,"status":"failed","score":0.6666666666666666,"evidence":{"x":[1,"\u00e9"]}}

{"task_run_id":"r2","task_id":"t","criterion_id":"a","weight":1,"status":"unverifiable","score":0.0,"gate":true}
{"task_run_id":"r3","criterion_id":"a","status":"failed","score":5e-324,"share":0.5,"task_pass":"all"}
"#;

#[test]
fn damaged() {
    stored_runs(RUNS.as_bytes());
    let mut runs = 0;
    for at in (0..RUNS.len()).step_by(candor_test_size::pick(3, 1)) {
        stored_runs(&RUNS.as_bytes()[..at]);
        for byte in *b"\x00\n\r \"0179-.e{}[],:\\\xEF\xFF" {
            let mut damaged = RUNS.as_bytes().to_vec();
            damaged[at] = byte;
            stored_runs(&damaged);
            runs += 1;
        }
    }
    assert!(runs > 3_000, "{runs}");
}
