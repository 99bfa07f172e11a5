//! Names of unfinished files.

use crate::hygiene::partials::{Partials, finished};
use crate::store::StoredFile;

#[test]
fn names_tell_what_is_unfinished() {
    for (path, becomes) in [
        ("a/x.json.tmp", Some("a/x.json")),
        ("x.json.PART", Some("x.json")),
        ("x.json.filepart", Some("x.json")),
        ("x.json.8d2f.partial", Some("x.json.8d2f")),
        ("x.json~", Some("x.json")),
        ("x.!ut", Some("x")),
        ("x.csv.cyberduckpart", Some("x.csv")),
        ("x.csv._COPYING_", Some("x.csv")),
        ("x.csv.InProgress", Some("x.csv")),
        ("x.csv.part1", Some("x.csv")),
        ("x.csv.tmp.123", Some("x.csv")),
        ("x.csv.$$$", Some("x.csv")),
        ("x.csv.writing", Some("x.csv")),
        ("x.csv.block", None),
        ("x.csv.2026", None),
        ("x.csv.1", None),
        ("x-part-2.csv", None),
        ("2026", None),
        ("x.template", None),
        ("x.department", None),
        ("temp-x.csv", None),
        ("a/.tmp", None),
        ("~", None),
        ("x.json", None),
        ("party", None),
        ("ü~", Some("ü")),
    ] {
        assert_eq!(finished(path).as_deref(), becomes, "{path}");
    }
}

#[test]
fn hidden_files_count_for_the_one_they_become() {
    let file = |path: &str| StoredFile {
        path: path.to_owned(),
        locator: path.to_owned(),
        size: 0,
        modified: None,
        version: None,
    };
    let files =
        ["d/.claims.json.Xy12Zw", "d/.in.claims.json.", "d/.keep", "d/claims.json", "d/z.tmp", "e/y.tmp"].map(file);
    let partials = Partials::among(&files);
    assert_eq!(partials.beside("d/claims.json"), ["d/.claims.json.Xy12Zw", "d/.in.claims.json.", "d/z.tmp"]);
    assert_eq!(partials.beside("d/other.json"), ["d/z.tmp"]);
    let files = ["d/Temp-claims.json", "d/tmp.claims.json", "d/temperature.json", "d/temp-other.json"].map(file);
    assert_eq!(Partials::among(&files).beside("d/claims.json"), ["d/Temp-claims.json", "d/tmp.claims.json"]);
    let files = ["d/~$claims.json", "d/_tmp_claims.json"].map(file);
    assert_eq!(Partials::among(&files).beside("d/claims.json").len(), 2);
    assert!(partials.beside("claims.json").is_empty());
    let files = ["d/~claims.json", "d/claims.json", "d/~other.json", "e/other.json"].map(file);
    let partials = Partials::among(&files);
    assert_eq!(partials.beside("d/~claims.json"), ["d/~claims.json"]);
    assert!(partials.beside("d/~other.json").is_empty());
}
