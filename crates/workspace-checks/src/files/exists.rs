//! `file-exists`: files are there.

use candor_check::compare::Operator;
use candor_check::evidence::Candidates;
use candor_check::field::{FieldResult, Location};
use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_check::settings::Cardinality;
use candor_check::{Check, Evidence, Failure, Meta, Sandbox, Share, Unverifiable};
use candor_json::json;
use serde::{Deserialize, Serialize};

use super::{About, MOST_NAMED, Paths, hidden, listed, noted, source};
use crate::looked::Looked;
use crate::meta;
use crate::source::{PART, workspace};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileExists {
    path: Paths,
    count: Option<Cardinality>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    about: About,
    files: Vec<(String, u64)>,
}

impl Check for FileExists {
    const META: Meta =
        meta("file-exists", "Asserts that files are there", include_str!("../../schemas/file-exists.json"));

    type Seen = Looked<Found>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        let look = async {
            let (folder, paths) = (workspace(sandbox)?, self.path.clone());
            let selected = sandbox.blocking("workspace/", move || paths.select(&folder)).await?;
            let about = selected.about();
            Ok(Found { about, files: selected.files.into_iter().map(|file| (file.path, file.size)).collect() })
        };
        Ok(Looked::at(look.await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        let zero = self.count.is_some_and(|count| count.allows(0));
        let unbounded = self.count.is_none_or(|count| count.allows(u64::MAX));
        let weakness = match (zero, unbounded) {
            (true, true) => {
                let message = "any number of files is right; write `count: {min: 1}`, or how many there must be";
                Some(Weakness::new(WeaknessKind::AlwaysHolds, "count", message))
            }
            (false, true) if self.path.matches_all() && self.count.is_none_or(|count| count.allows(1)) => {
                let message = "any file at all makes it pass; say in `path` which one is meant";
                Some(Weakness::new(WeaknessKind::AssertsNothing, "", message))
            }
            _ => None,
        };
        Review { weaknesses: weakness.into_iter().collect(), passes_on_nothing: zero, ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("file", |found| {
            let data = json!({
                "files": found.files.iter().take(MOST_NAMED).map(|(path, bytes)| json!({"path": path, "bytes": bytes})).collect::<Vec<_>>(),
                "matched": found.files.len(),
            });
            (self.evidence(found), data)
        })
    }
}

impl FileExists {
    fn evidence(&self, found: &Found) -> Evidence {
        let number = found.files.len() as u64;
        // What could not be looked at could hold more of them, and nothing else.
        if (number == 0 || self.count.is_some())
            && let Some(evidence) = hidden(&found.about)
        {
            return evidence;
        }
        let count = self.count.unwrap_or(Cardinality::SOME);
        let passed = count.allows(number);
        let place = found.files.first().map_or_else(|| format!("{PART}/"), |(path, _)| format!("{PART}/{path}"));
        let result = FieldResult::constraint("$count", count.to_value(), json!(number), passed)
            .with_operator(Operator::Count)
            .at(Location::whole(place));
        let shown = self.path.shown();
        let evidence = if passed {
            let details = match number {
                0 => format!("No file of the workspace matches {shown}, as asserted."),
                1 => format!("1 file of the workspace matches {shown}."),
                _ => format!("{number} files of the workspace match {shown}."),
            };
            Evidence::passed(vec![result.into()], details)
        } else {
            let failure = if number == 0 { Failure::NoCandidate } else { Failure::CountMismatch };
            let details = match number {
                0 => format!("No file of the workspace matches {shown}."),
                _ => format!("{number} files of the workspace match {shown}, expected {}.", count.to_value()),
            };
            Evidence::failed(failure, Share::default(), vec![result.into()], details)
        };
        let candidates = Candidates { considered: found.about.considered, matched: number, nearest: None };
        let sources = found.files.iter().take(MOST_NAMED).map(|(path, _)| source(&format!("{PART}/{path}"), None));
        noted(evidence, &found.about)
            .over(candidates, sources.collect())
            .with("matchedPaths", listed(found.files.iter().map(|(path, _)| path.as_str())))
    }
}
