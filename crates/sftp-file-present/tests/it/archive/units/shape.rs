//! Tests of the form of an archive, by its name.

use crate::archive::shape::{Archive, Shape, Wrapper, shape};

#[test]
fn names_say_what_is_inside() {
    use Wrapper::{Gzip, Pgp};
    for (name, wrappers, archive, inner) in [
        ("claims.json", &[][..], None, "claims.json"),
        ("claims.json.gz", &[Gzip], None, "claims.json"),
        ("claims.JSON.GZ", &[Gzip], None, "claims.JSON"),
        ("claims.csv.gz.pgp", &[Pgp, Gzip], None, "claims.csv"),
        ("a.zip!b/claims.csv.asc", &[Pgp], None, "a.zip!b/claims.csv"),
        ("day.tgz", &[Gzip], Some(Archive::Tar), "day"),
        ("day.tar.gz", &[Gzip], Some(Archive::Tar), "day.tar"),
        ("day.zip.gpg", &[Pgp], Some(Archive::Zip), "day.zip"),
        ("day.zip", &[], Some(Archive::Zip), "day.zip"),
        ("zip", &[], None, "zip"),
        ("a/.gz", &[], None, "a/.gz"),
        ("x.gz.gz.gz.gz.gz", &[Gzip, Gzip, Gzip, Gzip], None, "x.gz"),
    ] {
        assert_eq!(shape(name), Shape { wrappers: wrappers.to_vec(), archive, inner }, "{name}");
    }
}
