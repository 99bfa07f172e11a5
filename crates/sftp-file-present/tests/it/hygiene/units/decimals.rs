//! Exact decimals.

use candor_json::json;
use num_rational::BigRational;
use proptest::prelude::*;

use crate::hygiene::decimals::{decimal, shown_exactly};

proptest! {
    #[test]
    fn sums_are_exact(cents in prop::collection::vec(-100_000i64..100_000, 0..20)) {
        let texts: Vec<String> = cents.iter().map(|c| {
            let (sign, c) = (if *c < 0 { "-" } else { "" }, c.unsigned_abs());
            format!("{sign}{}.{:02}", c / 100, c % 100)
        }).collect();
        let sum: BigRational = texts.iter().map(|text| decimal(&json!(text)).unwrap()).sum();
        let told = cents.iter().sum::<i64>();
        prop_assert_eq!(&sum, &BigRational::new(told.into(), 100.into()));
        prop_assert_eq!(decimal(&shown_exactly(&sum)).unwrap(), sum);
    }
}
