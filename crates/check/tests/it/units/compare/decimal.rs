//! Exact decimals.

use candor_check::compare::Decimal;
use proptest::prelude::*;

#[test]
fn reads_what_text_data_carries_and_nothing_else() {
    for (text, same) in [("-25.00", "-25"), (".5", "0.50"), ("007", "7"), ("+5", "5"), ("-0", "0"), ("0.0", "0")] {
        assert_eq!(Decimal::plain(text).unwrap(), Decimal::json(same).unwrap(), "{text}");
    }
    for text in ["", ".", "-", "+", "5.", "1e3", " 1", "1 ", "1,000", "0x1", "--1", "+-1", "1.2.3", "٣", "NaN"] {
        assert_eq!(Decimal::plain(text), None, "{text}");
    }
}

#[test]
fn keeps_what_binary_floating_point_loses() {
    assert_ne!(Decimal::json("0.1000000000000000055511151231257827"), Decimal::json("0.1"));
    assert!(Decimal::json("9007199254740993") > Decimal::json("9007199254740992"));
    assert!(Decimal::json("1e400") > Decimal::json("1e399"));
    assert_eq!(Decimal::json("1e99999999999999999999"), None);
    assert_eq!(Decimal::json("1e400").unwrap().to_fraction().unwrap().numer().to_string().len(), 401);
    assert_eq!(Decimal::json("1e4000").unwrap().to_fraction(), None);
}

proptest! {
    #[test]
    fn orders_as_integers_do(a in any::<i64>(), b in any::<i64>(), scale in 0u32..6) {
        let text = |n: i64| {
            let (sign, n) = (if n < 0 { "-" } else { "" }, n.unsigned_abs());
            let power = 10u64.pow(scale);
            format!("{sign}{}.{:0width$}", n / power, n % power, width = scale.max(1) as usize)
        };
        let scale_up = |n: i64| if scale == 0 { i128::from(n) * 10 } else { i128::from(n) };
        prop_assert_eq!(Decimal::json(&text(a)).unwrap().cmp(&Decimal::json(&text(b)).unwrap()), scale_up(a).cmp(&scale_up(b)));
    }

    #[test]
    fn never_panics(text in "[-+0-9.eE]{0,24}") {
        let _ = Decimal::json(&text).and_then(|d| d.to_fraction());
        let _ = Decimal::plain(&text);
    }
}
