//! Quotes that a file holds.

use std::fs;
use std::path::Path;

use crate::artifact::holds;

#[test]
fn a_quote_is_verbatim_and_shows_something() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.md"), "# Letter\n\n  Reason: lumbar radiculopathy.\nok\n}\n").unwrap();
    let stands = |quote: &str| holds(folder.path(), &[vec![quote.to_owned()]]) == [true];
    for quote in [
        "lumbar radiculopathy",
        " Reason: lumbar ",
        "# Letter\n\n  Reason",
        "# Letter",
        "ok",
        "Reason: lumbar radiculopathy.",
    ] {
        assert!(stands(quote), "{quote:?}");
    }
    for quote in
        ["", " ", "a", "}", "the", "lumbar", "o", "Lumbar radiculopathy", "lumbar  radiculopathy", "lumbar rad\u{fffd}"]
    {
        assert!(!stands(quote), "{quote:?}");
    }
}

#[test]
fn files_are_searched_and_links_are_not_followed() {
    let (work, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir_all(work.path().join("a/b")).unwrap();
    fs::write(work.path().join("a/b/one.md"), b"the first letter\xff").unwrap();
    fs::write(work.path().join("two.md"), "the second letter").unwrap();
    fs::write(outside.path().join("three.md"), "the third letter").unwrap();
    std::os::unix::fs::symlink(outside.path(), work.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("three.md"), work.path().join("three.md")).unwrap();
    let groups = ["the first letter", "the second letter", "the third letter", "two.md two.md"];
    let groups: Vec<Vec<String>> =
        groups.iter().map(|quote| vec!["nothing of it".to_owned(), (*quote).to_owned()]).collect();
    assert_eq!(holds(work.path(), &groups), [true, true, false, false]);
    assert_eq!(holds(Path::new("/nowhere/at/all"), &groups), [false; 4]);
}
