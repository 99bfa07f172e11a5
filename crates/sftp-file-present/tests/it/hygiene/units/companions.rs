//! The companions of a file.

use crate::hygiene::companions::Companion;
use crate::hygiene::digests::Algorithm;

#[test]
fn companions_are_named_after_their_file() {
    for (pattern, path, paths) in [
        ("*.done", "out/claims.csv", &["out/claims.csv.done", "out/claims.done"][..]),
        ("{name}.done", "claims.csv", &["claims.csv.done"]),
        ("{stem}.ok", "claims.csv.gz", &["claims.csv.ok"]),
        ("sums/*.sha256", "a", &["sums/a.sha256"]),
        ("_SUCCESS", "out/part-0", &["out/_SUCCESS"]),
        ("*.csv", "a.csv", &["a.csv.csv"]),
        ("*.x", ".hidden", &[".hidden.x"]),
    ] {
        assert_eq!(Companion::parse(pattern).unwrap().paths(path), paths, "{pattern} {path}");
    }
    for pattern in ["", "../*.done", "/x", "*.*", "{name}{stem}", "[ab].done", "*.sha1", "a//b", "{nome}.x", "x/"] {
        assert!(Companion::parse(pattern).is_err(), "{pattern}");
    }
    assert_eq!(Companion::parse("*.SHA256").unwrap().algorithm, Some(Algorithm::Sha256));
}
