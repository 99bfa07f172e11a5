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
