//! Exact decimals.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use proptest::prelude::*;

use crate::decimal::Decimal;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

#[test]
fn reads_what_json_writes() {
    for (text, shown) in
        [("1.50", "1.50"), ("-0.5", "-0.5"), ("1e3", "1000"), ("12.5e-1", "1.25"), ("-0", "0"), ("1E+2", "100")]
    {
        assert_eq!(decimal(text).to_string(), shown, "{text}");
    }
    for text in ["", ".", "1.", ".5", "1e", "0x1", "--1", "1e9999999", "1e2000", "٣", "1 "] {
        assert!(Decimal::parse(text).is_none(), "{text}");
    }
    assert!(Decimal::parse(&"9".repeat(1001)).is_none());
}

#[test]
fn calculates_exactly() {
    assert_eq!(decimal("2.2").remainder(&decimal("1.8")).unwrap().to_string(), "0.4");
    assert_eq!(decimal("-5.5").remainder(&decimal("2")).unwrap().to_string(), "-1.5");
    assert_eq!(decimal("1").divide(&decimal("2")).unwrap().to_string(), "0.5");
    assert_eq!(decimal("1.2").divide(&decimal("1.8")).unwrap().to_string(), "0.6666666666666666666666666667");
    assert_eq!(decimal("-2.1").floor().to_string(), "-3");
    assert_eq!(decimal("-1.1").ceiling().to_string(), "-1");
    assert_eq!(decimal("3.14159").rounded(3).to_string(), "3.142");
    assert_eq!(decimal("-2.5").rounded(0).to_string(), "-3");
    assert!(decimal("1").divide(&decimal("0.0")).is_none());
    assert!(decimal("9007199254740993") > decimal("9007199254740992.9"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(200)))]
    #[test]
    fn division_undoes_multiplication(a in -1_000_000i64..1_000_000, b in 1i64..10_000, scale in 0u32..6) {
        let (a, b) = (Decimal::new(a.into(), scale), Decimal::from(b));
        prop_assert_eq!(a.multiply(&b).unwrap().divide(&b).unwrap(), a);
    }

    #[test]
    fn text_comes_back(a in any::<i128>(), scale in 0u32..40) {
        let number = Decimal::new(a.into(), scale);
        prop_assert_eq!(Decimal::parse(&number.to_string()).unwrap(), number);
    }

    #[test]
    fn never_panics(text in "[-+0-9.eE]{0,24}") {
        let _ = Decimal::parse(&text);
    }
}
