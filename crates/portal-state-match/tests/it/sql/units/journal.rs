//! Journals that name a super-journal.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::io::Cursor;

use proptest::prelude::*;

use crate::sql::journal::{MAGIC, TRAILER, has_name, has_name_at_its_end, of_database_has_name};

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
    let header = |length: usize| MAGIC.iter().copied().chain(std::iter::repeat(0)).take(length).collect::<Vec<u8>>();
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
