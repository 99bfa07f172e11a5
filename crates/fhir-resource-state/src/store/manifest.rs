//! The manifest of a bulk export: no resource, but word of what the export holds.
//!
//! Source: HL7 Bulk Data Access 2.0.0, Bulk Data Export, response of the status request (`output`, `deleted`, `error`).

use candor_check::Obstacle;
use serde::Deserialize;

use super::Unreadable;
use super::members::Members;

#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    output: Vec<File>,
    deleted: bool,
    error: bool,
    place: Unreadable,
}

#[derive(Clone, Debug, Deserialize)]
struct File {
    #[serde(rename = "type")]
    resource_type: Option<String>,
    count: Option<u64>,
}

/// The contents of a folder's files, before versions are distinguished.
pub(super) struct Held<'a> {
    pub(super) of_type: &'a dyn Fn(&str) -> u64,
    pub(super) deletions: usize,
}

impl Manifest {
    /// Reads a JSON object as a manifest; returns `None` if it is not a manifest.
    pub(super) fn read(members: &Members<'_>, place: Unreadable) -> Option<Self> {
        let some = |name: &str| {
            members
                .get(name)
                .is_some_and(|raw| candor_json::from_str::<Vec<File>>(raw.get()).is_ok_and(|f| !f.is_empty()))
        };
        if members.contains_key("resourceType") || !members.contains_key("transactionTime") {
            return None;
        }
        let output = candor_json::from_str(members.get("output")?.get()).ok()?;
        Some(Self { output, deleted: some("deleted"), error: some("error"), place })
    }

    pub(super) fn missing(&self, held: &Held<'_>) -> Vec<Unreadable> {
        let mut missing = Vec::new();
        let mut types: Vec<&str> = self.output.iter().filter_map(|file| file.resource_type.as_deref()).collect();
        types.sort_unstable();
        types.dedup();
        for name in types {
            let files = self.output.iter().filter(|file| file.resource_type.as_deref() == Some(name));
            // A file that does not say how many it holds holds one at least.
            let stated = files.map(|file| file.count.unwrap_or(1)).fold(0, u64::saturating_add);
            let found = (held.of_type)(name);
            if found < stated {
                missing.push(format!("an export of {stated} {name} resources or more, of which {found} are here"));
            }
        }
        if self.deleted && held.deletions == 0 {
            missing.push("an export with deletions, none of which is here".to_owned());
        }
        if self.error && (held.of_type)("OperationOutcome") == 0 {
            missing.push("an export with errors, which are not here".to_owned());
        }
        missing.into_iter().map(|what| self.place.with(what, Some(Obstacle::SourceMalformed))).collect()
    }
}
