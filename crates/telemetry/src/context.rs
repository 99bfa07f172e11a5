//! W3C Trace Context (Level 1): which trace a span belongs to.

use uuid::Uuid;

/// A span's place among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanContext {
    pub(crate) trace_id: [u8; 16],
    pub(crate) span_id: [u8; 8],
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) sampled: bool,
}

impl SpanContext {
    /// A new span: in the trace of a valid `traceparent`, otherwise in a trace of its own, as the standard wants it.
    #[must_use]
    pub fn new(traceparent: Option<&str>) -> Self {
        let own = || Self { trace_id: random(), span_id: span_id(), parent: None, sampled: true };
        traceparent.and_then(parsed).unwrap_or_else(own)
    }

    pub(crate) fn child(&self) -> Self {
        Self { span_id: span_id(), parent: Some(self.span_id), ..*self }
    }

    /// As the header and the environment variable carry it.
    #[must_use]
    pub fn traceparent(&self) -> String {
        let sampled = u8::from(self.sampled);
        format!("00-{}-{}-{sampled:02x}", hex(&self.trace_id), hex(&self.span_id))
    }
}

fn random() -> [u8; 16] {
    Uuid::now_v7().into_bytes()
}

fn span_id() -> [u8; 8] {
    // The half without the time, whose first bit is always set: never the invalid id of zeros.
    let [.., a, b, c, d, e, f, g, h] = random();
    [a, b, c, d, e, f, g, h]
}

/// Reads `version-traceid-parentid-flags`. Of later versions what version 00 has is read, as section 4.3 says.
pub(crate) fn parsed(text: &str) -> Option<SpanContext> {
    let text = text.trim_matches([' ', '\t']);
    let mut parts = text.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let [version] = bytes::<1>(version)?;
    let more = parts.next().is_some();
    if version == 0xff || version == 0 && more {
        return None;
    }
    let (trace_id, parent, [flags]) = (bytes::<16>(trace)?, bytes::<8>(parent)?, bytes::<1>(flags)?);
    if trace_id == [0; 16] || parent == [0; 8] {
        return None;
    }
    Some(SpanContext { trace_id, span_id: span_id(), parent: Some(parent), sampled: flags & 1 == 1 })
}

/// So many bytes in lower-case hexadecimal.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 2 * N || !text.bytes().all(lower) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
