//! Roots, powers and logarithms of decimals.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use crate::decimal::Decimal;
use crate::series::{exp, ln, log, raised, sqrt};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

#[test]
fn known_digits() {
    assert_eq!(exp(&decimal("1")).unwrap().to_string(), "2.7182818284590452353602874714");
    assert_eq!(exp(&decimal("-1")).unwrap().to_string(), "0.3678794411714423215955237702");
    assert_eq!(ln(&decimal("2")).unwrap().to_string(), "0.6931471805599453094172321215");
    assert_eq!(ln(&decimal("0.001")).unwrap().to_string(), "-6.9077552789821370520539743641");
    assert_eq!(log(&decimal("16"), &decimal("2")).unwrap().to_string(), "4");
    assert_eq!(log(&decimal("100.0"), &decimal("10.0")).unwrap().to_string(), "2");
    assert_eq!(sqrt(&decimal("81")).unwrap().to_string(), "9");
    assert_eq!(sqrt(&decimal("2")).unwrap().to_string(), "1.4142135623730950488016887242");
    assert_eq!(raised(&decimal("2.5"), &decimal("2")).unwrap().to_string(), "6.25");
    assert_eq!(raised(&decimal("4"), &decimal("0.5")).unwrap().to_string(), "2");
    assert_eq!(raised(&decimal("2"), &decimal("-2")).unwrap().to_string(), "0.25");
}

#[test]
fn what_there_is_not() {
    assert!(sqrt(&decimal("-1")).is_none());
    assert!(ln(&decimal("0")).is_none() && ln(&decimal("-3")).is_none());
    assert!(log(&decimal("2"), &decimal("1")).is_none());
    assert!(raised(&decimal("-1"), &decimal("0.5")).is_none());
    assert!(raised(&decimal("0"), &decimal("-1")).is_none());
    assert!(raised(&decimal("10"), &decimal("5000")).is_none());
    assert!(exp(&decimal("999999999")).is_none());
    assert!(exp(&decimal("-999999999")).unwrap().is_zero());
}
