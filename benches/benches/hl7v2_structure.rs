//! HL7 v2: the message structure of every real message checked, segments, groups, fields and data types.

use std::hint::black_box;

use candor_benches::hl7v2_corpus;
use candor_hl7v2::messages;
use candor_hl7v2_structure::{Fit, Wanted, check};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

fn main() {
    divan::main();
}

/// Messages whose structure the standard has, with CR line ends.
fn corpus() -> Vec<String> {
    let mut corpus = hl7v2_corpus();
    corpus.retain(|text| {
        messages(text.as_bytes()).flatten().all(|message| matches!(check(&message, Wanted::ByMessage), Fit::Checked(_)))
    });
    assert!(corpus.len() >= 400, "{} messages", corpus.len());
    corpus
}

/// Reading with it, as the check does.
#[divan::bench]
fn read_and_check(bencher: Bencher) {
    let corpus = corpus();
    bencher
        .counter(BytesCount::new(corpus.iter().map(String::len).sum::<usize>()))
        .counter(ItemsCount::new(corpus.len()))
        .bench_local(|| {
            let mut violations = 0;
            for text in &corpus {
                for message in messages(black_box(text.as_bytes())).flatten() {
                    if let Fit::Checked(checked) = check(&message, Wanted::ByMessage) {
                        violations += checked.violations.len();
                    }
                }
            }
            violations
        });
}
