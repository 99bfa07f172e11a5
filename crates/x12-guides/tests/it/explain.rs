//! `explain`: the lines about an answer that precede its tree.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_x12_guides::explain::{Form, explain};
use proptest::prelude::*;

fn interchange(functional: &str, guide: &str, set: &str) -> String {
    format!(
        "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000001*0*T*:~\
         GS*{functional}*A*B*20261120*0915*1*X*{guide}~{set}GE*1*1~IEA*1*000000001~"
    )
}

fn written(input: &str, form: Form) -> String {
    let mut out = Vec::new();
    explain(input.as_bytes(), form, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The lines about the answer.
fn summary(functional: &str, guide: &str, set: &str) -> Vec<String> {
    let text = written(&interchange(functional, guide, set), Form::Text);
    text.lines().filter_map(|line| line.trim_start().strip_prefix("= ")).map(str::to_owned).collect()
}

#[test]
fn a_271_says_who_is_covered_for_what() {
    let set = "ST*271*1*005010X279A1~HL*1**20*1~NM1*PR*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*2~\
        HL*3*2*22*1~NM1*IL*1*SMITH*JOHN****MI*7~EB*1**30~EB*B**98***27*10~EB*1**33^35~EB*I**MH~HL*4*3*23*0~\
        NM1*03*1*SMITH*MARY~AAA*N**75*C~SE*15*1~";
    assert_eq!(
        summary("HB", "005010X279A1", set),
        [
            "JOHN SMITH (7): covered for service types 30, 33, 35 (EB01 1: active coverage)",
            "JOHN SMITH (7): not covered for service type MH (EB01 I: non-covered)",
            "MARY SMITH: rejected, subscriber not found (AAA03 75)",
        ]
    );
    let set = "ST*271*1*005010X279A1~HL*1**20*1~NM1*PR*2*PAYER*****PI*1~SE*4*1~";
    assert_eq!(summary("HB", "005010X279A1", set), ["the answer says nothing about coverage"]);
}

#[test]
fn a_277_says_what_became_of_each_claim() {
    let set = "ST*277*1*005010X214~HL*1**20*1~NM1*PR*2*PAYER*****PI*1~TRN*1*0~HL*2*1*21*1~NM1*41*2*CLINIC*****46*2~\
        TRN*2*B1~STC*A1:19:PR*20261120*WQ*150~HL*3*2*PT~NM1*QC*1*DOE*JANE****MI*7~TRN*2*C1~\
        STC*A7:562:85*20261120*U*100~REF*1K*P9~TRN*2*C2~STC*A2:20*20261120*WQ*50~SE*14*1~";
    assert_eq!(
        summary("HN", "005010X214", set),
        [
            "CLINIC (2): received (STC A1:19:PR), action WQ: accepted",
            "claim C1 of JANE DOE (7), payer's number P9: rejected for invalid information (STC A7:562:85), action U: rejected",
            "claim C2 of JANE DOE (7): accepted into adjudication (STC A2:20), action WQ: accepted",
        ]
    );
}

#[test]
fn an_835_says_what_was_paid() {
    let set = "ST*835*1~BPR*I*80*C*ACH************20261121~TRN*1*7~LX*1~CLP*C1*1*100*80*20*12*P1~CLP*C2*4*50*0**12*P2~SE*7*1~";
    assert_eq!(
        summary("HP", "005010X221A1", set),
        [
            "payment of 80 by ACH, dated 20261121",
            "claim C1: paid 80 of 100, the patient owes 20 (CLP02 1: processed as primary)",
            "claim C2: paid 0 of 50 (CLP02 4: denied)",
        ]
    );
}

#[test]
fn a_999_says_which_sets_were_accepted() {
    let set = "ST*999*1*005010X231A1~AK1*HC*7*005010X222A1~AK2*837*0001~IK3*CLM*23**8~IK5*R*5~AK2*837*0002~IK5*A~\
        AK9*P*2*2*1~SE*9*1~";
    assert_eq!(
        summary("FA", "005010X231A1", set),
        [
            "set 837 0001: rejected (IK501 R, IK502 5), 1 segment in error",
            "set 837 0002: accepted (IK501 A)",
            "group HC 7: partially accepted (AK901 P), 1 of 2 sets accepted",
        ]
    );
}

proptest! {
    #[test]
    fn no_answer_panics(
        transaction in prop::sample::select(vec!["271", "277", "835", "999", "837"]),
        segments in prop::collection::vec("(HL|NM1|EB|AAA|TRN|STC|SVC|REF|BPR|CLP|AK1|AK2|IK3|IK5|AK9)[*:^A-Z0-9 é]{0,20}~", 0..20),
    ) {
        let set = format!("ST*{transaction}*1~{}SE*1*1~", segments.concat());
        let input = interchange("HB", "005010X279A1", &set);
        written(&input, Form::Text);
        prop_assert!(written(&input, Form::Json).starts_with('['));
    }
}
