//! Sentences that list findings.

use crate::findings::listed;

#[test]
fn a_line_a_finding_and_equal_ones_once() {
    for (details, begin, lines) in [
        (
            "1 of 2 rows in portal/; 2 of 2 fields failed: a is \"x\", expected \"y\"; b is nothing, expected 2 (row 1).",
            "1 of 2 rows in portal/; 2 of 2 fields failed:",
            vec!["a is \"x\", expected \"y\"", "b is nothing, expected 2 (row 1)"],
        ),
        (
            "3 rows; 3 of 3 fields failed: a is 1, expected 2 (row 1); a is 1, expected 2 (row 2); a is 1, expected 2 (row 3).",
            "3 rows; 3 of 3 fields failed:",
            vec!["a is 1, expected 2 (row 1, and 2 more)"],
        ),
        (
            "2 of 9 fields failed: [0] is \"; \\\"; \", expected \" fields failed: \"; [0] is 1, expected 2; [0] is 1, expected 2; and 3 more.",
            "2 of 9 fields failed:",
            vec!["[0] is \"; \\\"; \", expected \" fields failed: \"", "[0] is 1, expected 2 (2 times)", "and 3 more"],
        ),
        (
            "1 of 1 fields failed: a is \"long; …, expected \"y\"; b is nothing, expected 1.",
            "1 of 1 fields failed:",
            vec!["a is \"long; …, expected \"y\"", "b is nothing, expected 1"],
        ),
        (
            "2 records are not as they were before the work: portal:a/1 was removed; portal:a/2 was removed.",
            "2 records are not as they were before the work:",
            vec!["portal:a/1 was removed", "portal:a/2 was removed"],
        ),
    ] {
        let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        assert_eq!(listed(details), Some((begin, lines)), "{details}");
    }
    for details in
        ["No row in portal/.", "\" fields failed: a; b\" is there", "it failed: no", "no state before the work: x"]
    {
        assert_eq!(listed(details), None);
    }
}
