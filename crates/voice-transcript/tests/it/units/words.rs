//! Maps and sets of words.

use crate::words::{WordMap, WordSet};

#[test]
fn what_is_in_it_is_found() {
    let set: WordSet = ["a", "", "fifteen", "é"].into_iter().collect();
    assert!(["a", "", "fifteen", "é"].into_iter().all(|word| set.contains(word)));
    assert!(!set.contains("fifty") && !set.contains("b"));
    let map: WordMap<u32> = [("one", 1), ("two", 2)].into_iter().collect();
    assert_eq!((map.get("two"), map.get("owt"), map.len()), (Some(&2), None, 2));
}
