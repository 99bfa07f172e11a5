//! Lines of text.

use proptest::prelude::*;

use crate::content::text::lines;

#[test]
fn lines_end_as_they_do_in_the_wild() {
    let all = |text| lines(text).map(|(_, line)| line).collect::<Vec<_>>();
    assert_eq!(all("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
    assert_eq!(all("a\n"), ["a"]);
    assert_eq!(all("\n\na"), ["", "", "a"]);
    assert!(all("").is_empty());
}

proptest! {
    #[test]
    fn spans_point_at_their_lines(text in "[ab\r\né]{0,30}") {
        for (range, line) in lines(&text) {
            prop_assert_eq!(&text[range], line);
        }
    }
}
