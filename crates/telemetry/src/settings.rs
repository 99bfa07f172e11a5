//! Where telemetry goes, from the standard environment variables (OpenTelemetry specification, "OpenTelemetry Protocol
//! Exporter" and "Environment Variable Specification") and an address that the caller gives.

use std::fmt;
use std::time::Duration;

use candor_http::ureq::http::{HeaderName, HeaderValue, Uri};

/// How requests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `http/protobuf`, the default
    Binary,
    /// `http/json`
    Json,
}

/// `AGGREGATION_TEMPORALITY_DELTA`. Some backends take no other.
const DELTA: u8 = 1;
/// `AGGREGATION_TEMPORALITY_CUMULATIVE`
const CUMULATIVE: u8 = 2;

#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: Uri,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) protocol: Protocol,
}

impl fmt::Debug for Endpoint {
    /// Without the headers, which hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

/// Where telemetry goes.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) traces: Option<Endpoint>,
    pub(crate) metrics: Option<Endpoint>,
    pub(crate) resource: Vec<(String, String)>,
    pub(crate) time: Duration,
    /// `AggregationTemporality`
    pub(crate) temporality: u8,
    pub(crate) traceparent: Option<String>,
}

/// An error in a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The variable, or `--otlp`.
    pub name: String,
    /// The error, without the setting's value, which may be a secret.
    pub problem: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.problem)
    }
}

impl std::error::Error for SettingsError {}

/// The time limit of sending everything, unless `OTEL_EXPORTER_OTLP_TIMEOUT` is set; the specification's default.
const TIME: Duration = Duration::from_secs(10);

/// The longest time that can be given.
const LONGEST: u64 = 60_000;

/// Settings of the standard that this sender does not support, with the values that do not ask for them.
const REFUSED: &[(&str, &[&str])] =
    &[("COMPRESSION", &["none"]), ("CERTIFICATE", &[]), ("CLIENT_KEY", &[]), ("CLIENT_CERTIFICATE", &[])];

impl Settings {
    /// Reads them: `endpoint` as given on a command line, before what the environment says. Nothing where no endpoint is
    /// named or `OTEL_SDK_DISABLED` is true.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn read(
        endpoint: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, SettingsError> {
        // An empty variable is one that is not set.
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let traces = signal("TRACES", "v1/traces", endpoint, &variable)?;
        let metrics = signal("METRICS", "v1/metrics", endpoint, &variable)?;
        if traces.is_none() && metrics.is_none() {
            return Ok(None);
        }
        let timeout = "OTEL_EXPORTER_OTLP_TIMEOUT";
        let time = match variable(timeout).map(|text| text.trim().parse::<u64>()) {
            None => TIME,
            Some(Ok(milliseconds)) if (1..=LONGEST).contains(&milliseconds) => Duration::from_millis(milliseconds),
            Some(_) => return Err(wrong(timeout, format!("expected milliseconds from 1 to {LONGEST}"))),
        };
        let preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
        let temporality = match variable(preference).map(|value| value.trim().to_ascii_lowercase()).as_deref() {
            None | Some("cumulative") => CUMULATIVE,
            Some("delta" | "lowmemory") => DELTA,
            Some(_) => return Err(wrong(preference, "expected cumulative, delta or lowmemory")),
        };
        let traceparent = variable("TRACEPARENT");
        Ok(Some(Self { traces, metrics, resource: resource(&variable)?, time, temporality, traceparent }))
    }

    /// How long sending may take, all in all.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.time
    }
}

fn wrong(name: &str, problem: impl Into<String>) -> SettingsError {
    SettingsError { name: name.to_owned(), problem: problem.into() }
}

type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where one signal goes: what is set for it alone comes before what is set for all.
fn signal(
    signal: &str,
    path: &str,
    endpoint: Option<&str>,
    variable: Variable<'_>,
) -> Result<Option<Endpoint>, SettingsError> {
    let exporter = format!("OTEL_{signal}_EXPORTER");
    if endpoint.is_none() {
        match variable(&exporter).as_deref().map(str::trim) {
            None | Some("otlp") => {}
            Some("none") => return Ok(None),
            Some(_) => return Err(wrong(&exporter, "expected otlp or none")),
        }
    }
    let of = |name: &str| {
        let (own, all) = (format!("OTEL_EXPORTER_OTLP_{signal}_{name}"), format!("OTEL_EXPORTER_OTLP_{name}"));
        variable(&own).map(|value| (own, value)).or_else(|| variable(&all).map(|value| (all, value)))
    };
    let (name, url) = match (endpoint, of("ENDPOINT")) {
        (Some(base), _) => ("--otlp".to_owned(), below(base, path)),
        (None, Some((name, base))) if name == "OTEL_EXPORTER_OTLP_ENDPOINT" => (name, below(&base, path)),
        (None, Some((name, url))) => (name, url.trim().to_owned()),
        (None, None) => return Ok(None),
    };
    let url = address(&url).ok_or_else(|| {
        wrong(&name, "not an address; expected one as http://127.0.0.1:4318, without a password (headers carry that)")
    })?;
    for (name, harmless) in REFUSED {
        if let Some((name, value)) = of(name)
            && !harmless.contains(&value.trim())
        {
            return Err(wrong(&name, "it is not supported; unset it, or run a collector next to this program"));
        }
    }
    let protocol = match of("PROTOCOL") {
        None => Protocol::Binary,
        Some((name, value)) => match value.trim() {
            "http/protobuf" => Protocol::Binary,
            "http/json" => Protocol::Json,
            "grpc" => return Err(wrong(&name, "grpc is not spoken; expected http/protobuf (port 4318) or http/json")),
            _ => return Err(wrong(&name, "expected http/protobuf or http/json")),
        },
    };
    let headers = of("HEADERS").map_or_else(|| Ok(Vec::new()), |(name, value)| headers(&name, &value))?;
    Ok(Some(Endpoint { url, headers, protocol }))
}

fn below(base: &str, path: &str) -> String {
    format!("{}/{path}", base.trim().trim_end_matches('/'))
}

fn address(text: &str) -> Option<Uri> {
    let url: Uri = text.parse().ok()?;
    let spoken = matches!(url.scheme_str(), Some("http" | "https"));
    let host = url.host().is_some_and(|host| !host.is_empty());
    let secret = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    (spoken && host && !secret).then_some(url)
}

/// `name=value` pairs between commas, values percent-encoded (W3C Baggage, without properties).
fn pairs(name: &str, text: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('=')?;
        Some((decoded(key.trim())?, decoded(value.trim())?)).filter(|(key, _)| !key.is_empty())
    };
    let problem = || wrong(name, "expected name=value pairs between commas, with percent-encoded values");
    entries.map(|entry| pair(entry).ok_or_else(problem)).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return String::from_utf8(bytes).ok(),
            [b'%', high, low, rest @ ..] => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest
            }
            [b'%', ..] => return None,
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

fn headers(name: &str, text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, SettingsError> {
    let header = |(key, value): (String, String)| {
        let header = HeaderName::from_bytes(key.as_bytes()).ok().zip(HeaderValue::from_str(&value).ok());
        header.ok_or_else(|| wrong(name, "one of its pairs is not an HTTP header"))
    };
    pairs(name, text)?.into_iter().map(header).collect()
}

/// `OTEL_RESOURCE_ATTRIBUTES`, and `OTEL_SERVICE_NAME` before it.
fn resource(variable: Variable<'_>) -> Result<Vec<(String, String)>, SettingsError> {
    let name = "OTEL_RESOURCE_ATTRIBUTES";
    let mut resource = variable(name).map_or_else(|| Ok(Vec::new()), |text| pairs(name, &text))?;
    match variable("OTEL_SERVICE_NAME") {
        Some(service) => {
            resource.retain(|(name, _)| name != "service.name");
            resource.push(("service.name".to_owned(), service));
        }
        None if resource.iter().any(|(name, _)| name == "service.name") => {}
        None => resource.push(("service.name".to_owned(), "candor".to_owned())),
    }
    Ok(resource)
}
