//! Where files lie, behind one interface: a folder, a file server, a bucket. Everything here blocks.

mod bucket;
mod files;
mod folder;
mod listings;
#[cfg(feature = "cloud")]
mod object;
mod read;
mod section;
#[cfg(feature = "sftp")]
mod sftp;
mod until;

pub(crate) use files::{Listing, Store, StoredFile};
pub(crate) use folder::FolderStore;
pub(crate) use listings::Listings;
#[cfg(feature = "cloud")]
pub(crate) use object::ObjectStore;
#[cfg(feature = "cloud")]
pub use object::{ListingPage, sift_listing};
pub(crate) use read::{pass, read};
pub(crate) use section::{Decryption, FilesSettings, KEYS, OF_DECRYPTION};
#[cfg(feature = "sftp")]
pub(crate) use sftp::SftpStore;
pub(crate) use until::{Listed, Until};
