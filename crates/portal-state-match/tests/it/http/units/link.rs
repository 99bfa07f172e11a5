//! The header field Link.

use proptest::prelude::*;

use crate::http::link::next;

#[test]
fn links() {
    for (field, expected) in [
        ("<https://a.example/x?page=2>; rel=\"next\"", Some("https://a.example/x?page=2")),
        ("</x?page=1>; rel=prev, </x?page=3>; rel=next", Some("/x?page=3")),
        ("<?page=2>; title=\"a, <b>; rel=\\\"x\\\"\"; REL=\"last Next\"", Some("?page=2")),
        ("<?page=2>; rel=last; rel=next", None),
        ("<?page=2>; anchor=\"#x\"; rel=next", None),
        ("<a>", None),
        ("", None),
        (" , <a>;rel=next", Some("a")),
    ] {
        assert_eq!(next(field), Ok(expected.map(str::to_owned)), "{field}");
    }
    for field in ["a; rel=next", "<a; rel=next", "<a> b", "<a>; title=\"x"] {
        assert!(next(field).is_err(), "{field}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_field(field in "[<>;,=\"\\\\a-z ]{0,40}") {
        if let Ok(Some(target)) = next(&field) {
            prop_assert!(field.contains(&target));
        }
    }
}
