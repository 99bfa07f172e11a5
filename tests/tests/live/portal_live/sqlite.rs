//! SQLite files in every state they may be found in: nothing committed is lost, and nothing is written next to them.

use std::collections::BTreeMap;
use std::path::Path;

use candor_json::{Value, json};
use rusqlite::Connection;

use crate::portal_live::grade::{row, within};

const DESCRIPTION: &str = "[portal]\nurl = \"sqlite:portal.db\"\n";
const CLAIMS: &str =
    "CREATE TABLE claims (id TEXT PRIMARY KEY, status TEXT); INSERT INTO claims VALUES ('C-1', 'open');";

fn open(id: &str) -> Value {
    row("claims", "id", id, json!([{"path": "status", "expected": "open"}]))
}

/// Every file of a folder but the description, with its content.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()));
    files.filter(|(name, _)| name != "sandbox.toml").collect()
}

/// Grades, and fails when that changed anything in the folder.
#[track_caller]
fn untouched(folder: &Path, assertion: Value, outcome: &str, details: &[&str]) {
    let before = files(folder);
    within(folder, DESCRIPTION, assertion).is(outcome, details);
    let after = files(folder);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, content) in &before {
        // Readers leave their marks in the shared memory of those who write meanwhile.
        assert!(name.ends_with("-shm") || content == &after[name], "{name} was written to");
    }
}

fn database(folder: &Path, statements: &str) -> Connection {
    let connection = Connection::open(folder.join("portal.db")).unwrap();
    connection.execute_batch(statements).unwrap();
    connection
}

#[test]
fn rows_in_the_log_of_a_writer_who_lives() {
    let folder = tempfile::tempdir().unwrap();
    let writer =
        database(folder.path(), &format!("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; {CLAIMS}"));
    writer
        .execute_batch("INSERT INTO claims VALUES ('C-2', 'open'); BEGIN; INSERT INTO claims VALUES ('C-3', 'open');")
        .unwrap();
    untouched(folder.path(), open("C-2"), "passed", &[]);
    untouched(folder.path(), open("C-3"), "failed no_candidate", &[]);
    writer.execute_batch("COMMIT").unwrap();
    untouched(folder.path(), open("C-3"), "passed", &[]);
}

/// A copy of the files of a database: those of its name with each suffix.
fn copied(from: &Path, suffixes: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for suffix in suffixes {
        let name = format!("portal.db{suffix}");
        std::fs::copy(from.join(&name), folder.path().join(&name)).unwrap();
    }
    folder
}

#[test]
fn rows_in_a_log_that_was_recorded_with_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let _writer = database(
        folder.path(),
        &format!(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; {CLAIMS} INSERT INTO claims VALUES ('C-2', 'open');"
        ),
    );
    for suffixes in [&["", "-wal"][..], &["", "-wal", "-shm"]] {
        let copy = copied(folder.path(), suffixes);
        untouched(copy.path(), open("C-2"), "passed", &[]);
        untouched(copy.path(), open("C-3"), "failed no_candidate", &["among 2 claims rows"]);
    }
    // What would have to be copied to be read is copied within the limits.
    let copy = copied(folder.path(), &["", "-wal"]);
    let limited = format!("{DESCRIPTION}[limits]\nmax_bytes = \"1KiB\"\n");
    within(copy.path(), &limited, open("C-2")).is("unverifiable limit_exceeded", &["limit max_bytes"]);
}

#[test]
fn a_log_that_is_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    drop(database(folder.path(), &format!("PRAGMA journal_mode = WAL; {CLAIMS}")));
    assert_eq!(files(folder.path()).len(), 1);
    untouched(folder.path(), open("C-1"), "passed", &[]);
}

#[test]
fn a_transaction_that_was_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let writer = database(folder.path(), CLAIMS);
    // So little memory that pages of the open transaction are written to the file, their old content to the journal.
    writer
        .execute_batch(
            "PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN; UPDATE claims SET status = 'draft'; \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
             INSERT INTO claims SELECT 'X-' || i, 'open' FROM n;",
        )
        .unwrap();
    let copy = copied(folder.path(), &["", "-journal"]);
    untouched(copy.path(), open("C-1"), "passed", &["1 of 1 claims row"]);
}

#[test]
fn a_writer_who_has_it_for_himself() {
    let folder = tempfile::tempdir().unwrap();
    let writer = database(folder.path(), CLAIMS);
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO claims VALUES ('C-2', 'open');").unwrap();
    untouched(folder.path(), open("C-1"), "passed", &[]);
    untouched(folder.path(), open("C-2"), "failed no_candidate", &[]);
    writer.execute_batch("ROLLBACK; BEGIN EXCLUSIVE;").unwrap();
    let limited = format!("{DESCRIPTION}[limits]\ntimeout = \"1s\"\n");
    // The writer keeps it to the end of the test.
    within(folder.path(), &limited, open("C-1")).is("unverifiable timeout", &[]);
}

#[test]
fn our_look_keeps_nobody_from_writing_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let writer = database(folder.path(), CLAIMS);
    untouched(folder.path(), open("C-1"), "passed", &[]);
    writer.execute_batch("INSERT INTO claims VALUES ('C-9', 'open')").unwrap();
    untouched(folder.path(), open("C-9"), "passed", &[]);
}

#[test]
fn a_damaged_image_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let statements = format!(
        "{CLAIMS} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) \
         INSERT INTO claims SELECT 'X-' || i, 'open' FROM n;"
    );
    drop(database(folder.path(), &statements));
    let path = folder.path().join("portal.db");
    let whole = std::fs::read(&path).unwrap();
    let mut none = open("C-404");
    none["assertions"] = json!([]);
    none["count"] = json!(0);
    within(folder.path(), DESCRIPTION, none.clone()).is("passed", &[]);
    // Wherever it is cut off, or a page is overwritten, nothing is proved to be absent, and nothing breaks.
    for cut in [100, 4096, whole.len() / 2, whole.len() - 4096] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        untouched(folder.path(), none.clone(), "unverifiable source_malformed", &[]);
    }
    let mut unproved = 0;
    for page in 0..whole.len() / 4096 {
        let mut damaged = whole.clone();
        damaged[page * 4096..][..64].fill(0xff);
        std::fs::write(&path, &damaged).unwrap();
        let graded = within(
            folder.path(),
            DESCRIPTION,
            json!({"assert": "portal-state-match", "count": 3001, "correlate_by": {"resource": "claims"}}),
        );
        assert!(["passed", "unverifiable source_malformed"].contains(&graded.outcome().as_str()), "{:#}", graded.0);
        unproved += u32::from(graded.outcome() != "passed");
    }
    assert!(unproved > 3, "{unproved}");
}

#[test]
fn a_file_that_may_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("portal.db")).unwrap();
    within(folder.path(), DESCRIPTION, open("C-1")).is("unverifiable source_unavailable", &[]);
}

#[test]
fn names_with_every_character() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("portal")).unwrap();
    for name in ["a b?c#d%e.db", "%41.sqlite", "ü'\".sqlite3"] {
        let connection = Connection::open(folder.path().join("portal").join(name)).unwrap();
        connection.execute_batch(CLAIMS).unwrap();
    }
    let mut three = open("C-1");
    three["count"] = json!(3);
    within(folder.path(), "", three).is("passed", &[]);
}

/// A journal as it is left by a process that was ended while it committed to two databases: a header, and at its end the
/// name of the super-journal, its length, its checksum and the magic.
fn journal_with_a_name(name: &str, pages: usize) -> Vec<u8> {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    let mut journal = MAGIC.to_vec();
    // No records, no nonce, the pages before the transaction, the sizes of a sector and of a page.
    journal.extend([0, 0, pages, 512, 4096].map(number).concat());
    journal.resize(512, 0);
    journal.extend(number(0x4000_0000 / 4096 + 1));
    journal.extend(name.as_bytes());
    journal.extend(number(name.len()));
    journal.extend(number(name.bytes().map(usize::from).sum()));
    journal.extend(MAGIC);
    journal
}

#[test]
fn a_journal_that_names_a_file_deletes_nothing() {
    let elsewhere = tempfile::tempdir().unwrap();
    let named = elsewhere.path().join("named");
    let prepared = |statements: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(&named, "x\n").unwrap();
        drop(database(folder.path(), statements));
        let pages = std::fs::metadata(folder.path().join("portal.db")).unwrap().len() / 4096;
        let journal = journal_with_a_name(named.to_str().unwrap(), usize::try_from(pages).unwrap());
        std::fs::write(folder.path().join("portal.db-journal"), journal).unwrap();
        folder
    };
    let folder = prepared(CLAIMS);
    let connection = Connection::open(folder.path().join("portal.db")).unwrap();
    connection.query_row("SELECT count(*) FROM claims", [], |_| Ok(())).unwrap();
    assert!(!named.exists(), "SQLite deletes the file");
    for statements in [CLAIMS.to_owned(), format!("PRAGMA journal_mode = WAL; {CLAIMS}")] {
        let folder = prepared(&statements);
        untouched(folder.path(), open("C-1"), "unverifiable source_malformed", &["names a super-journal"]);
        assert!(named.exists(), "Candor deletes nothing");
    }
    // Also where the file that is named is not there, by which SQLite would tell that it is not.
    let folder = prepared(CLAIMS);
    std::fs::remove_file(&named).unwrap();
    untouched(folder.path(), open("C-1"), "unverifiable source_malformed", &["names a super-journal"]);
}

#[test]
fn a_journal_that_has_a_name_before_its_end_names_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let named = elsewhere.path().join("named");
    std::fs::write(&named, "x\n").unwrap();
    drop(database(folder.path(), CLAIMS));
    let pages = std::fs::metadata(folder.path().join("portal.db")).unwrap().len() / 4096;
    let mut journal = journal_with_a_name(named.to_str().unwrap(), usize::try_from(pages).unwrap());
    journal.extend([0; 512]);
    std::fs::write(folder.path().join("portal.db-journal"), journal).unwrap();
    untouched(folder.path(), open("C-1"), "passed", &[]);
    assert!(named.exists());
}

#[test]
fn what_lies_where_sqlite_keeps_a_file_is_not_opened() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::write(elsewhere.path().join("other"), "x").unwrap();
        let folder = tempfile::tempdir().unwrap();
        drop(database(folder.path(), CLAIMS));
        let beside = folder.path().join(format!("portal.db{suffix}"));
        std::os::unix::fs::symlink(elsewhere.path().join("other"), &beside).unwrap();
        untouched(folder.path(), open("C-1"), "unverifiable source_malformed", &["a link next to it", suffix]);
        // A pipe at which a reader would wait for ever.
        std::fs::remove_file(&beside).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&beside).status().unwrap().success());
        let graded = within(folder.path(), DESCRIPTION, open("C-1"));
        graded.is("unverifiable source_malformed", &["something next to it that is not a file", suffix]);
    }
}
