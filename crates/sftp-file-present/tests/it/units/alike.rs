//! Rows of two states of a file.

use candor_json::{Value, json};
use proptest::prelude::*;

use crate::alike::{UNREAD, align};

type Fields = Vec<(String, Value)>;

fn lines(texts: &[u8]) -> Fields {
    let line = |(at, text): (usize, &u8)| vec![(format!("$rows.{}.n", at + 1), json!(text))];
    texts.iter().enumerate().flat_map(line).collect()
}

fn aligned(before: &[u8], after: &[u8]) -> (Vec<String>, Vec<String>) {
    let (mut was, mut is) = (lines(before), lines(after));
    align(&mut was, &mut is);
    let shown = |fields: Fields| fields.into_iter().map(|(path, value)| format!("{path} {value}")).collect();
    (shown(was), shown(is))
}

#[test]
fn a_row_put_in_or_taken_out_is_one_change() {
    for at in 0..6 {
        let whole: Vec<u8> = (1..=6).collect();
        let mut less = whole.clone();
        less.remove(at);
        let one = vec![format!("$rows.{} {{\"n\":{}}}", at + 1, at + 1)];
        assert_eq!(aligned(&whole, &less), (one.clone(), vec![]));
        assert_eq!(aligned(&less, &whole), (vec![], one));
    }
    let two = aligned(&[1, 2, 3, 4, 5, 6], &[9, 1, 2, 3, 4, 7, 6]);
    assert_eq!(two, (vec!["$rows.6.n 5".to_owned()], vec!["$rows.1 {\"n\":9}".to_owned(), "$rows.6.n 7".to_owned()]));
}

#[test]
fn a_file_that_turned_into_something_else_is_that() {
    let mut before = vec![("$rows.1.id".to_owned(), json!("1"))];
    let mut after = vec![(UNREAD.to_owned(), json!("empty")), ("$size".to_owned(), json!(0))];
    align(&mut before, &mut after);
    assert_eq!((before[0].1.as_str(), after[0].1.as_str()), (Some("sound"), Some("empty")));
}

proptest! {
    #[test]
    fn nothing_that_differs_is_taken_out(
        before in prop::collection::vec(0..5u8, 0..12),
        after in prop::collection::vec(0..5u8, 0..12),
    ) {
        let (was, is) = aligned(&before, &after);
        prop_assert_eq!(was.is_empty() && is.is_empty(), before == after);
        // As many rows came and went as the lengths say.
        prop_assert_eq!(was.len() as i64 - is.len() as i64, before.len() as i64 - after.len() as i64);
    }
}
