//! A field assertion: what it is worth whatever value its path selects.

use candor_json::Value;

use super::{Weakness, WeaknessKind, matches_anything};
use crate::compare::{CompareAs, Date, DateForm, Decimal, Precision, References, Ternary, applied};
use crate::field::{Expected, Field, Quantifier, ReadFrom, Selection};

/// The outcome of a comparison, whatever a value that is there holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Always {
    Holds,
    Fails,
}

impl<P> Field<P> {
    /// True if it passes where its path selects nothing: `absent: pass`, `empty`, `expected: null`, a count that allows 0.
    #[must_use]
    pub fn passes_on_absence(&self) -> bool {
        let references = References::default();
        let nowhere = ReadFrom { locator: "", span: None, references: &references };
        self.evaluate_dated(Selection::default(), nowhere, &[]).passed
    }

    /// Returns `true` if it compares a date as text: without `as`, with a text that is a date to the day.
    #[must_use]
    pub fn compares_date_as_text(&self) -> bool {
        let expected = match &self.expected {
            Expected::Equals(value) | Expected::NotEquals(value) => std::slice::from_ref(value),
            Expected::In(values) | Expected::NotIn(values) => values,
            _ => &[],
        };
        let day = |text: &str, form| Date::parse(text, form).is_some_and(|date| date.precision() >= Precision::Day);
        let is_date = |text: &str| day(text, DateForm::Iso) || day(text, DateForm::Hl7);
        self.read_as.is_none() && expected.iter().filter_map(Value::as_str).any(is_date)
    }

    /// A comparison that every value passes, or none; `place` is the field's in its assertion.
    pub(super) fn weakness(&self, place: &str) -> Option<Weakness> {
        if let Expected::Count(count) = &self.expected {
            let any = count.allows(0) && count.allows(u64::MAX);
            let message = format!("any number of `{}` is right; write how many there must be", self.path_text);
            return any.then(|| Weakness::new(WeaknessKind::AlwaysHolds, format!("{place}.expected"), message));
        }
        let path = &self.path_text;
        let (always, what) = self.always()?;
        let (kind, message) = match (self.quantifier, always) {
            (Quantifier::Any | Quantifier::All, Always::Holds) => {
                let advice = "write what it must hold, or `op: notEmpty` where it only has to be there";
                (WeaknessKind::AlwaysHolds, format!("{what}, so `{path}` passes whatever it holds; {advice}"))
            }
            (Quantifier::None, Always::Fails) => {
                let message = format!("{what}, so with `quantifier: none` `{path}` passes whatever it holds");
                (WeaknessKind::AlwaysHolds, format!("{message}; write what it must not hold"))
            }
            (Quantifier::Any | Quantifier::All | Quantifier::ExactlyOne, Always::Fails)
            | (Quantifier::None, Always::Holds)
                if !self.passes_on_absence() =>
            {
                (WeaknessKind::NeverHolds, format!("{what}, so `{path}` can never pass; write what it must hold"))
            }
            _ => return None,
        };
        Some(Weakness::new(kind, format!("{place}.expected"), message))
    }

    fn always(&self) -> Option<(Always, String)> {
        let under_rules = |part: &str| applied(&self.rules, part, &References::default()).is_empty();
        match &self.expected {
            Expected::Matches(_) => {
                let written = self.expected_value.as_str().filter(|written| matches_anything(written))?;
                Some((Always::Holds, format!("`{written}` matches every text")))
            }
            Expected::Contains(part) if under_rules(part) => {
                Some((Always::Holds, "every text contains the empty text".to_owned()))
            }
            Expected::NotContains(part) if under_rules(part) => {
                Some((Always::Fails, "every text contains the empty text".to_owned()))
            }
            Expected::NotIn(items) if items.is_empty() => {
                Some((Always::Holds, "nothing is in an empty list".to_owned()))
            }
            Expected::In(items) if items.is_empty() => Some((Always::Fails, "nothing is in an empty list".to_owned())),
            Expected::Between(low, high) if reversed(low, high, self.read_as) => {
                Some((Always::Fails, format!("nothing lies between {low} and {high}, in this order")))
            }
            _ => None,
        }
    }
}

fn reversed(low: &Value, high: &Value, read_as: Option<CompareAs>) -> bool {
    let number = |value: &Value| Decimal::json(&value.as_number()?.to_string())?.to_fraction();
    let date = |value: &Value| {
        let text = value.as_str().filter(|_| read_as != Some(CompareAs::Number))?;
        Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7))
    };
    number(low).zip(number(high)).is_some_and(|(low, high)| low > high)
        || date(low).zip(date(high)).is_some_and(|(low, high)| high.before(&low) == Ternary::Yes)
}
