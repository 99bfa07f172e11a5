//! Audit of a task: do its criteria fail when the work is wrong?
//!
//! ```
//! use candor::json::json;
//! use candor::{Engine, Sandbox, Task, audit};
//!
//! let task = Task::from_value(json!({"id": "book", "criteria": [{
//!     "id": "booked",
//!     "assertion": {
//!         "assert": "fhir-resource-state", "resource_type": "Appointment", "search": {"_id": "1"},
//!         "fields": [{"path": "status", "expected": "booked"}],
//!     },
//! }]}))?;
//! let right = Sandbox::builder().fhir(json!({"resourceType": "Appointment", "id": "1", "status": "booked"})).build()?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let report = audit::audit(&Engine::standard(), &task, &right, &audit::Options::default()).await?;
//! assert!(report.told().contains("booked"));
//! # Ok::<(), audit::AuditError>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use candor_json::Value;
use candor_report::{Format, json};

pub use candor_audit::{AuditError, Options, Probe};

use crate::engine::Engine;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The findings of an audit.
#[derive(Debug)]
pub struct Report(candor_audit::Report);

/// Audits a task over a sandbox in which its work was done, with changed copies in memory. Nothing is written.
///
/// # Errors
/// When the task's own settings of the audit are wrong, or the sandbox cannot be read.
pub async fn audit(engine: &Engine, task: &Task, passing: &Sandbox, options: &Options) -> Result<Report, AuditError> {
    candor_audit::audit(&engine.0, &task.0, &passing.0, candor_checks::OPERATORS, options).await.map(Report)
}

impl Report {
    /// True if there is nothing to complain about; with `strict` every criterion must be proven.
    #[must_use]
    pub fn holds(&self, strict: bool) -> bool {
        self.0.holds(strict)
    }

    /// The report as a person reads it.
    #[must_use]
    pub fn told(&self) -> String {
        self.0.told()
    }

    /// A badge: a line of Markdown.
    #[must_use]
    pub fn badge(&self) -> String {
        self.0.badge()
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0.to_value()
    }

    /// The report as `candor audit --format …` writes it; `None` for a format in which it is not written.
    #[must_use]
    pub fn render(&self, format: Format) -> Option<Vec<u8>> {
        Some(match format {
            Format::Text => self.told().into_bytes(),
            Format::Json => json::document(&self.to_value()),
            Format::Ndjson => json::line(&self.to_value()),
            Format::Markdown => format!("{}\n", self.badge()).into_bytes(),
            _ => return None,
        })
    }
}
