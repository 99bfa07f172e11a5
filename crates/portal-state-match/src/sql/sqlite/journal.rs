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
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// How many bytes come after the name: its length, its checksum and the magic.
const TRAILER: usize = 16;

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

fn has_name_at_its_end(journal: &mut (impl Read + Seek)) -> io::Result<bool> {
    let length = journal.seek(SeekFrom::End(0))?;
    let Some(start) = length.checked_sub(TRAILER as u64) else { return Ok(false) };
    journal.seek(SeekFrom::Start(start))?;
    let mut end = Vec::with_capacity(TRAILER);
    // A writer who is at work may have made it shorter meanwhile.
    journal.take(TRAILER as u64).read_to_end(&mut end)?;
    Ok(has_name(&end))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// The end of a journal as SQLite writes it (`writeSuperJournal`): the page that is never written, the name, its length,
    /// its checksum, the magic.
    fn named(before: &[u8], name: &[u8]) -> Vec<u8> {
        let sum = name.iter().fold(0_u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let length = u32::try_from(name.len()).unwrap();
        let numbers = [262_145_u32, length, sum].map(u32::to_be_bytes);
        [before, &numbers[0], name, &numbers[1], &numbers[2], &MAGIC].concat()
    }

    /// The name that SQLite takes from a journal (`readSuperJournal`).
    fn read_by_sqlite(journal: &[u8]) -> Option<&[u8]> {
        let end = journal.len().checked_sub(TRAILER)?;
        let number = |at: usize| -> Option<u32> { Some(u32::from_be_bytes(journal.get(at..at + 4)?.try_into().ok()?)) };
        let (length, sum) = (number(end)?, number(end + 4)?);
        let name = journal.get(end.checked_sub(usize::try_from(length).ok()?)?..end)?;
        let left = name.iter().fold(sum, |left, byte| left.wrapping_sub(u32::from(*byte)));
        (length > 0 && left == 0 && journal.ends_with(&MAGIC)).then_some(name)
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: candor_test_size::cases(500), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_name_is_found_whatever_it_is_and_whatever_comes_before(before in bytes(), name in bytes()) {
            let journal = named(&before, &name);
            prop_assert!(has_name(&journal));
            prop_assert_eq!(read_by_sqlite(&journal), Some(name.as_slice()).filter(|name| !name.is_empty()));
        }

        #[test]
        fn any_bytes_are_read_alike_and_no_name_of_sqlite_s_is_missed(
            start in bytes(),
            length in 0_u32..80,
            sum in 0_u32..400,
            ends in any::<bool>(),
        ) {
            let numbers = [length, sum].map(u32::to_be_bytes);
            let end: &[u8] = if ends { &MAGIC } else { &[] };
            let journal = [start.as_slice(), &numbers[0], &numbers[1], end].concat();
            prop_assert!(read_by_sqlite(&journal).is_none() || has_name(&journal));
            prop_assert_eq!(has_name_at_its_end(&mut Cursor::new(&journal)).unwrap(), has_name(&journal));
        }
    }

    #[test]
    fn a_header_is_not_a_name() {
        // A header begins with the magic, and fills a sector.
        let header =
            |length: usize| MAGIC.iter().copied().chain(std::iter::repeat(0)).take(length).collect::<Vec<u8>>();
        for journal in [vec![], header(7), header(8), header(15), header(512), [header(512), header(512)].concat()] {
            assert!(!has_name(&journal), "{} bytes", journal.len());
        }
        // Only the end counts: what looks like a name in the middle is a page.
        assert!(!has_name(&[named(&header(512), b"/name"), header(512)].concat()));
        assert!(has_name(&[header(512), named(&[], b"/name")].concat()));
    }

    #[test]
    fn a_journal_that_is_not_there_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.db");
        assert!(!of_database_has_name(&database).unwrap());
        std::fs::write(folder.path().join("a.db-journal"), named(&[0; 512], b"/name")).unwrap();
        assert!(of_database_has_name(&database).unwrap());
    }
}
