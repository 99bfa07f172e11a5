//! The files as records: by path, and by what is in them where their format is read.

use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::SystemTime;

use candor_check::difference::canonical_digest;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{Gaps, PartRecord, Recorded};
use candor_check::{Obstacle, Unverifiable};
use candor_json::{Value, json};

use crate::alike;
use crate::content::{Input, Malformed, Shape};
use crate::format::Format;
use crate::source::{Files, PART};
use crate::store::{self, Listing, StoredFile};

impl Files {
    /// Visits every file, in order of path. One file is held at a time.
    pub(crate) fn visit_records(
        &self,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        let listing = self.store().list("")?;
        let mut gaps = gaps(&listing);
        for file in &listing.files {
            match self.values(file) {
                Ok(Values { digest, .. }) => {
                    let place = Location::whole(&file.locator);
                    let record = PartRecord { collection: String::new(), key: file.path.clone(), digest, place };
                    if visit(record).is_break() {
                        break;
                    }
                }
                Err(why) => gaps.push(unreadable(&file.locator, &why)),
            }
        }
        Ok(gaps)
    }

    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let file = self.store().stat(&record.key)?.ok_or_else(|| {
            let details = format!("{PART}/{} is not there any more", record.key);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })?;
        self.values(&file).map(|values| values.leaves)
    }

    /// The values of a file whose format is read; of any other, and of one that is not what its name says, hash and size.
    fn values(&self, file: &StoredFile) -> Result<Values, Unverifiable> {
        let format = Format::of_plain_path(&file.path);
        if !matches!(format, Format::Bytes | Format::Pdf) {
            let content = store::read(self.store(), file)?;
            return Ok(match parsed(&content.bytes, format) {
                Ok(Some(values)) => values,
                Ok(None) => whole(&content.sha256, content.bytes.len() as u64, None),
                Err(unread) => whole(&content.sha256, content.bytes.len() as u64, Some(unread)),
            });
        }
        store::pass(self.store(), file, |_| {}).map(|sha256| whole(&sha256, file.size, None))
    }

    /// Writes every file of a server into a folder, bytes and times as they are.
    pub(crate) fn write_all(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        let listing = self.store().list("")?;
        let mut recorded = Recorded { gaps: gaps(&listing), ..Recorded::default() };
        for file in &listing.files {
            let locator = format!("{PART}/{}", file.path);
            let steps = || file.path.split('/');
            if steps().any(|step| matches!(step, "" | "." | "..")) || file.path.contains(['\\', '\0']) {
                let what = "no file here can have its name";
                recorded.gaps.push(gap(&locator, what.to_owned()));
                continue;
            }
            let to = into.join(&file.path);
            let failed = |error: &std::io::Error| {
                Unverifiable::new(Obstacle::SourceUnavailable, format!("{locator} cannot be written: {error}"))
            };
            let create = || {
                std::fs::create_dir_all(to.parent().unwrap_or(into))?;
                File::create(&to)
            };
            let mut copy = create().map_err(|error| failed(&error))?;
            let mut written = Ok(());
            let read = store::pass(self.store(), file, |piece| {
                if written.is_ok() {
                    written = copy.write_all(piece);
                }
            });
            written.map_err(|error| failed(&error))?;
            if let Err(why) = read {
                drop(copy);
                drop(std::fs::remove_file(&to));
                recorded.gaps.push(gap(&locator, why.details));
                continue;
            }
            if let Some(time) = file.modified {
                copy.set_modified(SystemTime::from(time)).map_err(|error| failed(&error))?;
            }
        }
        Ok(recorded)
    }
}

struct Values {
    leaves: Vec<(String, Value)>,
    digest: [u8; 32],
}

/// The values of a file whose format is looked into.
///
/// # Errors
/// The reason why the file cannot be read: `empty`, `no JSON (byte 7: …)`.
fn parsed(bytes: &[u8], format: Format) -> Result<Option<Values>, String> {
    let shape = Shape::default();
    // What follows is advice for a criterion.
    let fault = |what: &str| what.split("; ").next().unwrap_or_default().to_owned();
    let unread = |wrong: Malformed| match bytes.is_empty() {
        true => "empty".to_owned(),
        false => {
            let format = format.name().to_uppercase();
            format!("no {format} (byte {}: {})", wrong.offset, fault(&wrong.what))
        }
    };
    let input = Input::new(bytes, format, None, &shape).map_err(unread)?;
    let content = input.parse(format, &shape).map_err(unread)?;
    let Some(leaves) = content.leaves() else { return Ok(None) };
    // Of JSON the order of members is not a value.
    let digest = content.json().map_or_else(|| canonical_digest(&json!(leaves)), canonical_digest);
    Ok(Some(Values { leaves, digest }))
}

fn whole(sha256: &str, size: u64, unread: Option<String>) -> Values {
    let mut leaves = vec![("$sha256".to_owned(), json!(sha256)), ("$size".to_owned(), json!(size))];
    let digest = canonical_digest(&json!(leaves));
    if let Some(unread) = unread {
        leaves.insert(0, (alike::UNREAD.to_owned(), json!(unread)));
    }
    Values { leaves, digest }
}

fn gaps(listing: &Listing) -> Gaps {
    let outside = "is a link that leads out of the folder and was not followed";
    let links = listing.outside_links.iter().map(|link| Unreadable {
        place: Location::whole(link),
        what: outside.to_owned(),
        fault: Fault::Recording,
    });
    let closed = listing.unreadable.iter().chain(&listing.special);
    closed.map(|(name, why)| unreadable(name, why)).chain(links).collect()
}

fn unreadable(locator: &str, why: &Unverifiable) -> Unreadable {
    Unreadable { place: Location::whole(locator), what: why.details.clone(), fault: Fault::Obstacle(why.obstacle) }
}

fn gap(locator: &str, what: String) -> Unreadable {
    let fault = Fault::Obstacle(Obstacle::SourceUnavailable);
    Unreadable { place: Location::whole(locator), what, fault }
}
