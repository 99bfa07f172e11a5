//! The contract that the documentation of `Part` states, held of one part.

use std::ops::ControlFlow;
use std::sync::Arc;

use candor_check::sandbox::{OpenedPart, PartRecord};
use candor_check::{PartType, Sandbox};

use crate::once::runtime;

/// Holds a part to the contract, over a sandbox that has records of it:
/// - records come in the same order each time, and listing stops when asked to;
/// - the fields of every record can be read, and are the same each time;
/// - the sandbox of files that it writes has the same records: keys, digests and fields;
/// - its settings are `path` or `url` at least, and an unknown one is refused and named.
///
/// # Panics
/// When the part breaks it.
pub fn uphold_part_contract(part: PartType, sandbox: &Sandbox) {
    let opened = open(part, sandbox);
    let records = listed(&opened);
    assert!(!records.is_empty(), "{}: the sandbox has no records", part.name());
    assert_eq!(records, listed(&opened), "{}: listing twice differs", part.name());
    let mut visited = 0;
    let stopped = opened.records(&mut |_| {
        visited += 1;
        ControlFlow::Break(())
    });
    assert!(stopped.is_ok() && visited == 1, "{}: listing does not stop", part.name());
    for record in &records {
        let fields = opened.fields(record).unwrap();
        assert!(!fields.is_empty(), "{}: {record:?} has no fields", part.name());
        assert_eq!(fields, opened.fields(record).unwrap(), "{}: reading {record:?} twice differs", part.name());
    }
    let folder = tempfile::tempdir().unwrap();
    let written = runtime().block_on(candor_check::difference::write_part(sandbox, part, folder.path(), true)).unwrap();
    assert!(written.gaps.is_empty(), "{}: {:?}", part.name(), written.gaps);
    let captured = open(part, &Sandbox::open(folder.path(), &[part]).unwrap());
    let copies = listed(&captured);
    assert_eq!(copies.len(), records.len());
    for (record, copy) in records.iter().zip(&copies) {
        assert_eq!((&record.collection, &record.key, record.digest), (&copy.collection, &copy.key, copy.digest));
        assert_eq!(opened.fields(record).unwrap(), captured.fields(copy).unwrap());
    }
    refuses_unknown_settings(part);
}

fn refuses_unknown_settings(part: PartType) {
    assert!(part.keys().contains(&"path") || part.keys().contains(&"url"), "{}: no place", part.name());
    let settings = format!("[{}]\nsurprise = \"x\"", part.name());
    let error = Sandbox::builder().settings(settings).build(&[part]).unwrap_err().to_string();
    assert!(error.contains(":2:1:") && error.contains("surprise"), "{error}");
}

fn open(part: PartType, sandbox: &Sandbox) -> Arc<dyn OpenedPart> {
    runtime().block_on(part.open(sandbox)).unwrap()
}

fn listed(opened: &Arc<dyn OpenedPart>) -> Vec<PartRecord> {
    let mut records = Vec::new();
    let gaps = opened.records(&mut |record| {
        records.push(record);
        ControlFlow::Continue(())
    });
    assert!(gaps.unwrap().is_empty());
    records
}
