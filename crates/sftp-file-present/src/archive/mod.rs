//! Containers: what a file's name says it is wrapped in (`.gz`, `.pgp`), and the members of archives (`.zip`, `.tar`).
//! Everything here works on bytes that were read; nothing is written anywhere, and nothing comes out beyond the limits.

mod extract;
mod gathering;
mod keys;
mod member_name;
#[cfg(feature = "pgp")]
mod pgp;
#[cfg(feature = "pgp")]
mod pgp_look;
#[cfg(feature = "pgp")]
mod ring;
mod shape;
mod tar;
mod tar_header;
mod trouble;
mod unwrap;
mod zip;
mod zip_bytes;
mod zip_directory;
mod zip_name;

pub(crate) use extract::extract;
pub(crate) use gathering::{Extracted, Extraction, Wanted};
pub(crate) use keys::Keys;
#[cfg(feature = "pgp")]
pub(crate) use pgp_look::look as look_at_pgp;
pub(crate) use shape::shape;
pub(crate) use trouble::{Bounds, Trouble};
#[cfg(not(feature = "pgp"))]
pub(crate) use unwrap::look_at_pgp;
pub(crate) use unwrap::unwrapped;

use candor_check::sandbox::Limits;

/// A member of an archive that was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveMember {
    /// Its path in the archive, `/` between its parts, never one that leads out of it.
    pub path: String,
    /// Its uncompressed bytes.
    pub bytes: Vec<u8>,
}

/// The members of an archive that can be read, unpacked within limits; what kind it is follows its name.
///
/// # Errors
/// A sentence without its subject: what is wrong with the archive as a whole.
///
/// ```
/// use candor_check::sandbox::Limits;
/// use candor_sftp_file_present::archive_members;
/// assert!(archive_members("a.zip", b"no zip", &Limits::default()).is_err());
/// assert!(archive_members("a.tar", &[0; 1024], &Limits::default()).unwrap().is_empty());
/// ```
pub fn archive_members(name: &str, bytes: &[u8], limits: &Limits) -> Result<Vec<ArchiveMember>, String> {
    let found = extract(bytes, &shape(name), &Keys::default(), &Bounds::of(limits), &|_| Wanted::Keep);
    let members = found.map_err(|trouble| trouble.what)?.members.into_iter();
    Ok(members.map(|member| ArchiveMember { path: member.path, bytes: member.bytes.unwrap_or_default() }).collect())
}

/// The content of a file less what its name says is around it (`.gz`, `.pgp` without a key), within limits.
///
/// # Errors
/// A sentence without its subject: why it cannot be had.
///
/// ```
/// use candor_check::sandbox::Limits;
/// use candor_sftp_file_present::unwrapped_content;
/// assert_eq!(unwrapped_content("a.txt", b"a", &Limits::default()).unwrap(), b"a");
/// assert!(unwrapped_content("a.txt.gz", b"a", &Limits::default()).is_err());
/// ```
pub fn unwrapped_content(name: &str, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, String> {
    unwrapped(bytes, &shape(name).wrappers, &Keys::default(), &Bounds::of(limits)).map_err(|trouble| trouble.what)
}
