//! Sandboxes in memory.

use std::collections::BTreeSet;

use candor_check::PartType;

use crate::input::{Contents, Records};
use crate::sandbox::{Sandbox, SandboxError};

/// Builds a sandbox from bytes and values. Nothing touches a disk.
///
/// A part that is given with nothing in it (`.portal("claims", vec![])`) is ground truth: nothing happened. A part that is
/// not given is missing, and its criteria are unverifiable.
///
/// ```
/// use candor::Sandbox;
/// use candor::json::json;
///
/// let sandbox = Sandbox::builder()
///     .fhir(json!({"resourceType": "Appointment", "id": "1", "status": "booked"}))
///     .hl7("out.hl7", b"MSH|^~\\&|LAB|||||20261120||ORU^R01|42|P|2.5.1\r")
///     .portal("prior_auth_requests", vec![json!({"member_id": "W123456789", "status": "submitted"})])
///     .file("outbound/claims/1.json", r#"{"total": 120.5}"#)
///     .settings("[limits]\nmax_bytes = \"16MiB\"\n")
///     .build()?;
/// # let _ = sandbox;
/// # Ok::<(), candor::SandboxError>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct SandboxBuilder {
    lower: candor_check::SandboxBuilder,
    fhir_files: usize,
    resources: BTreeSet<String>,
    /// The first name that cannot be taken.
    wrong: Option<SandboxError>,
}

impl Sandbox {
    /// Begins a sandbox in memory.
    pub fn builder() -> SandboxBuilder {
        let (lower, resources) = (candor_check::Sandbox::builder(), BTreeSet::new());
        SandboxBuilder { lower, fhir_files: 0, resources, wrong: None }
    }
}

impl SandboxBuilder {
    /// Adds FHIR resources: a resource, a Bundle, several of them, or the bytes of a Bundle or of NDJSON. Call it as often as
    /// you like; resources keep the order in which they are added.
    pub fn fhir(mut self, resources: impl Into<Records>) -> Self {
        self.fhir_files += 1;
        let (extension, bytes) = resources.into().into_file();
        let path = format!("fhir/handed-in-{:06}.{extension}", self.fhir_files);
        self.with_file(&path, bytes)
    }

    /// Adds a file of HL7 v2 messages; the name ends in `.hl7` or `.txt`.
    pub fn hl7(self, name: &str, bytes: impl Into<Contents>) -> Self {
        self.within("hl7", name, bytes.into())
    }

    /// Adds a file of X12 interchanges.
    pub fn x12(self, name: &str, bytes: impl Into<Contents>) -> Self {
        self.within("x12", name, bytes.into())
    }

    /// Adds the rows of a resource behind a portal (a table, a list): JSON objects, or the bytes of a JSON array or of NDJSON.
    /// Give all rows of a resource at once.
    pub fn portal(mut self, resource: &str, rows: impl Into<Records>) -> Self {
        if resource.is_empty() || resource.contains(['/', '\\']) {
            return self
                .refuse(resource, "is not a resource of a portal; give one name, such as `prior_auth_requests`");
        }
        if !self.resources.insert(resource.to_owned()) {
            return self.refuse(resource, "was given twice; give all rows of a resource at once");
        }
        let (extension, bytes) = rows.into().into_file();
        self.within("portal", &format!("{resource}.{extension}"), bytes)
    }

    /// Adds a dropped file; the path is relative to where files are dropped: `outbound/claims/1.json`.
    pub fn file(self, path: &str, bytes: impl Into<Contents>) -> Self {
        self.within("files", path, bytes.into())
    }

    /// Adds the transcript of a call; the name without its extension is the call's id.
    pub fn voice(self, name: &str, bytes: impl Into<Contents>) -> Self {
        self.within("voice", name, bytes.into())
    }

    /// Adds a file of any part; the path is relative to the sandbox: `workspace/README.md`.
    pub fn with_file(mut self, path: &str, bytes: impl Into<Contents>) -> Self {
        if path.trim_start_matches("./") == "sandbox.toml" {
            return self.refuse(path, "is not a file of a part; give its text as the settings of the sandbox");
        }
        self.lower = self.lower.file(path, bytes.into().0);
        self
    }

    /// Adds a folder, even if no file is in it: a part without files says that nothing happened. The path is relative to the
    /// sandbox: `hl7`.
    pub fn with_folder(mut self, path: &str) -> Self {
        self.lower = self.lower.folder(path);
        self
    }

    /// Adds what happened, as lines of `events.ndjson`.
    pub fn events(mut self, ndjson: impl Into<Contents>) -> Self {
        self.lower = self.lower.events(ndjson.into().0);
        self
    }

    /// Adds the ground truth from before the work, for the checks that compare both.
    pub fn baseline(mut self, before: Sandbox) -> Self {
        self.lower = self.lower.baseline(before.0);
        self
    }

    /// Adds settings, as the text of a `sandbox.toml`: limits, and parts that are read from servers.
    pub fn settings(mut self, toml: &str) -> Self {
        self.lower = self.lower.settings(toml);
        self
    }

    /// Builds the sandbox, with the parts of this build's checks.
    ///
    /// # Errors
    /// When a name or path cannot be one of the sandbox, or the settings are wrong.
    pub fn build(self) -> Result<Sandbox, SandboxError> {
        self.build_with(candor_checks::PARTS)
    }

    /// Builds the sandbox with these parts: [`parts`](crate::parts), and parts of your own.
    ///
    /// # Errors
    /// As [`SandboxBuilder::build`].
    pub fn build_with(self, parts: &[PartType]) -> Result<Sandbox, SandboxError> {
        match self.wrong {
            Some(wrong) => Err(wrong),
            None => self.lower.build(parts).map(Sandbox).map_err(SandboxError::of),
        }
    }

    fn within(self, part: &str, name: &str, bytes: Contents) -> Self {
        if name.is_empty() {
            return self.refuse(part, "has a file without a name; give one, such as `1.txt`");
        }
        self.with_file(&format!("{part}/{name}"), bytes)
    }

    fn refuse(mut self, name: &str, message: &str) -> Self {
        let wrong = SandboxError::Name { name: name.to_owned(), message: message.to_owned() };
        self.wrong.get_or_insert(wrong);
        self
    }
}
