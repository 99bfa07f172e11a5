//! Telemetry of `candor loop`: off unless it is configured, and no verdict ever depends on it.

use std::collections::HashMap;

use candor::inner::engine::{Engine, Task};
use candor::verification::LoopRecord;
use candor_telemetry::{DelegateKind, Delegation, Settings, Telemetry};

use super::verify_loop::LoopArgs;
use crate::output::complain;

/// The telemetry of one loop, with what its record does not say.
pub(crate) struct Telling {
    telemetry: Telemetry,
    kind: DelegateKind,
    checks: HashMap<String, &'static str>,
}

impl Telling {
    /// Begins it, where it is configured. A fault of `--otlp` is an error. A fault of an environment variable, which
    /// may be set for other programs, is only a warning, and nothing is sent.
    pub(crate) fn begin(args: &LoopArgs, engine: &Engine, task: &Task) -> Result<Option<Self>, String> {
        let settings = match Settings::read(args.otlp.as_deref(), |name| std::env::var(name).ok()) {
            Ok(Some(settings)) => settings,
            Ok(None) => return Ok(None),
            Err(error) if args.otlp.is_some() => return Err(error.to_string()),
            Err(error) => {
                complain(&format!("warning: no telemetry is sent: {error}"));
                return Ok(None);
            }
        };
        let kind = match (&args.who.url, args.who.lines) {
            (Some(_), _) => DelegateKind::Http,
            (None, true) => DelegateKind::Lines,
            (None, false) => DelegateKind::Command,
        };
        let known = |name: &str| engine.checks().iter().map(|check| check.meta().assert).find(|known| *known == name);
        let check = |assertion: &candor_json::Value| known(assertion.get("assert")?.as_str()?);
        let checks = task.criteria.iter().filter_map(|c| Some((c.id.clone(), check(&c.assertion)?))).collect();
        Ok(Some(Self { telemetry: Telemetry::new(settings, env!("CARGO_PKG_VERSION")), kind, checks }))
    }

    pub(crate) fn traceparent(&self) -> String {
        self.telemetry.traceparent()
    }

    /// Tells of the loop that ended; one line of warning where that does not work.
    pub(crate) fn end(self, record: &LoopRecord) {
        let delegation = Delegation::new(record, self.kind, &self.checks);
        if let Err(error) = self.telemetry.send(&delegation) {
            complain(&format!("warning: telemetry was not delivered: {error}"));
        }
    }
}
