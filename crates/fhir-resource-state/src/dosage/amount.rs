//! How much: numbers with units, by what they mean.

use std::cmp::Ordering;
use std::sync::LazyLock;

use candor_check::compare::Decimal;
use candor_json::Value;
use candor_ucum::{SYSTEM, Unit};
use num_rational::BigRational;

#[derive(Clone, Debug)]
pub(crate) struct Amount {
    number: BigRational,
    /// A UCUM unit, or `form:tablet` for what is counted.
    unit: String,
}

static UNITS: LazyLock<Vec<(&'static str, Vec<&'static str>)>> = LazyLock::new(|| {
    let rows = super::rows(include_str!("units.txt"));
    rows.filter_map(|row| match row.as_slice() {
        [unit, names] => Some((*unit, names.split(' ').collect())),
        _ => None,
    })
    .collect()
});

/// A unit by the table, else by UCUM.
fn unit(text: &str) -> Option<String> {
    let text = text.trim();
    let known = Amount::named_unit(text).map(str::to_owned);
    known.or_else(|| Unit::parse(text).ok().map(|_| text.to_owned()))
}

pub(crate) fn names() -> Vec<&'static str> {
    UNITS.iter().flat_map(|(_, names)| names.iter().copied()).collect()
}

impl Amount {
    /// A number with a unit, as an author writes it: `40 mg`.
    ///
    /// # Errors
    /// The unit that is unknown, or nothing where the text has no number or no unit.
    pub(crate) fn parse(text: &str) -> Result<Self, Option<&str>> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, written) = text.split_at(end);
        let number = Decimal::plain(number).and_then(|number| number.to_fraction()).ok_or(None)?;
        let written = written.trim();
        if written.is_empty() {
            return Err(None);
        }
        Ok(Self { number, unit: unit(written).ok_or(Some(written))? })
    }

    pub(crate) fn of_quantity(quantity: &Value) -> Option<Self> {
        let text = |name: &str| quantity.get(name).and_then(Value::as_str);
        let Value::Number(number) = quantity.get("value")? else { return None };
        let number = Decimal::json(&number.to_string())?.to_fraction()?;
        if text("comparator").is_some() {
            return None;
        }
        let of_code = || {
            let is_ucum = text("system").is_none_or(|system| system == SYSTEM);
            text("code").filter(|_| is_ucum).and_then(unit)
        };
        let unit = text("unit").and_then(unit).filter(|unit| unit.starts_with("form:")).or_else(of_code);
        let unit = unit.or_else(|| text("unit").and_then(self::unit)).or_else(|| text("code").and_then(self::unit))?;
        Some(Self { number, unit })
    }

    /// A number and the name of a unit by the table.
    pub(crate) fn of(number: &str, unit: &str) -> Option<Self> {
        let number = Decimal::plain(number)?.to_fraction()?;
        Some(Self { number, unit: unit.to_owned() })
    }

    /// The unit that a text names; those of UCUM alone are left out, since a unit of one letter is a word as often.
    pub(crate) fn named_unit(text: &str) -> Option<&'static str> {
        UNITS.iter().find(|(_, names)| names.iter().any(|name| name.eq_ignore_ascii_case(text))).map(|(unit, _)| *unit)
    }

    /// Is it a number of tablets or puffs?
    pub(crate) fn is_counted(&self) -> bool {
        self.unit.starts_with("form:")
    }

    pub(crate) fn is_patch(&self) -> bool {
        self.unit == "form:patch"
    }

    pub(crate) fn times(&self, count: &Self) -> Self {
        Self { number: &self.number * &count.number, unit: self.unit.clone() }
    }

    /// Compares two amounts; `None` if they measure different things.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.is_counted() || other.is_counted() || self.unit == other.unit {
            return (self.unit == other.unit).then(|| self.number.cmp(&other.number));
        }
        candor_ucum::compare(&self.number, &self.unit, &other.number, &other.unit).ok()
    }
}
