//! The spans of a delegation: `ExportTraceServiceRequest` of `opentelemetry/proto/collector/trace/v1`.

use crate::attributes as name;
use crate::context::SpanContext;
use crate::delegation::{CriterionRun, Delegation};
use crate::message::{Field, Wire, attributes, field, text};

/// `SPAN_KIND_INTERNAL`
const INTERNAL: u8 = 1;
/// `STATUS_CODE_OK`
const OK: u8 = 1;
/// `STATUS_CODE_ERROR`
const ERROR: u8 = 2;

/// The sender, part of every request: the fields of a `Resource` and an `InstrumentationScope`.
pub(crate) struct Sender {
    pub(crate) resource: Vec<(String, String)>,
    pub(crate) version: String,
}

impl Sender {
    pub(crate) fn resource(&self) -> Field {
        let all = self.resource.iter().map(|(name, value)| (name.as_str(), Wire::Text(value.clone()))).collect();
        field(1, "resource", Wire::Message(vec![field(1, "attributes", attributes(all))]))
    }

    pub(crate) fn scope(&self) -> Field {
        let scope = vec![text(1, "name", "candor"), text(2, "version", self.version.as_str())];
        field(1, "scope", Wire::Message(scope))
    }
}

pub(crate) fn request(
    sender: &Sender,
    context: &SpanContext,
    delegation: &Delegation,
    began: u64,
    ended: u64,
) -> Vec<Field> {
    let mut spans = vec![of_delegation(context, delegation, began, ended)];
    spans.extend(delegation.runs.iter().map(|run| of_run(&context.child(), run)));
    let scope_spans = vec![sender.scope(), field(2, "spans", Wire::Messages(spans))];
    let resource_spans = vec![sender.resource(), field(2, "scopeSpans", Wire::Messages(vec![scope_spans]))];
    vec![field(1, "resourceSpans", Wire::Messages(vec![resource_spans]))]
}

fn of_delegation(context: &SpanContext, delegation: &Delegation, began: u64, ended: u64) -> Vec<Field> {
    let mut values = vec![
        (name::VERIFY_ATTEMPTS, Wire::Int(delegation.attempts)),
        (name::VERIFY_PASSED, Wire::Bool(delegation.outcome == "passed")),
        (name::VERIFY_OUTCOME, Wire::Text(delegation.outcome.to_owned())),
        (name::KIND, Wire::Text(delegation.kind.name().to_owned())),
    ];
    values.extend(delegation.task_id.clone().map(|id| (name::TASK_ID, Wire::Text(id))));
    let status = match delegation.outcome {
        "passed" => Some(OK),
        "failed" => Some(ERROR),
        _ => None,
    };
    span(context, name::DELEGATION_SPAN, (began, ended), values, status)
}

fn of_run(context: &SpanContext, run: &CriterionRun) -> Vec<Field> {
    let mut values = vec![
        (name::ATTEMPT, Wire::Int(run.attempt)),
        (name::CRITERION_INDEX, Wire::Int(run.index)),
        (name::CHECK, Wire::Text(run.check.to_owned())),
        (name::STATUS, Wire::Text(run.status.to_owned())),
        (name::SCORE, Wire::Double(run.score)),
        (name::WEIGHT_SHARE, Wire::Double(run.weight_share)),
    ];
    values.extend(run.id.clone().map(|id| (name::CRITERION_ID, Wire::Text(id))));
    values.extend(run.reason.clone().map(|reason| (name::REASON, Wire::Text(reason))));
    // That a criterion is not met is an answer and no error of the one who gives it.
    span(context, name::CRITERION_SPAN, (run.started, run.completed), values, None)
}

fn span(
    context: &SpanContext,
    name: &str,
    (start, end): (u64, u64),
    values: Vec<(&str, Wire)>,
    status: Option<u8>,
) -> Vec<Field> {
    let mut span = vec![
        field(1, "traceId", Wire::Id(context.trace_id.to_vec())),
        field(2, "spanId", Wire::Id(context.span_id.to_vec())),
        text(5, "name", name),
        field(6, "kind", Wire::Enum(INTERNAL)),
        field(7, "startTimeUnixNano", Wire::Fixed(start)),
        field(8, "endTimeUnixNano", Wire::Fixed(end.max(start))),
        field(9, "attributes", attributes(values)),
    ];
    span.extend(context.parent.map(|parent| field(4, "parentSpanId", Wire::Id(parent.to_vec()))));
    span.extend(status.map(|code| field(15, "status", Wire::Message(vec![field(3, "code", Wire::Enum(code))]))));
    span
}
