//! How many criteria that right work meets do not pass: `cargo run -p candor-tests --bin right_work -- KIND EVERY FOLDER…`.
//!
//! KIND is `fhir`, `hl7`, `x12`, `portal` or `csv`; every EVERYth value is tried. `tests/right_work.rs` does the same over
//! the bundled fixtures.

use std::path::Path;
use std::process::ExitCode;

use candor_tests::right_work::{Kind, Tally, measure};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().as_deref().and_then(Kind::named);
    let every = arguments.next().and_then(|every| every.parse().ok()).filter(|every| *every > 0);
    let (Some(kind), Some(every)) = (kind, every) else {
        eprintln!("usage: right_work fhir|hl7|x12|portal|csv EVERY FOLDER…");
        return ExitCode::from(2);
    };
    let mut tally = Tally::default();
    for folder in arguments {
        tally.add(measure(kind, Path::new(&folder), every));
    }
    print!("{tally}");
    ExitCode::SUCCESS
}
