//! An evaluator's answer, read by patterns.

use std::path::PathBuf;

use candor_verification::verifiers::EvaluatorResponse;
use candor_verification::{Claim, Verifier as _, VerifierInput, VerifierVerdict};

use crate::common::runtime;

#[test]
fn a_pattern_without_a_group_gives_the_lines_it_matches_in() {
    let text = "I looked.\nVerdict: FAIL, two rows are missing\nBye.";
    let of = |pattern: &str| {
        let verifier = EvaluatorResponse::new("^PASS$", pattern).unwrap();
        let answer = Claim { response: text.to_owned(), ..Claim::default() };
        let workspace = PathBuf::new();
        let input =
            VerifierInput { build_result: Claim::default(), eval_result: Some(answer), workspace, iteration: 0 };
        match runtime().block_on(verifier.verify(&input)).unwrap() {
            VerifierVerdict::Failed { reason } => reason,
            other => panic!("{pattern}: {other:?}"),
        }
    };
    assert_eq!(of("FAIL"), "Verdict: FAIL, two rows are missing");
    assert_eq!(of("looked"), "I looked.");
    assert_eq!(of("missing\nBye"), "Verdict: FAIL, two rows are missing\nBye.");
}
