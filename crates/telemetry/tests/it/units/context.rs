//! The trace that a span belongs to.

use proptest::prelude::*;

use crate::context::{SpanContext, hex, parsed};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn a_span_is_a_child_of_what_the_environment_names() {
    let span = SpanContext::new(Some(PARENT));
    assert_eq!(hex(&span.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(span.parent.map(|id| hex(&id)).as_deref(), Some("00f067aa0ba902b7"));
    assert!(span.sampled && span.traceparent().starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
    let child = span.child();
    assert_eq!((child.trace_id, child.parent), (span.trace_id, Some(span.span_id)));
    assert_ne!(child.span_id, span.span_id);
    assert!(!SpanContext::new(Some(&PARENT.replace("-01", "-00"))).sampled);
    assert_eq!(
        SpanContext::new(Some("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later")).trace_id,
        span.trace_id
    );
}

#[test]
fn what_is_no_traceparent_begins_a_trace() {
    for wrong in [
        "",
        "00",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
    ] {
        let span = SpanContext::new(Some(wrong));
        assert!(span.parent.is_none() && span.sampled, "{wrong}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_a_span(text in "\\PC{0,80}") {
        let span = SpanContext::new(Some(&text));
        prop_assert_eq!(parsed(&span.traceparent()).map(|read| read.trace_id), Some(span.trace_id));
    }
}
