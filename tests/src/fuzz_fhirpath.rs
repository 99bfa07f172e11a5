//! The body of the FHIRPath fuzz target: any expression over any document, and the properties that must hold.

use candor_fhirpath::{Context, Expression, Limits, OpenComparison};
use candor_json::Value;

/// Any bytes as an expression, a NUL and a document. An error has a place in the expression; evaluating twice gives the same; an
/// item that is of the document has a path in it.
///
/// # Panics
/// When one of these does not hold.
pub fn fhirpath(data: &[u8]) {
    let (text, document) = match data.iter().position(|&byte| byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (
            data,
            &b"{\"resourceType\":\"Patient\",\"name\":[{\"given\":[\"a\",\"b\"]}],\"birthDate\":\"1974-12\"}"[..],
        ),
    };
    let (Ok(text), Ok(document)) = (std::str::from_utf8(text), candor_json::from_slice::<Value>(document)) else {
        return;
    };
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(error) => return assert!(text.is_char_boundary(error.position) && !error.found.is_empty()),
    };
    let limits = Limits { steps: 100_000, items: 10_000, text: 50_000 };
    let context = Context::new().with_limits(limits).with_typed_references().with_notes();
    match (expression.evaluate(&document, &context), expression.evaluate(&document, &context)) {
        (Ok(first), Ok(again)) => {
            assert_eq!(first.len(), again.len());
            for (one, other) in first.iter().zip(&again).take(50) {
                assert_eq!(one.json(), other.json());
                assert_eq!(one.element().is_some(), one.element().and_then(|_| one.path(&document)).is_some());
            }
        }
        (Err(first), Err(again)) => assert!(first == again && first.position < text.len()),
        _ => panic!("evaluating twice differs"),
    }
    for open in [OpenComparison::True, OpenComparison::False] {
        let _ = expression.evaluate(&document, &context.clone().with_open_comparisons(open));
    }
}
