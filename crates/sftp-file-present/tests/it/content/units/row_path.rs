//! Paths to rows.

use proptest::prelude::*;

use crate::content::rows::RowPath;

#[test]
fn what_is_no_path_is_said_where() {
    for (path, offset, message) in [
        ("", 0, "expected `column`"),
        ("0.a", 0, "from 1"),
        ("99999999999999999999.a", 0, "that many rows"),
        ("row[a=b]", 8, "expected a column"),
        ("row[a=b].", 8, "expected a column"),
        ("row[a=b", 6, "does not close"),
        ("row[0].a", 3, "from 1"),
        ("row[a].b", 3, "expected `[column=value]`"),
        ("row[=b].a", 3, "expected `[column=value]`"),
        ("row[1][a=b].c", 6, "after its conditions"),
        ("row[a=\"b\"c].d", 9, "expected `]`"),
    ] {
        let problem = RowPath::parse(path).unwrap_err();
        assert!(problem.offset == offset && problem.message.contains(message), "{path}: {problem:?}");
    }
}

proptest! {
    #[test]
    fn escapes_are_undone(name in "[a-z=\\]\\\\. \"]{1,6}", value in "[a-z=\\]\\\\. \"]{0,6}") {
        let escaped = |text: &str| -> String { text.chars().flat_map(|c| ['\\', c]).collect() };
        let path = RowPath::parse(&format!("row[{}={}].x", escaped(&name), escaped(&value))).unwrap();
        prop_assert_eq!(&path.rows().unwrap().0.conditions, &[(name, value)]);
    }

    #[test]
    fn never_panics(path in "(row)?[a\\[\\]=\\\\\".0-9é]{0,12}") {
        let _ = RowPath::parse(&path);
    }
}
