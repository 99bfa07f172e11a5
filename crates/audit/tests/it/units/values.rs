//! Other values of the same kind.

use crate::values::others;

#[test]
fn another_value_is_of_the_same_kind() {
    for (text, first) in [
        ("\"active\"", "\"npgvir\""),
        ("\"Patient/p-4471\"", "\"Patient/c-9926\""),
        ("\"2026-11-20T09:05:00-05:00\"", "\"1998-11-20T09:05:00-05:00\""),
        ("20261120", "19981120"),
        ("M54.50", "Z79.05"),
        ("2", "7"),
        ("2.50", "7"),
        ("50", "75"),
        ("true", "false"),
        ("\"a\\nb\"", "\"n\\no\""),
    ] {
        assert_eq!(others(text)[0], first, "{text}");
    }
    for text in ["\"x\"", "\"é\"", "\"\"", "\"–\"", "1", "-3", "0", "Müller", "1e5"] {
        assert!(others(text).iter().any(|other| other != text), "{text}");
    }
}
