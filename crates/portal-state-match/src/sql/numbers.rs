//! Numbers between the assertion, the database and JSON.

use candor_check::compare::Decimal;
use serde_json::{Number, Value};

/// What a value must be to be an integer of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Is(i64),
    /// No integer of 64 bits is equal to it.
    Never,
}

/// The integer that equals what is wanted as selection compares: a number by its value, a text by its characters.
pub(super) fn whole(wanted: &Value) -> Whole {
    let found = match wanted {
        Value::String(text) => text.parse::<i64>().ok().filter(|number| number.to_string() == *text),
        Value::Number(number) => integer(&number.to_string()),
        _ => None,
    };
    found.map_or(Whole::Never, Whole::Is)
}

/// The integer that a JSON number is, whichever way it is written.
fn integer(text: &str) -> Option<i64> {
    let wanted = Decimal::json(text)?;
    let near = match text.parse::<i64>() {
        Ok(number) => return Some(number),
        // Beyond 2^53 only some integers are floating point numbers, so the text is tried without its fraction first.
        Err(_) => text.split_once('.').and_then(|(whole, _)| whole.parse::<i64>().ok()),
    };
    #[expect(clippy::cast_possible_truncation, reason = "what is not equal is dropped")]
    let by_value = text.parse::<f64>().ok().map(|number| number as i64);
    let equal = |number: &i64| Decimal::json(&number.to_string()).as_ref() == Some(&wanted);
    near.filter(equal).or_else(|| by_value.filter(equal)).or_else(|| scaled(text).filter(equal))
}

/// An integer with an exponent, `12e3`.
fn scaled(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.len() + fraction.len();
    let zeros = exponent.strip_prefix('+').unwrap_or(exponent).parse::<usize>().ok()?.checked_sub(fraction.len())?;
    if digits + zeros > 40 {
        return None;
    }
    format!("{whole}{fraction}{}", "0".repeat(zeros)).parse().ok()
}

/// A number as the database writes it, digits as they stand; other text (`NaN`, `Infinity`) stays text.
pub(super) fn number(text: &str) -> Value {
    match serde_json::from_str::<Number>(text) {
        Ok(number) => Value::Number(number),
        Err(_) => Value::String(text.to_owned()),
    }
}

pub(super) fn real(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| Value::String(infinite(value)), Value::Number)
}

/// As [`real`], of a number of 32 bits.
pub(super) fn single(value: f32) -> Value {
    if value.is_finite() { number(&format!("{value:?}")) } else { real(f64::from(value)) }
}

fn infinite(value: f64) -> String {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (_, true) => "Infinity",
        (_, false) => "-Infinity",
    }
    .to_owned()
}

/// Whether a text is a decimal of so many digits at most, and could be put where the database expects a number.
pub(super) fn is_plain_decimal(text: &str, most: usize) -> bool {
    text.len() <= most && Decimal::plain(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn wanted(text: &str) -> Value {
        Value::Number(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn integers_by_value_and_texts_by_characters() {
        for (text, is) in [
            ("12", 12),
            ("-3.00", -3),
            ("1e3", 1000),
            ("12.5e1", 125),
            ("9223372036854775807", i64::MAX),
            ("9223372036854775807.0", i64::MAX),
            ("9.223372036854775807e18", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("0e9", 0),
            ("120000e-4", 12),
        ] {
            assert_eq!(whole(&wanted(text)), Whole::Is(is), "{text}");
        }
        for text in ["12.5", "9223372036854775808", "1e400", "1e-400"] {
            assert_eq!(whole(&wanted(text)), Whole::Never, "{text}");
        }
        assert_eq!(whole(&json!("12")), Whole::Is(12));
        for text in ["012", "+12", "12.0", "", "x", "9223372036854775808"] {
            assert_eq!(whole(&json!(text)), Whole::Never, "{text}");
        }
    }

    #[test]
    fn numbers_stay_as_they_are_written() {
        assert_eq!(number("120.50").to_string(), "120.50");
        assert_eq!(number("NaN"), json!("NaN"));
        assert_eq!(real(0.1).to_string(), "0.1");
        assert_eq!(real(f64::NEG_INFINITY), json!("-Infinity"));
        assert_eq!(single(0.1).to_string(), "0.1");
    }

    proptest! {
        #[test]
        fn no_integer_is_overlooked(number in any::<i64>(), zeros in 0usize..4, exponent in 0u32..3) {
            let written = format!("{number}.{}e0", "0".repeat(zeros + 1));
            prop_assert_eq!(whole(&wanted(&written)), Whole::Is(number));
            let small = number / 1000;
            let written = format!("{small}e{exponent}");
            prop_assert_eq!(whole(&wanted(&written)), Whole::Is(small * 10i64.pow(exponent)));
        }

        #[test]
        fn never_panics(text in "-?(0|[1-9][0-9]{0,22})(\\.[0-9]{1,22})?([eE][+-]?[0-9]{1,4})?") {
            if let Whole::Is(number) = whole(&wanted(&text)) {
                prop_assert_eq!(Decimal::json(&number.to_string()), Decimal::json(&text));
            }
        }
    }
}
