//! Values that are certainly not of a simple data type.

use crate::datatype::Simple;

#[test]
fn what_is_wrong_for_certain_is_told() {
    let cases: [(Simple, &[&str], &[&str]); 5] = [
        (
            Simple::Dt,
            &["2026", "202611", "20261121", "20240229", "", "\"\"", " 2026 "],
            &[" ", "20261321", "20260229", "00000000", "2026-11-21", "202611210930", "226", "unknown", "2026112"],
        ),
        (
            Simple::Tm,
            &["09", "0930", "093015", "093015.1234", "0930+0100", "2400", "235960"],
            &["25", "0960", "9:30", "093015.", "093015.12345", "0930+2500", "2401"],
        ),
        (
            Simple::Dtm,
            &["2026", "20261121", "2026112109", "20261121093015.12-0500", "2026+0100", "202611212400"],
            &["20261121T0930", "2026112125", "2026-11-21 09:30", "20261100", "19700231", "2026110"],
        ),
        (Simple::Nm, &["1", "+5", "-0.50", ".5", "5.", "007"], &["<0.1", "1,5", "1e5", "+", ".", "5 mg", "--1"]),
        (Simple::Si, &["1", "0", "0012"], &["-1", "1.0", "A", "1a"]),
    ];
    for (simple, right, wrong) in cases {
        for text in right {
            assert!(!simple.rejects(text.as_bytes()), "{text} is {}", simple.expected());
        }
        for text in wrong {
            assert!(simple.rejects(text.as_bytes()), "{text} is not {}", simple.expected());
        }
    }
}
