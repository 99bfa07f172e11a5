//! Telling of one delegation.

use std::sync::mpsc;
use std::time::Instant;

use jiff::Timestamp;
use uuid::Uuid;

use crate::context::SpanContext;
use crate::delegation::{Delegation, nanoseconds};
use crate::export::{ExportError, send};
use crate::message::Field;
use crate::metrics;
use crate::settings::{Endpoint, Settings};
use crate::spans::{self, Sender};

/// The telemetry of one delegation, from its beginning on.
#[derive(Debug)]
pub struct Telemetry {
    settings: Settings,
    context: SpanContext,
    version: String,
    began: u64,
}

impl Telemetry {
    /// Begins the span, in the trace that `TRACEPARENT` names, or in a new one. `version` is that of the sender.
    #[must_use]
    pub fn new(settings: Settings, version: &str) -> Self {
        let context = SpanContext::new(settings.traceparent.as_deref());
        Self { settings, context, version: version.to_owned(), began: nanoseconds(Timestamp::now()) }
    }

    /// The parent of the delegate's own spans, as a `traceparent`.
    #[must_use]
    pub fn traceparent(&self) -> String {
        self.context.traceparent()
    }

    /// Ends the span and sends everything. Returns within the time of the settings, whatever the collector does.
    ///
    /// # Errors
    /// The first failure that kept a request from arriving.
    pub fn send(self, delegation: &Delegation) -> Result<(), ExportError> {
        let time = self.settings.time;
        let until = Instant::now() + time;
        let requests = self.requests(delegation, nanoseconds(Timestamp::now()));
        let (told, hears) = mpsc::channel();
        // On a thread of its own: what a system call waits for has no time limit.
        std::thread::spawn(move || {
            let sent: Vec<_> = requests.iter().map(|(endpoint, request)| send(endpoint, request, until)).collect();
            // The receiver is gone if the time is over.
            let _ = told.send(sent.into_iter().collect::<Result<Vec<()>, _>>());
        });
        match hears.recv_timeout(time) {
            Ok(sent) => sent.map(drop),
            Err(_) => Err(ExportError::Timeout),
        }
    }

    fn requests(&self, delegation: &Delegation, ended: u64) -> Vec<(Endpoint, Vec<Field>)> {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut resource = self.settings.resource.clone();
        resource.push(own("service.version", &self.version));
        // It tells counters of processes that run side by side apart.
        resource.push(own("service.instance.id", &Uuid::now_v7().to_string()));
        let sender = Sender { resource, version: self.version.clone() };
        // A loop that goes on behind earlier attempts began with the first of them.
        let started = delegation.started.unwrap_or(self.began).min(self.began);
        let mut requests = Vec::new();
        if let Some(endpoint) = self.settings.traces.clone().filter(|_| self.context.sampled) {
            requests.push((endpoint, spans::request(&sender, &self.context, delegation, started, ended)));
        }
        if let Some(endpoint) = self.settings.metrics.clone() {
            let span = metrics::Span { began: self.began, ended, temporality: self.settings.temporality };
            requests.push((endpoint, metrics::request(&sender, delegation, started, span)));
        }
        requests
    }
}
