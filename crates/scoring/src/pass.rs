//! When the verdict on a task is `pass`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::exact::{Decimal, Natural};
use crate::{Fraction, Verdict};

/// The member `pass` of a task: which score, or which criteria, make its verdict `pass`.
///
/// ```
/// use candor_scoring::{Fraction, PassRule, Verdict};
/// let rule: PassRule = "0.8".parse().unwrap();
/// assert_eq!(rule.verdict(&Fraction::of(4, 5).unwrap(), false), Verdict::Pass);
/// let all: PassRule = "all".parse().unwrap();
/// assert_eq!(all.verdict(&Fraction::of(99, 100).unwrap(), false), Verdict::Partial);
/// assert_eq!(PassRule::default().to_string(), "0.9");
/// assert!("0".parse::<PassRule>().is_err() && "1.1".parse::<PassRule>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PassRule(Rule);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Rule {
    /// Every criterion of weight above 0 passed.
    All,
    /// The score is this or more: above 0, and at most 1.
    Threshold(Decimal),
}

impl PassRule {
    /// Every criterion whose weight is above 0 passed.
    pub const ALL: PassRule = PassRule(Rule::All);

    /// The values that a task may have.
    pub const EXPECTED: &'static str = "`all`, or a number above 0 and up to 1";

    /// The verdict that a score earns. `all_passed`: every criterion of weight above 0 passed.
    pub fn verdict(&self, score: &Fraction, all_passed: bool) -> Verdict {
        let reached = match &self.0 {
            Rule::All => all_passed,
            Rule::Threshold(threshold) => *score >= fraction(threshold),
        };
        match *score > Fraction::ZERO {
            true if reached => Verdict::Pass,
            true => Verdict::Partial,
            false => Verdict::Fail,
        }
    }

    /// True if every criterion of weight above 0 must pass.
    pub fn is_all(&self) -> bool {
        self.0 == Rule::All
    }

    /// True if this is the rule of a task that does not name a rule.
    pub fn is_default(&self) -> bool {
        *self == PassRule::default()
    }

    /// The most weight that a pass may miss where all weight is `whole`, in units of `10^-scale()` of it.
    pub(crate) fn slack(&self, whole: &Natural) -> Natural {
        let Rule::Threshold(threshold) = &self.0 else { return Natural::ZERO };
        let missing = Natural::ONE.scaled(threshold.scale).checked_sub(&threshold.mantissa).unwrap_or(Natural::ZERO);
        whole.mul(&missing)
    }

    pub(crate) fn scale(&self) -> u32 {
        match &self.0 {
            Rule::All => 0,
            Rule::Threshold(threshold) => threshold.scale,
        }
    }
}

fn fraction(threshold: &Decimal) -> Fraction {
    let one = Natural::ONE.scaled(threshold.scale);
    Fraction::new(threshold.mantissa.clone(), one).unwrap_or(Fraction::ONE)
}

impl Default for PassRule {
    /// The threshold 9/10.
    fn default() -> Self {
        PassRule(Rule::Threshold(Decimal::new(Natural::Small(9), 1)))
    }
}

/// Not a rule for a pass: neither `all` nor a number above 0 and up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPassRule;

impl fmt::Display for NotAPassRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", PassRule::EXPECTED)
    }
}

impl std::error::Error for NotAPassRule {}

impl FromStr for PassRule {
    type Err = NotAPassRule;

    /// Reads `all` or the text of a JSON number.
    ///
    /// # Errors
    /// When it is neither, or the number is 0 or above 1.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" {
            return Ok(PassRule::ALL);
        }
        let threshold: Decimal = text.parse().map_err(|_| NotAPassRule)?;
        let within = !threshold.mantissa.is_zero() && threshold.mantissa <= Natural::ONE.scaled(threshold.scale);
        within.then_some(PassRule(Rule::Threshold(threshold))).ok_or(NotAPassRule)
    }
}

impl fmt::Display for PassRule {
    /// `all`, or the threshold as a JSON number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Rule::All => f.write_str("all"),
            Rule::Threshold(threshold) => threshold.fmt(f),
        }
    }
}

impl Serialize for PassRule {
    /// Writes `"all"`, or the exact threshold as a JSON number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Rule::All => serializer.serialize_str("all"),
            Rule::Threshold(threshold) => {
                let number = candor_json::Number::from_str(&threshold.to_string());
                number.map_err(serde::ser::Error::custom)?.serialize(serializer)
            }
        }
    }
}
