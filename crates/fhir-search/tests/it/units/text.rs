//! Alternatives, parts and escapes of search values.

use proptest::prelude::*;

use crate::text::{split, unescape};

#[test]
fn escapes() {
    assert_eq!(split(r"a,b\,c,\\,d", ',').collect::<Vec<_>>(), ["a", r"b\,c", r"\\", "d"]);
    assert_eq!(split("", ',').collect::<Vec<_>>(), [""]);
    assert_eq!(unescape(r"b\,c\|\$\\\n\"), r"b,c|$\\n\");
}

proptest! {
    #[test]
    fn what_is_escaped_comes_back(parts in prop::collection::vec("[a,|$\\\\é]{0,8}", 1..5)) {
        let escape = |part: &String| part.chars().flat_map(|c| [Some('\\').filter(|_| ",|$\\".contains(c)), Some(c)]).flatten().collect::<String>();
        let joined = parts.iter().map(escape).collect::<Vec<_>>().join(",");
        prop_assert_eq!(split(&joined, ',').map(|part| unescape(part).into_owned()).collect::<Vec<_>>(), parts);
    }

    #[test]
    fn parts_joined_are_the_text(text in any::<String>()) {
        prop_assert_eq!(split(&text, '|').collect::<Vec<_>>().join("|"), text);
    }
}
