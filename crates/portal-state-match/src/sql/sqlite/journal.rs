//! Finds a rollback journal that names a super-journal. SQLite opens the file of that name when it plays the journal
//! back, opens the files that are named in it, and then deletes it. The name is data of whoever wrote the journal, so
//! no journal with a name is played back here.
//!
//! A journal has its name at its end: the name, its length and its checksum of four bytes each, and eight bytes that also
//! begin every header. SQLite reads the end of the file alone (`readSuperJournal` in `pager.c`), and leaves out a name whose
//! length or checksum is wrong. Such a journal is refused here, too: nothing but a name ends so.
//!
//! Source: <https://sqlite.org/atomiccommit.html>, section 5; <https://sqlite.org/fileformat2.html>, section 3.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::beside::{JOURNAL, beside, opened};

/// The last bytes of a journal with a name.
pub(super) const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// How many bytes come after the name: its length, its checksum and the magic.
pub(super) const TRAILER: usize = 16;

pub(super) fn has_name(journal: &[u8]) -> bool {
    journal.len() >= TRAILER && journal.ends_with(&MAGIC)
}

/// Says if the journal of a database on this machine ends as one with a name does. One that is not there does not.
pub(super) fn of_database_has_name(database: &Path) -> io::Result<bool> {
    match opened(&beside(database, JOURNAL)) {
        Ok(Some(mut journal)) => has_name_at_its_end(&mut journal),
        Ok(None) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) fn has_name_at_its_end(journal: &mut (impl Read + Seek)) -> io::Result<bool> {
    let length = journal.seek(SeekFrom::End(0))?;
    let Some(start) = length.checked_sub(TRAILER as u64) else { return Ok(false) };
    journal.seek(SeekFrom::Start(start))?;
    let mut end = Vec::with_capacity(TRAILER);
    // A writer who is at work may have made it shorter meanwhile.
    journal.take(TRAILER as u64).read_to_end(&mut end)?;
    Ok(has_name(&end))
}
