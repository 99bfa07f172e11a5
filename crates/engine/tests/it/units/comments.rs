//! Comments that accept findings of lint.

use proptest::prelude::*;

use crate::comments::read;

#[test]
fn comments_are_told_from_texts() {
    let text = "id: t # candor: ignore[a, b] because it is so\n# candor: ignore[c] because why\n\n# other\nx: 'a # candor: ignore[d] because'\ny: |\n  # candor: ignore[e] because it is text\nz: 1\n  # candor: ignore[f]\n";
    let found = read(text);
    let told: Vec<_> = found.iter().map(|c| (c.line, c.column, c.about, c.codes.join(" "), c.has_reason)).collect();
    assert_eq!(
        told,
        [(1, 7, 1, "a b".to_owned(), true), (2, 1, 5, "c".to_owned(), true), (9, 3, 9, "f".to_owned(), false),]
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(# candor: ignore\\[|\\]| because |[a-z: \n#|'\"\\-]|é){0,40}") {
        for comment in read(&text) {
            prop_assert!(comment.line <= text.lines().count());
        }
    }
}
