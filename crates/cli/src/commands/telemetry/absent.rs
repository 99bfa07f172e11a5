//! Telemetry in a build without the feature `telemetry`: nothing is sent, and whoever asks for it reads why.

use std::convert::Infallible;

use candor::check::feature::missing_feature;
use candor::inner::engine::{Engine, Task};
use candor::verification::LoopRecord;

use crate::commands::verify_loop::LoopArgs;
use crate::output::complain;

/// Variables that name a collector.
const ENDPOINTS: [&str; 3] =
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"];

/// The telemetry of a loop. This build cannot send any.
pub(crate) struct Telling(Infallible);

impl Telling {
    /// Refuses `--otlp`, and warns where the environment names a collector, as a build with the feature does for settings
    /// that it cannot use.
    pub(crate) fn begin(args: &LoopArgs, _: &Engine, _: &Task) -> Result<Option<Self>, String> {
        begin(args.otlp.as_deref(), |name| std::env::var(name).ok()).map(|warning| {
            if let Some(warning) = warning {
                complain(&warning);
            }
            None
        })
    }

    pub(crate) fn traceparent(&self) -> String {
        match self.0 {}
    }

    pub(crate) fn end(self, _: &LoopRecord) {
        match self.0 {}
    }
}

/// The warning, if the environment asks for telemetry; an error if the command line does.
fn begin(otlp: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Result<Option<String>, String> {
    let missing = missing_feature("send telemetry", "telemetry");
    if otlp.is_some() {
        return Err(missing);
    }
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.trim().is_empty());
    Ok(ENDPOINTS.iter().any(is_set).then(|| format!("warning: no telemetry is sent: {missing}")))
}
