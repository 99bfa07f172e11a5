//! The wrapper of a file's content, by its name.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// RFC 1952, one member or several.
    Gzip,
    Pgp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Archive {
    Zip,
    Tar,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape<'a> {
    pub(crate) wrappers: Vec<Wrapper>,
    /// The content, when that is an archive.
    pub(crate) archive: Option<Archive>,
    pub(crate) inner: &'a str,
}

/// How many wrappers around one content are taken off.
const MOST: usize = 4;

/// The wrappers and the archive that the name, or the path, of a file declares. Case does not count.
pub(crate) fn shape(name: &str) -> Shape<'_> {
    let mut shape = Shape { wrappers: Vec::new(), archive: None, inner: name };
    while shape.wrappers.len() < MOST {
        let Some((rest, extension)) = shape.inner.rsplit_once('.') else { break };
        // A name that is nothing but its extension is not a name of something wrapped.
        if rest.is_empty() || rest.ends_with(['/', '!']) {
            break;
        }
        match extension.to_ascii_lowercase().as_str() {
            "gz" => shape.wrappers.push(Wrapper::Gzip),
            "pgp" | "gpg" | "asc" => shape.wrappers.push(Wrapper::Pgp),
            "tgz" => {
                shape.wrappers.push(Wrapper::Gzip);
                shape.archive = Some(Archive::Tar);
                shape.inner = rest;
                break;
            }
            "tar" => {
                shape.archive = Some(Archive::Tar);
                break;
            }
            "zip" => {
                shape.archive = Some(Archive::Zip);
                break;
            }
            _ => break,
        }
        shape.inner = rest;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
