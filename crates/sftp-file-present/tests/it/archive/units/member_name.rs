//! Names of members.

use proptest::prelude::*;

use crate::archive::member_name::member_path;

#[test]
fn what_leads_out_is_refused() {
    for (name, path) in [
        ("claim.json", Some("claim.json")),
        ("./a//b/./claim.json", Some("a/b/claim.json")),
        ("a..b/..c", Some("a..b/..c")),
        ("a/", None),
        ("./", None),
        (".", None),
        ("é \u{1F600}", Some("é \u{1F600}")),
    ] {
        assert_eq!(member_path(name), Ok(path.map(str::to_owned)), "{name}");
    }
    for (name, why) in [
        ("../x", "leads out"),
        ("a/../x", "leads out"),
        ("..", "leads out"),
        ("/etc/passwd", "absolute"),
        ("C:x", "drive"),
        ("./C:", "drive"),
        ("c:/x", "drive"),
        ("a\\..\\x", "backslash"),
        ("a\0b", "NUL"),
        ("", "no name"),
    ] {
        assert!(member_path(name).unwrap_err().contains(why), "{name}");
    }
    assert!(member_path(&"a/".repeat(3000)).is_err());
}

proptest! {
    #[test]
    fn what_is_taken_stays_inside(name in "[a.C:/\\\\\0é]{0,12}") {
        if let Ok(Some(path)) = member_path(&name) {
            prop_assert!(path.split('/').all(|part| !part.is_empty() && part != ".." && part != "."));
            prop_assert_eq!(member_path(&path), Ok(Some(path.clone())));
        }
    }
}
