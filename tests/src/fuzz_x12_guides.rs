//! The bodies of the fuzz targets around the X12 guides: any bytes, placed in loops, validated, and read as responses.

use candor_json::{Value, json};
use candor_x12::{Excerpt, Item, Path, SetView, Walk};
use candor_x12_guides::{Finding, Guide, Loops, MOST_FINDINGS, validate, validate_situations};

/// Places every set by every guide of its transaction: each segment is in one loop below the transaction set, a path
/// through loops selects part of what the same path selects without them, and findings lie in the bytes.
///
/// # Panics
/// When one of these does not hold.
pub fn x12_guides(data: &[u8]) {
    for_each_set(data, |view| {
        let transaction = view.segment("ST").map(|st| st.text(1).into_owned()).unwrap_or_default();
        for guide in Guide::all().filter(|guide| guide.transaction() == transaction) {
            let loops = Loops::of(guide, view);
            placed(&loops, view);
            selected(&loops, view);
            validated(validate(guide, view), view, data.len());
            validated(validate_situations(&loops, &view.read()), view, data.len());
        }
    });
}

/// Shows every set and every TA1 of an input.
///
/// # Panics
/// When bytes in memory cannot be read.
pub fn for_each_set(data: &[u8], mut each: impl FnMut(&SetView<'_>)) {
    let mut walk = Walk::from_slice(data);
    while let Some(item) = walk.next_item(&mut |_| true).expect("bytes in memory do not fail") {
        match item {
            Item::Set(set) => each(&set.view()),
            Item::Ta1(ta1) => each(&ta1.view()),
            Item::GroupEnd { .. } | Item::InterchangeEnd { .. } | Item::Fault(_) => {}
        }
    }
}

fn placed(loops: &Loops, view: &SetView<'_>) {
    let count = view.segments().count();
    assert!((0..count).all(|number| loops.of_segment(number).is_some_and(|at| at < loops.occurrences().len())));
    assert_eq!(loops.of_segment(count), None);
    for (number, occurrence) in loops.occurrences().iter().enumerate() {
        assert_eq!(occurrence.parent.is_none(), number == 0, "only the transaction set stands in nothing");
        assert!(occurrence.parent.is_none_or(|parent| parent < number), "a loop begins before what it stands in");
        assert!(loops.definition(number).is_some());
        assert!(number == 0 || loops.of_segment(occurrence.first) == Some(number), "a loop begins with its segment");
        assert_eq!(loops.trail(number).is_empty(), number == 0);
    }
}

fn selected(loops: &Loops, view: &SetView<'_>) {
    for (loops_of, plain) in [
        ("2000C", "REF[*].2"),
        ("2110C[2]", "EB[*].3[*]"),
        ("2000A.2000B", "HL[*].1"),
        ("2300[1=1]", "CLM[*].5.1"),
        ("2100", "CAS[*].3"),
    ] {
        let path = Path::parse(&format!("{loops_of}.{plain}")).expect("a path");
        let all: Vec<_> = Path::parse(plain).expect("a path").select(view).iter().map(|value| value.offset).collect();
        let some = loops.select(&path, view);
        assert!(some.iter().all(|value| all.contains(&value.offset)), "{path} selects what {plain} does not");
    }
}

fn validated((findings, more): (Vec<Finding>, usize), view: &SetView<'_>, length: usize) {
    let count = view.segments().count();
    assert!(findings.len() <= MOST_FINDINGS && (more == 0 || findings.len() == MOST_FINDINGS));
    for finding in findings {
        let at = usize::try_from(finding.offset).expect("an offset in memory");
        assert!(at + finding.length <= length, "a finding outside of the bytes: {finding:?}");
        assert!((1..=count + 1).contains(&finding.position), "a finding outside of the set: {finding:?}");
        assert!(!finding.expected.is_empty() && finding.code.contains(':'), "{finding:?}");
    }
}

/// The response expected of a transaction set: ST01, guide, `answer`. A TA1 is not a transaction set and has no ST01.
const QUESTIONS: [(&str, &str, &str); 7] = [
    (
        "271",
        "005010X279A1",
        r#"{"coverage": "active", "service_type": "30", "on": "2026-11-20", "network": "in", "copay": 25,
            "deductible": 500, "coinsurance": "0.20"}"#,
    ),
    ("277", "005010X212", r#"{"claim": "finalized"}"#),
    ("277", "005010X214", r#"{"claim": "accepted", "claim_id": "1"}"#),
    ("278", "005010X217", r#"{"certified": true, "certification_number": "1", "service": "99213", "quantity": 1}"#),
    (
        "835",
        "005010X221A1",
        r#"{"claim": "paid", "claim_id": "1", "amount": 1, "balanced": true,
            "adjustments": [{"group": "CO", "reason": "45", "amount": 1}]}"#,
    ),
    ("999", "005010X231A1", r#"{"accepted": true}"#),
    ("997", "", r#"{"accepted": true, "set": "0001"}"#),
];

/// Asks every set what it answers and validates it by `x12-response`, as observed: a verdict comes of it, the same one
/// each time.
///
/// # Panics
/// When none does, or another.
pub fn x12_answers(data: &[u8]) {
    for_each_set(data, |view| {
        let transaction = view.segment("ST").map(|st| st.text(1).into_owned()).unwrap_or_default();
        for (_, guide, answer) in QUESTIONS.iter().filter(|(asked, ..)| *asked == transaction) {
            let answer: Value = candor_json::from_str(answer).expect("a question");
            let mut assertion = json!({
                "assert": "x12-response", "transaction": transaction, "answer": answer, "validate": [1, 2, 3, 4]
            });
            if !guide.is_empty() {
                assertion["guide"] = json!(guide);
            }
            let bound = candor_x12_response::CHECK.bind(assertion).expect("an assertion");
            let observation = observation(view);
            let judged = [(); 2].map(|()| {
                let seen = bound.restore(observation.clone()).expect("an observation");
                format!("{:?}", bound.judge(&seen))
            });
            assert_eq!(judged[0], judged[1]);
        }
    });
}

fn observation(view: &SetView<'_>) -> Value {
    let part = |part: Excerpt<'_>| json!({"text": String::from_utf8_lossy(part.bytes), "offset": part.offset});
    let declared = &view.delimiters;
    json!({
        "place": "x12/",
        "sets": {
            "candidates": [{
                "source": {"locator": "x12/a.edi", "sha256": null, "span": null},
                "label": "set 1 of x12/a.edi",
                "content": {
                    "delimiters": {
                        "element": declared.element(),
                        "component": declared.component(),
                        "repetition": declared.repetition(),
                        "terminator": declared.terminator(),
                    },
                    "isa": part(view.isa),
                    "gs": view.gs.map(part),
                    "body": part(view.body),
                    "located": true,
                    "envelope": [],
                    "envelope_unknown": false,
                }
            }],
            "considered": 1
        }
    })
}
