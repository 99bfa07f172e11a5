//! Quantity parameters. Source: FHIR R4, Search, 3.1.1.4.13.

use std::borrow::Cow;

use candor_json::Value;

use crate::number::{Comparison, Interval, Point, number};
use crate::text;

/// The system of Money's currencies.
const CURRENCIES: &str = "urn:iso:std:iso:4217";

#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    comparison: Comparison,
    unit: Unit,
}

#[derive(Clone, Debug)]
enum Unit {
    /// `number`
    Any,
    /// `number||code`: the code of a unit, or its text.
    Code(String),
    /// `number|system|code`
    SystemCode(String, String),
}

/// The quantity in an element, as written. Elements with the same content are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stored {
    low: Option<String>,
    high: Option<String>,
    comparator: Option<String>,
    system: Option<String>,
    code: Option<String>,
    unit: Option<String>,
}

impl Quantity {
    /// Reads `[prefix]number`, `[prefix]number|system|code` or `[prefix]number||code`.
    pub(crate) fn parse(escaped: &str) -> Result<Self, Cow<'static, str>> {
        let parts: Vec<&str> = text::split(escaped, '|').collect();
        let plain = |part: &str| text::unescape(part).into_owned();
        let (number, unit) = match parts.as_slice() {
            [number] => (number, Unit::Any),
            [number, "", code] if !code.is_empty() => (number, Unit::Code(plain(code))),
            [number, system, code] if !system.is_empty() && !code.is_empty() => {
                (number, Unit::SystemCode(plain(system), plain(code)))
            }
            _ => return Err("a quantity is `number`, `number|system|code` or `number||code`".into()),
        };
        let comparison = Comparison::parse(number)?;
        if let Unit::SystemCode(system, code) = &unit
            && system == candor_ucum::SYSTEM
            && candor_ucum::Unit::parse(code).is_err()
        {
            return Err(format!("`{code}` is not a UCUM unit").into());
        }
        Ok(Self { comparison, unit })
    }

    pub(crate) fn finds(&self, stored: &Stored, interval: &Interval) -> bool {
        self.beside(stored).is_some_and(|comparison| comparison.finds(interval))
    }

    /// The wanted comparison, in the unit of the stored quantity; `None` where the units cannot be compared.
    pub(crate) fn beside(&self, stored: &Stored) -> Option<Cow<'_, Comparison>> {
        let same = match &self.unit {
            Unit::Any => true,
            Unit::Code(code) => stored.code.as_ref() == Some(code) || stored.unit.as_ref() == Some(code),
            Unit::SystemCode(system, code) => {
                if stored.system.as_ref() != Some(system) {
                    return None;
                }
                if stored.code.as_ref() != Some(code) {
                    let to = stored.code.as_deref().filter(|_| system == candor_ucum::SYSTEM)?;
                    let converted = self.comparison.converted(|value| candor_ucum::convert(value, code, to).ok());
                    return converted.map(Cow::Owned);
                }
                true
            }
        };
        same.then_some(Cow::Borrowed(&self.comparison))
    }
}

impl Stored {
    /// Reads a number, a Quantity (an Age, a Duration, …), Money or a Range. A SampledData is a series, not a quantity.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
        if value.is_number() {
            let number = number(value);
            return Some(Self { low: number.clone(), high: number, ..Self::default() });
        }
        let end = |name: &str| value.get(name).filter(|end| end.get("value").is_some_and(Value::is_number));
        let amount = |end: Option<&Value>| end.and_then(|end| end.get("value")).and_then(number);
        let unit_of = |of: &Value| Self {
            system: text(of, "system"),
            code: text(of, "code"),
            unit: text(of, "unit"),
            ..Self::default()
        };
        let (low, high) = (end("low"), end("high"));
        if let Some(either) = low.or(high) {
            let unit = unit_of(either);
            // Two limits in different units are not an interval of numbers.
            if let (Some(low), Some(high)) = (low, high)
                && unit_of(low) != unit_of(high)
            {
                return None;
            }
            return Some(Self { low: amount(low), high: amount(high), ..unit });
        }
        let amount = value.get("value").and_then(number)?;
        let unit = match text(value, "currency") {
            Some(currency) => Self { system: Some(CURRENCIES.to_owned()), code: Some(currency), ..Self::default() },
            None => Self { comparator: text(value, "comparator"), ..unit_of(value) },
        };
        Some(Self { low: Some(amount.clone()), high: Some(amount), ..unit })
    }

    /// True if two have the same unit, so that a comparison with one is in the unit of the other.
    pub(crate) fn is_in_unit_of(&self, other: &Self) -> bool {
        (&self.system, &self.code, &self.unit) == (&other.system, &other.code, &other.unit)
    }

    pub(crate) fn interval(&self) -> Option<Interval> {
        if self.comparator.is_some() || self.low == self.high {
            let number: Value = candor_json::from_str(self.low.as_deref()?).ok()?;
            return Interval::of(&number, self.comparator.as_deref());
        }
        let end = |text: &Option<String>| match text {
            None => Some(None),
            Some(text) => Point::parse(text).map(|(point, _)| Some((point, true))),
        };
        Some(Interval { low: end(&self.low)?, high: end(&self.high)? })
    }
}
