//! The ground truth that all of them read: the folder that work was done in, the endpoint that it answers at, and the
//! table `[workspace]` of `sandbox.toml` that names them.

use std::ops::ControlFlow;
use std::time::Duration;

use candor_check::difference::canonical_digest;
use candor_check::draft::{Came, Selection};
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{Folder, Gaps, PartRecord, Section, SectionError};
use candor_check::{Obstacle, Part, Sandbox, Source, Unverifiable};
use candor_json::{Value, json};

pub(crate) const PART: &str = "workspace";

const KEYS: &[&str] = &["path", "endpoint", "env", "timeout", "max_output"];

/// The workspace's folder.
///
/// # Errors
/// `no_source` when the sandbox does not have one.
pub(crate) fn workspace(sandbox: &Sandbox) -> Result<Folder, Unverifiable> {
    sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))
}

pub(crate) struct WorkspacePart {
    folder: Folder,
}

impl Source for WorkspacePart {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        sandbox.folder(PART).map(|folder| Self { folder }).ok_or_else(|| sandbox.no_source(PART))
    }
}

/// The settings of a workspace, except for its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// The base of a URL without a host: `http://127.0.0.1:8080`, without a slash at its end.
    pub(crate) endpoint: Option<String>,
    /// Names of the variables of this process that commands are given, in addition to those that every program needs.
    pub(crate) environment: Vec<String>,
    /// The most time that a command is given, whatever it asks for.
    pub(crate) timeout: Duration,
    /// How much of the end of a command's output is read, in bytes.
    pub(crate) max_output: u64,
}

impl Default for Workspace {
    fn default() -> Self {
        Self { endpoint: None, environment: Vec::new(), timeout: Duration::from_secs(600), max_output: 1 << 20 }
    }
}

impl Workspace {
    /// The settings of the sandbox's workspace; `None` when the sandbox has neither such a folder nor such a table.
    pub(crate) fn of(sandbox: &Sandbox) -> Result<Option<Self>, Unverifiable> {
        let settings = sandbox.settings::<WorkspacePart>()?;
        let is_there = sandbox.section(PART).is_given() || sandbox.folder(PART).is_some();
        Ok(is_there.then(|| (*settings).clone()))
    }
}

impl Part for WorkspacePart {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
    const KEYS: &'static [&'static str] = KEYS;
    const KEPT: &'static [&'static str] = &["endpoint", "env", "timeout", "max_output"];
    type Settings = Workspace;

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<Workspace, SectionError> {
        section.only_or(KEYS, || format!("; a workspace has {}", KEYS.join(", ")))?;
        section.folder_at("path")?;
        let usual = Workspace::default();
        let workspace = Workspace {
            endpoint: section.base_url("endpoint")?,
            environment: names(section)?,
            timeout: section.duration("timeout")?.unwrap_or(usual.timeout),
            max_output: section.size("max_output")?.unwrap_or(usual.max_output),
        };
        // What is read is held in memory.
        if !(1..=64 << 20).contains(&workspace.max_output) {
            return Err(SectionError::new("max_output", "`max_output` is not a size from 1B to 64MiB"));
        }
        Ok(workspace)
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        let listing = self.folder.list()?;
        let gap = |name: &str, why: &Unverifiable| Unreadable {
            place: Location::whole(name),
            what: why.details.clone(),
            fault: Fault::Obstacle(why.obstacle),
        };
        let mut gaps: Gaps = listing.unreadable.iter().map(|(name, why)| gap(name, why)).collect();
        for file in &listing.files {
            let sha256 = match self.folder.sha256(file) {
                Ok(sha256) => sha256,
                Err(why) => {
                    gaps.push(gap(&file.locator, &why));
                    continue;
                }
            };
            let digest = canonical_digest(&json!([sha256]));
            let place = Location::whole(&file.locator);
            if visit(PartRecord { collection: String::new(), key: file.path.clone(), digest, place }).is_break() {
                break;
            }
        }
        Ok(gaps)
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let file = self.folder.entry(&record.key)?.ok_or_else(|| {
            let details = format!("{PART}/{} is not there any more", record.key);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })?;
        let sha256 = self.folder.sha256(&file)?;
        Ok(vec![("$sha256".to_owned(), json!(sha256)), ("$size".to_owned(), json!(file.size))])
    }
}

fn names(section: &Section) -> Result<Vec<String>, SectionError> {
    let is_name = |name: &String| !name.is_empty() && !name.contains(['=', '\0', '$']);
    match section.texts("env") {
        Ok(names) if names.iter().all(is_name) => Ok(names),
        _ => {
            let found = section.shown("env");
            let expected = "write the names of variables, as in env = [\"DATABASE_URL\"]";
            Err(SectionError::new("env", format!("`env` is {found}; {expected}")))
        }
    }
}
