//! Faults and weaknesses of tasks, found before they are run.

use std::path::Path;
use std::sync::Arc;

use candor_engine::{Document, FileError, Finding, Severity, lint, lint_with_notes};
use candor_report::Format;
use serde::Serialize;

use crate::engine::Engine;
use crate::task::{Task, TaskError, document_of};

/// Options of a lint: what to report besides faults and weaknesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LintOptions {
    /// Also report what may well be meant and is good to know.
    pub notes: bool,
}

impl LintOptions {
    /// The options for findings with notes.
    #[must_use]
    pub const fn with_notes(mut self) -> Self {
        self.notes = true;
        self
    }
}

/// Findings in tasks.
///
/// ```
/// use candor::json::json;
/// use candor::{Engine, Format};
///
/// let task = json!({"id": "order", "criteria": [{
///     "id": "sent", "weight": 0, "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ORM^O01"}},
/// }]});
/// let findings = Engine::standard().lint_value(task, Default::default())?;
/// assert!(findings.complains());
/// # Ok::<(), candor::TaskError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if one of them is more than a note.
    #[must_use]
    pub fn complains(&self) -> bool {
        self.0.iter().any(|finding| finding.severity != Severity::Note)
    }

    /// Adds what was found in another task.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The findings as `candor lint --format …` writes them.
    ///
    /// # Errors
    /// When findings are not written in this format.
    pub fn render(&self, format: Format) -> Result<Vec<u8>, String> {
        candor_report::findings(&self.0, format)
    }
}

impl Engine {
    /// Says what is wrong or weak in a task file, or in a file that assertions name, such as a profile.
    ///
    /// # Errors
    /// When the file cannot be read as a task: everything that is wrong with it.
    pub fn lint(&self, file: impl AsRef<Path>, options: LintOptions) -> Result<Findings, TaskError> {
        self.lint_document(Document::read(file.as_ref()), options)
    }

    /// The same of a task in the shape of a task file.
    ///
    /// # Errors
    /// As [`Engine::lint`].
    pub fn lint_value(&self, task: impl Serialize, options: LintOptions) -> Result<Findings, TaskError> {
        self.lint_document(document_of(task), options)
    }

    fn lint_document(
        &self,
        document: Result<Document, FileError>,
        options: LintOptions,
    ) -> Result<Findings, TaskError> {
        let document = document.map_err(|error| TaskError::of(vec![error]))?;
        if let Some(linted) = self.0.lint_companion(&document) {
            return linted.map(|()| Findings::default()).map_err(|error| TaskError::of(vec![error]));
        }
        Ok(self.lint_task(&Task::of(Ok(document))?, options))
    }

    /// The same of a task that was read, such as one from [`Task::from_yaml`].
    #[must_use]
    pub fn lint_task(&self, task: &Task, options: LintOptions) -> Findings {
        let plan = self.0.plan(Arc::clone(&task.0));
        Findings(if options.notes { lint_with_notes(&plan) } else { lint(&plan) })
    }
}
