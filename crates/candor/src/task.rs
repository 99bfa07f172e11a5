//! Tasks: what was to be done, and the criteria that decide whether it was.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_engine::{Document, FileError};
use serde::Serialize;

/// A task with its criteria. Cheap to clone.
///
/// ```
/// use candor::Task;
/// use candor::json::json;
///
/// let task = Task::from_value(json!({
///     "id": "order-mri",
///     "criteria": [{
///         "id": "order-sent",
///         "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ORM^O01"}},
///     }],
/// }))?;
/// assert_eq!(task.id(), "order-mri");
///
/// let error = Task::from_value(json!({"id": "order-mri", "criteria": [{"id": "a", "wieght": 2, "assertion": {}}]}));
/// let message = "criteria[0].wieght: unknown key `wieght` in criterion 1; did you mean `weight`?";
/// assert_eq!(error.unwrap_err().to_string(), message);
/// # Ok::<(), candor::TaskError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Task(pub(crate) Arc<candor_engine::Task>);

impl Task {
    /// Makes a task from a value in the shape of a task file: one of [`json`](mod@crate::json), one of `serde_json`, or one
    /// of a type of your own.
    ///
    /// An assertion that names another file in a task file (`profile`) has the content of that file in its place.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its member.
    pub fn from_value(value: impl Serialize) -> Result<Self, TaskError> {
        Self::of(document_of(value))
    }

    /// Reads a task file: JSON (`.json`) or YAML (`.yaml`, `.yml`). Paths in it are relative to its folder.
    ///
    /// # Errors
    /// When it cannot be read; otherwise everything that is wrong with it, each with line and column.
    pub fn read(file: impl AsRef<Path>) -> Result<Self, TaskError> {
        Self::of(Document::read(file.as_ref()))
    }

    /// Reads the text of a task file in YAML, such as one that lies in a database. JSON is YAML, too.
    ///
    /// Scalars keep what was written: `000123` stays text with its zeros. Errors name line and column of `task.yaml`.
    ///
    /// ```
    /// use candor::Task;
    ///
    /// let task = Task::from_yaml("id: a\ncriteria:\n- {id: sent, weight: 2, assertion: {assert: file-exists, path: a.txt}}\n")?;
    /// let criterion = task.criteria().next().unwrap();
    /// assert_eq!((criterion.id(), criterion.weight(), criterion.assert()), ("sent", 2.0, Some("file-exists")));
    /// # Ok::<(), candor::TaskError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it, each with line and column.
    pub fn from_yaml(text: &str) -> Result<Self, TaskError> {
        Self::of(Document::parse(Path::new("task.yaml"), text.as_bytes()))
    }

    pub(crate) fn of(document: Result<Document, FileError>) -> Result<Self, TaskError> {
        let task = document.map_err(|error| vec![error]).and_then(candor_engine::Task::from_document);
        let task = task.map_err(TaskError::of)?;
        #[cfg(feature = "loop")]
        candor_verification::TaskLoop::check_all([&task]).map_err(TaskError::of)?;
        Ok(Self(Arc::new(task)))
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The instructions for whoever does the task, placeholders replaced.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        self.0.prompt.as_deref()
    }

    /// Its criteria, in the order of the file.
    pub fn criteria(&self) -> impl ExactSizeIterator<Item = Criterion<'_>> {
        self.0.criteria.iter().map(Criterion)
    }
}

pub(crate) fn document_of(value: impl Serialize) -> Result<Document, FileError> {
    let unwritten = |error: candor_json::Error| FileError {
        file: PathBuf::new(),
        position: None,
        message: format!("the task cannot be written as JSON: {error}"),
    };
    Document::from_value(candor_json::to_value(value).map_err(unwritten)?)
}

/// A criterion as the task file has it.
#[derive(Clone, Copy, Debug)]
pub struct Criterion<'a>(&'a candor_engine::Criterion);

impl<'a> Criterion<'a> {
    /// Its id, unique within the task.
    #[must_use]
    pub fn id(&self) -> &'a str {
        &self.0.id
    }

    /// The name for people; the id if the file gives no label.
    #[must_use]
    pub fn label(&self) -> &'a str {
        &self.0.label
    }

    /// Its weight in the score, above 0.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.0.weight.to_string().parse().unwrap_or_default()
    }

    /// The axis it counts on.
    #[must_use]
    pub fn axis(&self) -> Option<&'a str> {
        self.0.axis.as_deref()
    }

    /// True if the verdict is `fail` unless the criterion passes.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.0.gate
    }

    /// The kind of its assertion, as in [`crate::checks_table`].
    #[must_use]
    pub fn assert(&self) -> Option<&'a str> {
        self.0.assertion.get("assert")?.as_str()
    }
}

/// Why a task cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskError {
    /// The task is wrong; these are all its errors, in the order of the file.
    Invalid(Vec<Problem>),
}

impl TaskError {
    pub(crate) fn of(errors: Vec<FileError>) -> Self {
        Self::Invalid(errors.into_iter().map(Problem).collect())
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Invalid(problems) = self;
        for (index, problem) in problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for TaskError {}

/// A problem of a task: what was found, what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(FileError);

impl Problem {
    /// The file; `None` for a task that a program made.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        Some(&self.0.file).filter(|file| !file.as_os_str().is_empty())
    }

    /// Line and column, 1-based; `None` if the problem is not at one place of a file.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.position
    }

    /// The problem in a sentence: what was found, what was expected, what to do.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
