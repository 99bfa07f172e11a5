//! Pages of what a server answered.

use crate::store::Unreadable;
use crate::store::pages::{Page, incomplete};

fn page(own: &str, next: &str, total: Option<u64>, ids: &[&str]) -> Page {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let found: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    Page {
        kind: "searchset".to_owned(),
        own: given(own),
        next: given(next),
        total,
        all: found.clone(),
        found,
        previous: None,
        place: Some(Unreadable { file: own.to_owned(), offset: 0, line: 1, ..Unreadable::default() }),
    }
}

#[test]
fn pages_that_lead_to_each_other_are_whole() {
    let pages = [page("u1", "u2", Some(3), &["a", "b"]), page("u2", "", Some(3), &["c"])];
    assert_eq!(incomplete(&pages), []);
    assert_eq!(incomplete(&pages[..1]).len(), 1);
    assert!(incomplete(&pages[1..])[0].what.contains("of 3, of which 1"));
}

#[test]
fn a_page_that_leads_to_itself_never_ends() {
    assert_eq!(incomplete(&[page("u1", "u1", None, &["a"])]).len(), 1);
}

#[test]
fn pages_in_a_circle_end() {
    assert_eq!(incomplete(&[page("u1", "u2", Some(2), &["a"]), page("u2", "u1", Some(2), &["b"])]), []);
}

#[test]
fn the_same_page_twice_counts_once() {
    assert_eq!(incomplete(&[page("u1", "", Some(2), &["a"]), page("u1", "", Some(2), &["a"])]).len(), 1);
}

#[test]
fn pages_without_links_are_each_of_a_search_of_its_own() {
    assert_eq!(incomplete(&[page("", "", Some(2), &["a"]), page("", "", Some(2), &["b"])]).len(), 2);
    assert_eq!(incomplete(&[page("", "", Some(1), &["a"]), page("", "", Some(1), &["b"])]), []);
    assert_eq!(incomplete(&[page("", "", Some(1), &["a"]), page("", "", Some(2), &["b"])]).len(), 1);
}

#[test]
fn a_total_that_counts_includes_is_reached_with_them() {
    let mut one = page("", "", Some(2), &["a"]);
    one.all.push("b".to_owned());
    assert_eq!(incomplete(&[one.clone()]), []);
    one.total = Some(3);
    assert_eq!(incomplete(&[one]).len(), 1);
}
