//! The texts that a path can go on into.

use crate::json_path::reach::Reach;

#[test]
fn the_first_name_is_found() {
    let first = |path: &str| Reach::of(path).first;
    for path in ["$.a[0]", "$['a'].b", "$[\"a\"]", "$.a", "$.a[?@.x=='y']", "$.a[?@.x=='$5']"] {
        assert_eq!(first(path).as_deref(), Some("a"), "{path}");
    }
    for path in ["$", "$.*", "$..a", "$[*]", "$[0]", "$['a','b']", "$['\\'']", "$.a[?@.x==$.b]"] {
        assert_eq!(first(path), None, "{path}");
    }
}
