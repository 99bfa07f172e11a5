//! Where telemetry goes.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::collections::HashMap;

use proptest::prelude::*;

use crate::settings::{Settings, SettingsError};

fn read(endpoint: Option<&str>, variables: &[(&str, &str)]) -> Result<Option<Settings>, SettingsError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    Settings::read(endpoint, |name| variables.get(name).map(|value| (*value).to_owned()))
}

fn urls(endpoint: Option<&str>, variables: &[(&str, &str)]) -> [Option<String>; 2] {
    let settings = read(endpoint, variables).unwrap().unwrap();
    [settings.traces, settings.metrics].map(|endpoint| endpoint.map(|endpoint| endpoint.url.to_string()))
}

const BASE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");

#[test]
fn it_is_off_unless_it_is_configured() {
    for off in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
        &[("OTEL_SERVICE_NAME", "x")],
        &[BASE, ("OTEL_SDK_DISABLED", "True")],
        &[BASE, ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")],
    ] {
        assert!(read(None, off).unwrap().is_none(), "{off:?}");
    }
    assert!(read(Some("http://c"), &[("OTEL_SDK_DISABLED", "true")]).unwrap().is_none());
}

#[test]
fn signals_go_where_the_specification_says() {
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(urls(None, &[BASE]), [some("http://c:4318/v1/traces"), some("http://c:4318/v1/metrics")]);
    let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/otlp");
    assert_eq!(urls(None, &[own]), [some("https://t/otlp"), None]);
    assert_eq!(urls(None, &[BASE, own]), [some("https://t/otlp"), some("http://c:4318/v1/metrics")]);
    assert_eq!(urls(Some("http://o/a/"), &[BASE, own]), [some("http://o/a/v1/traces"), some("http://o/a/v1/metrics")]);
    assert_eq!(urls(None, &[BASE, ("OTEL_METRICS_EXPORTER", "none")])[1], None);
}

#[test]
fn what_is_not_supported_is_refused_by_name_and_without_its_value() {
    for (name, value) in [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "secret"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "secret"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://secret"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@c:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%zz"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0a"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "secret"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "secret.pem"),
        ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "secret"),
    ] {
        let error = read(None, &[BASE, (name, value)]).unwrap_err();
        assert_eq!(error.name, name);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert!(read(None, &[BASE, ("OTEL_EXPORTER_OTLP_COMPRESSION", "none")]).unwrap().is_some());
}

#[test]
fn headers_and_resource_are_read_and_not_shown() {
    let settings = read(
        None,
        &[
            BASE,
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret, x-tenant = a,"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment.name=pr%C3%BCf"),
            ("OTEL_SERVICE_NAME", "grader"),
        ],
    );
    let settings = settings.unwrap().unwrap();
    let headers = &settings.traces.as_ref().unwrap().headers;
    assert_eq!(headers.len(), 2);
    assert_eq!(headers[0].1, "Bearer s3cret");
    assert!(!format!("{settings:?}").contains("s3cret"));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(settings.resource, [pair("deployment.environment.name", "prüf"), pair("service.name", "grader")]);
}

proptest! {
    #[test]
    fn no_value_breaks_the_reading(value in "\\PC{0,40}") {
        for name in ["ENDPOINT", "HEADERS", "TIMEOUT", "PROTOCOL", "TRACES_ENDPOINT"] {
            let _ = read(None, &[BASE, (&format!("OTEL_EXPORTER_OTLP_{name}"), &value)]);
        }
        let _ = read(Some(&value), &[("OTEL_RESOURCE_ATTRIBUTES", &value)]);
    }
}
