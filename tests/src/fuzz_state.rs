//! The body of the fuzz target of states: any two contents of one part, listed and compared, and any description of a
//! capture.

use std::ops::ControlFlow;
use std::path::PathBuf;

use candor_check::difference::{Change, Recording, differences};
use candor_check::{PartType, Sandbox, SandboxBuilder};

/// A file of each format of each part.
const FILES: [&str; 9] = [
    "fhir/a.json",
    "fhir/a.ndjson",
    "hl7/a.hl7",
    "x12/a.x12",
    "portal/a.ndjson",
    "portal/a.csv",
    "voice/a.json",
    "files/a.xml",
    "files/a.csv",
];

/// A byte that chooses the file, then its content before and after, with a NUL between. Nothing differs from itself;
/// the differences from before to after are those from after to before, the other way round; every difference names
/// something. The same bytes as `capture.json` are a description, or refused with a sentence.
///
/// # Panics
/// When that does not hold.
pub fn state(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
    let (before, after) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    let file = FILES[usize::from(*kind) % FILES.len()];
    let name = file.split('/').next().expect("a part");
    let part = *candor_checks::PARTS.iter().find(|part| part.name() == name).expect("a part");
    let (was, is) = (listed(part, file, before), listed(part, file, after));
    let (Some(was), Some(is)) = (was, is) else { return };
    assert_eq!(told(&was, &was), Some([0; 3]), "nothing differs from itself");
    assert_eq!(told(&was, &is).map(|[added, removed, changed]| [removed, added, changed]), told(&is, &was));
    let described = Sandbox::builder().file("capture.json", rest.to_vec()).file(file, before.to_vec());
    match built(described) {
        Ok(sandbox) => drop(sandbox.folder(part.name()).map(|folder| folder.list())),
        Err(message) => assert!(!message.is_empty()),
    }
}

fn built(builder: SandboxBuilder) -> Result<Sandbox, String> {
    builder.build(candor_checks::PARTS).map_err(|error| error.to_string())
}

fn listed(part: PartType, file: &str, content: &[u8]) -> Option<Recording> {
    let sandbox = built(Sandbox::builder().file(file, content.to_vec())).expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    // Files in memory are listed where they are.
    runtime.block_on(Recording::of(&sandbox, part, || Ok(PathBuf::new()))).ok()
}

/// How many records came, went and changed; nothing where one side cannot be listed.
fn told(before: &Recording, after: &Recording) -> Option<[usize; 3]> {
    let mut counts = [0; 3];
    let compared = differences("part", before.part(), after.part(), &mut |difference| {
        assert!(!difference.record.is_empty() && !difference.told().is_empty());
        let at = match &difference.change {
            Change::Added => 0,
            Change::Removed => 1,
            Change::Changed { fields } => {
                assert!(!fields.is_empty(), "a change names a field");
                2
            }
        };
        counts[at] += 1;
        ControlFlow::Continue(())
    });
    compared.ok().map(|_| counts)
}
