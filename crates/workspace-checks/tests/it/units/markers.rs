//! The table of markers.

use crate::markers::MARKERS;

#[test]
fn the_table_is_read_whole() {
    let table = toml::from_str::<toml::Table>(include_str!("../../../data/markers.toml")).unwrap();
    assert_eq!(table["marker"].as_array().unwrap().len(), MARKERS.len());
    assert!(MARKERS.len() >= 15);
    for marker in MARKERS.iter() {
        assert!(!marker.needles.is_empty() && !marker.within.is_empty(), "{}", marker.name);
        assert!(marker.needles.iter().all(|needle| *needle == needle.to_lowercase()), "{}", marker.name);
        assert!(!marker.pattern.is_match(""), "{} matches everything", marker.name);
    }
}
