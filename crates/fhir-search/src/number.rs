//! Numbers in searches, and intervals of them. Source: FHIR R4, Search, 3.1.1.4.5 (prefixes) and 3.1.1.4.6 (number).

use std::borrow::Cow;
use std::cmp::Ordering;

use candor_json::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::prefix::Prefix;
use crate::text;

/// The longest number that is read, and the greatest power of ten: more would be a way to make a search slow.
const LONGEST: usize = 400;

/// An exact number. Most comparisons are decided by the binary one that is near it.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    exact: BigRational,
    near: f64,
}

impl Point {
    pub(crate) fn new(exact: BigRational) -> Self {
        let near = exact.to_f64().unwrap_or(f64::NAN);
        Self { exact, near }
    }

    /// Reads a decimal, with the unit of its last digit.
    pub(crate) fn parse(text: &str) -> Option<(Self, BigRational)> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent.parse::<i32>().ok()?)),
            None => (text, None),
        };
        let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let dangling = whole.is_empty() || (digits.contains('.') && fraction.is_empty());
        if text.len() > LONGEST || dangling || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let places = i32::try_from(fraction.len()).ok()?;
        let power = exponent.unwrap_or(0).checked_sub(places)?;
        if power.unsigned_abs() as usize > 2 * LONGEST {
            return None;
        }
        let unsigned: BigInt = format!("{whole}{fraction}").parse().ok()?;
        let signed = if mantissa.starts_with('-') { -unsigned } else { unsigned };
        // A number with an exponent has at least two significant digits: the standard's own example makes 1e2 95 to 105.
        let finer = i32::from(exponent.is_some() && digits_of(whole, fraction) < 2);
        Some((Self::new(BigRational::from_integer(signed) * ten_to(power)), ten_to(power - finer)))
    }

    pub(crate) fn exact(&self) -> &BigRational {
        &self.exact
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let distance = (self.near - other.near).abs();
        // Both are rounded once, so that what is further apart than this is ordered right.
        if distance.is_finite() && distance > 1e-12 * (self.near.abs() + other.near.abs()) && distance > 1e-300 {
            return self.near.total_cmp(&other.near);
        }
        self.exact.cmp(&other.exact)
    }
}

fn digits_of(whole: &str, fraction: &str) -> usize {
    whole.trim_start_matches('0').len() + fraction.len()
}

fn ten_to(power: i32) -> BigRational {
    let ten = BigRational::from_integer(BigInt::from(10));
    num_traits::Pow::pow(&ten, power)
}

/// An end of an interval and whether it is part of it; `None` is open for ever.
pub(crate) type End = Option<(Point, bool)>;

#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) low: End,
    pub(crate) high: End,
}

impl Interval {
    /// The interval of a number: the number itself or, with a comparator (`<`, `<=`, `>=`, `>`), all numbers it allows.
    pub(crate) fn of(value: &Value, comparator: Option<&str>) -> Option<Self> {
        let (point, _) = Point::parse(&number(value)?)?;
        Some(match comparator {
            None => Self { low: Some((point.clone(), true)), high: Some((point, true)) },
            Some("<") => Self { low: None, high: Some((point, false)) },
            Some("<=") => Self { low: None, high: Some((point, true)) },
            Some(">") => Self { low: Some((point, false)), high: None },
            Some(">=") => Self { low: Some((point, true)), high: None },
            // `ad` of R5 (a sufficient amount), or a value that is not a comparator: the interval is unknown.
            Some(_) => return None,
        })
    }
}

pub(crate) fn number(value: &Value) -> Option<String> {
    value.as_number().map(ToString::to_string)
}

#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    prefix: Prefix,
    value: Point,
    /// The first value that its digits leave open, and the first one after them; for `ap` ten per cent to either side.
    from: Point,
    to: Point,
}

impl Comparison {
    /// Reads `[prefix]number`.
    pub(crate) fn parse(escaped: &str) -> Result<Self, Cow<'static, str>> {
        let plain = text::unescape(escaped);
        let (prefix, number) = Prefix::split(&plain)?;
        let (value, unit) = Point::parse(number).ok_or("it is not a number")?;
        let half = unit / BigInt::from(2);
        let slack = if prefix == Prefix::Ap {
            let tenth = value.exact.abs() / BigInt::from(10);
            if tenth.is_zero() { half } else { tenth }
        } else {
            half
        };
        let (from, to) = (Point::new(&value.exact - &slack), Point::new(&value.exact + &slack));
        Ok(Self { prefix, value, from, to })
    }

    pub(crate) fn converted(&self, convert: impl Fn(&BigRational) -> Option<BigRational>) -> Option<Self> {
        let point = |point: &Point| convert(&point.exact).map(Point::new);
        Some(Self { prefix: self.prefix, value: point(&self.value)?, from: point(&self.from)?, to: point(&self.to)? })
    }

    /// True if a stored interval matches. With a prefix other than `eq`, `ne` and `ap`, the wanted number is exact: its
    /// digits leave nothing open. A stored number is always exact.
    pub(crate) fn finds(&self, stored: &Interval) -> bool {
        let order = |end: &End, point: &Point| end.as_ref().map(|(end, within)| (end.cmp(point), *within));
        let low = order(&stored.low, &self.value);
        let high = order(&stored.high, &self.value);
        let within = || {
            let low = order(&stored.low, &self.from).is_some_and(|(low, _)| low.is_ge());
            low && order(&stored.high, &self.to).is_some_and(|(high, within)| high.is_lt() || (high.is_eq() && !within))
        };
        match self.prefix {
            Prefix::Eq => within(),
            Prefix::Ne => !within(),
            Prefix::Gt => high.is_none_or(|(high, _)| high.is_gt()),
            Prefix::Lt => low.is_none_or(|(low, _)| low.is_lt()),
            Prefix::Ge => high.is_none_or(|(high, within)| high.is_gt() || (high.is_eq() && within)),
            Prefix::Le => low.is_none_or(|(low, within)| low.is_lt() || (low.is_eq() && within)),
            Prefix::Sa => low.is_some_and(|(low, within)| low.is_gt() || (low.is_eq() && !within)),
            Prefix::Eb => high.is_some_and(|(high, within)| high.is_lt() || (high.is_eq() && !within)),
            Prefix::Ap | Prefix::Po => {
                let starts =
                    order(&stored.low, &self.to).is_none_or(|(low, within)| low.is_lt() || (low.is_eq() && within));
                let ends = order(&stored.high, &self.from)
                    .is_none_or(|(high, within)| high.is_gt() || (high.is_eq() && within));
                starts && ends
            }
        }
    }
}
