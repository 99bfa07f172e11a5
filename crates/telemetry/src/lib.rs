//! Spans and metrics of verified delegations, sent over OTLP/HTTP (OpenTelemetry protocol 1.x, traces and metrics).
//!
//! Telemetry sends names, codes, numbers and times: the attributes of [`attributes`] and nothing else. It never sends
//! the delegate's input or output, expected and found values, labels or paths. Telemetry reports a verdict and never
//! changes one: [`Telemetry::send`] ends within a stated time whatever the collector does.
//!
//! ```
//! use candor_telemetry::{Settings, Telemetry};
//! // Off unless it is configured.
//! let none = |_: &str| None;
//! assert!(Settings::read(None, none)?.is_none());
//! let settings = Settings::read(Some("http://127.0.0.1:4318"), none)?.unwrap();
//! let telemetry = Telemetry::new(settings, "0.1.0");
//! assert!(telemetry.traceparent().starts_with("00-"));
//! # Ok::<(), candor_telemetry::SettingsError>(())
//! ```

pub mod attributes;
mod context;
mod delegation;
mod export;
mod message;
mod metrics;
mod settings;
mod spans;
mod telemetry;

pub use context::SpanContext;
pub use delegation::{DelegateKind, Delegation};
pub use export::ExportError;
pub use settings::{Protocol, Settings, SettingsError};
pub use telemetry::Telemetry;
