//! The fuzz body over stored results, cut off and with bytes exchanged.

use candor_tests::fuzz_report::stored_result;

const RESULTS: [&str; 4] = [
    r#"{"task_id":"t","verdict":"partial","score":0.5,"interval":[0.5,0.7],"axes":{"a":{"score":1,"weight":0.7}},"criterion_runs":[{"id":"cr_1","criterion_id":"c","status":"failed","score":0,"reason":"x","details":"<b>","evidence":{"field_results":[{"path":"PID.3.1","expected":1,"actual":[null],"source":{"locator":"hl7/a","span":[1,2]}}],"candidates":{"nearest":{"locator":"a","label":"b"}}}}]}"#,
    r#"{"task_id":"t","grade":"weak","criteria":[{"criterion_id":"c","status":"passed","grade":"weak","leaf":{"killed":1,"tried":2},"survivors":[{"probe":"harm","operator":"o","before":"\u0007","suggestion":{"a":1}}]}]}"#,
    r#"{"added":1,"removed":0,"changed":1,"records":[{"part":"fhir","record":"r","change":"changed","fields":[{"path":"p","before":1,"after":"\u202e"}]}]}"#,
    "{\"task_run_id\":\"a\",\"criterion_id\":\"b\",\"status\":\"passed\",\"score\":1,\"weight\":1}\n{\"task_run_id\":\"b\",\"criterion_id\":\"b\",\"status\":\"failed\",\"score\":0,\"weight\":1}\n",
];

#[test]
fn damaged() {
    let mut runs = 0;
    for result in RESULTS {
        stored_result(result.as_bytes());
        for at in (0..result.len()).step_by(candor_test_size::pick(11, 1)) {
            stored_result(&result.as_bytes()[..at]);
            for byte in *b"\x00 \"09-e{}[],:\\\xEF" {
                let mut damaged = result.as_bytes().to_vec();
                damaged[at] = byte;
                stored_result(&damaged);
                runs += 1;
            }
        }
    }
    assert!(runs > 1_000, "{runs}");
}
