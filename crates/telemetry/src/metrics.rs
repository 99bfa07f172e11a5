//! The metrics of a delegation: `ExportMetricsServiceRequest` of `opentelemetry/proto/collector/metrics/v1`.

use std::collections::BTreeMap;

use crate::attributes as name;
use crate::delegation::Delegation;
use crate::message::{Field, Wire, attributes, field, text};
use crate::spans::Sender;

/// The bounds of durations, in seconds: those that semantic conventions of OpenTelemetry give for calls, and longer ones,
/// as an agent takes its time.
const SECONDS: &[f64] =
    &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 1800.0, 3600.0];

/// The bounds of numbers of attempts.
const ATTEMPTS: &[f64] = &[0.0, 1.0, 2.0, 3.0, 5.0, 10.0];

type Labels = Vec<(&'static str, String)>;

/// The time that points cover, and their temporality.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) began: u64,
    pub(crate) ended: u64,
    pub(crate) temporality: u8,
}

pub(crate) fn request(sender: &Sender, delegation: &Delegation, started: u64, span: Span) -> Vec<Field> {
    let whole =
        || vec![(name::KIND, delegation.kind.name().to_owned()), (name::VERIFY_OUTCOME, delegation.outcome.to_owned())];
    let of = |value: f64| BTreeMap::from([(whole(), vec![value])]);
    let mut runs: BTreeMap<Labels, Vec<f64>> = BTreeMap::new();
    for run in &delegation.runs {
        let labels = vec![(name::CHECK, run.check.to_owned()), (name::STATUS, run.status.to_owned())];
        runs.entry(labels).or_default().push(seconds(run.started, run.completed));
    }
    let duration = of(seconds(started, span.ended));
    let mut all = vec![
        sum((name::DELEGATIONS, "Verified delegations", "{delegation}"), &duration, span),
        histogram(
            (name::ATTEMPTS, "Attempts of a delegation", "{attempt}"),
            ATTEMPTS,
            &of(whole_number(delegation.attempts)),
            span,
        ),
        histogram((name::DELEGATION_DURATION, "Duration of a delegation", "s"), SECONDS, &duration, span),
    ];
    if !runs.is_empty() {
        all.push(sum((name::CRITERION_RUNS, "Criterion runs", "{run}"), &runs, span));
        all.push(histogram((name::CRITERION_DURATION, "Duration of a criterion run", "s"), SECONDS, &runs, span));
    }
    let scope_metrics = vec![sender.scope(), field(2, "metrics", Wire::Messages(all))];
    let resource_metrics = vec![sender.resource(), field(2, "scopeMetrics", Wire::Messages(vec![scope_metrics]))];
    vec![field(1, "resourceMetrics", Wire::Messages(vec![resource_metrics]))]
}

#[expect(clippy::cast_precision_loss, reason = "of days, nothing that a histogram's bounds tell apart is lost")]
fn seconds(started: u64, ended: u64) -> f64 {
    ended.saturating_sub(started) as f64 / 1e9
}

#[expect(clippy::cast_precision_loss, reason = "nobody makes 2^53 attempts")]
fn whole_number(number: u64) -> f64 {
    number as f64
}

fn metric((name, about, unit): (&str, &str, &str), data: Field) -> Vec<Field> {
    vec![text(1, "name", name), text(2, "description", about), text(3, "unit", unit), data]
}

fn point(number: u32, labels: &Labels, span: Span) -> Vec<Field> {
    let values = labels.iter().map(|(name, value)| (*name, Wire::Text(value.clone()))).collect();
    vec![
        field(2, "startTimeUnixNano", Wire::Fixed(span.began)),
        field(3, "timeUnixNano", Wire::Fixed(span.ended)),
        field(number, "attributes", attributes(values)),
    ]
}

fn temporality(span: Span) -> Field {
    field(2, "aggregationTemporality", Wire::Enum(span.temporality))
}

fn sum(what: (&str, &str, &str), values: &BTreeMap<Labels, Vec<f64>>, span: Span) -> Vec<Field> {
    let points = values.iter().map(|(labels, values)| {
        let mut point = point(7, labels, span);
        point.push(field(6, "asInt", Wire::Fixed(values.len() as u64)));
        point
    });
    let points = field(1, "dataPoints", Wire::Messages(points.collect()));
    let data = vec![points, temporality(span), field(3, "isMonotonic", Wire::Bool(true))];
    metric(what, field(7, "sum", Wire::Message(data)))
}

fn histogram(what: (&str, &str, &str), bounds: &[f64], values: &BTreeMap<Labels, Vec<f64>>, span: Span) -> Vec<Field> {
    let points = values.iter().map(|(labels, values)| {
        // A bucket holds what is above the bound before it and up to its own.
        let mut counts = vec![0_u64; bounds.len() + 1];
        for value in values {
            let bucket = bounds.partition_point(|bound| bound < value);
            counts.iter_mut().skip(bucket).take(1).for_each(|count| *count += 1);
        }
        let mut point = point(9, labels, span);
        point.extend([
            field(4, "count", Wire::Fixed(values.len() as u64)),
            field(5, "sum", Wire::Double(values.iter().sum())),
            field(6, "bucketCounts", Wire::Fixeds(counts)),
            field(7, "explicitBounds", Wire::Doubles(bounds.to_vec())),
        ]);
        point
    });
    let points = field(1, "dataPoints", Wire::Messages(points.collect()));
    metric(what, field(9, "histogram", Wire::Message(vec![points, temporality(span)])))
}
