//! The tables of units and prefixes, read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::{Dimension, Unit, parse};

/// How a value goes to base units. Factors are never zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Factor(BigRational),
    /// (value × prefix + offset) × factor.
    Offset {
        prefix: BigRational,
        offset: BigRational,
        factor: BigRational,
    },
}

impl Scale {
    pub(crate) fn base_value(&self, value: &BigRational) -> BigRational {
        match self {
            Self::Factor(factor) => value * factor,
            Self::Offset { prefix, offset, factor } => (value * prefix + offset) * factor,
        }
    }

    pub(crate) fn own_value(&self, value: &BigRational) -> BigRational {
        match self {
            Self::Factor(factor) => value / factor,
            Self::Offset { prefix, offset, factor } => (value / factor - offset) / prefix,
        }
    }
}

pub(crate) struct Atom {
    pub(crate) unit: Unit,
    pub(crate) metric: bool,
    pub(crate) in_terms: bool,
}

/// The units by their codes, and the prefixes, longest first.
pub(crate) struct Table {
    units: HashMap<&'static str, Atom>,
    prefixes: Vec<(&'static str, BigRational)>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("../data/prefixes.tsv"), include_str!("../data/units.tsv")));

impl Table {
    pub(crate) fn get() -> &'static Self {
        &TABLE
    }

    /// Reads the tables. A row that cannot be read is left out; a test checks that every row can be read.
    fn read(prefixes: &'static str, units: &'static str) -> Self {
        let mut prefixes: Vec<(&str, BigRational)> = prefixes
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(p, n)| Some((p, number(n)?)))
            .collect();
        prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        let mut table = Self { units: HashMap::new(), prefixes };
        for line in units.lines() {
            if let Some((code, atom)) = table.row(line) {
                table.units.insert(code, atom);
            }
        }
        table
    }

    fn row(&self, line: &'static str) -> Option<(&'static str, Atom)> {
        let mut columns = line.split('\t');
        let (code, metric, kind) = (columns.next()?, columns.next()? == "metric", columns.next()?);
        let (value, of) = (columns.next()?, columns.next()?);
        let unit = match kind {
            "base" | "arbitrary" | "scale" => Unit { dimension: Dimension::of(code), ..Unit::one() },
            "derived" => {
                let of = parse::with(self, of).ok()?;
                let factor = of.factor()? * number(value)?;
                Unit { scale: Scale::Factor(factor), dimension: of.dimension }
            }
            "offset" => {
                let of = parse::with(self, of).ok()?;
                let (times, offset) = value.split_once('+')?;
                let (prefix, offset) = (BigRational::one(), number(offset)?);
                let factor = of.factor()? * number(times)?;
                Unit { scale: Scale::Offset { prefix, offset, factor }, dimension: of.dimension }
            }
            _ => return None,
        };
        Some((code, Atom { unit, metric, in_terms: kind != "offset" && kind != "scale" }))
    }

    /// The unit of that code, with or without a prefix, and true if it may be part of a term.
    pub(crate) fn symbol(&self, code: &str) -> Option<(Unit, bool)> {
        if let Some(atom) = self.units.get(code) {
            return Some((atom.unit.clone(), atom.in_terms));
        }
        self.prefixes.iter().find_map(|(prefix, times)| {
            let atom = self.units.get(code.strip_prefix(prefix)?).filter(|atom| atom.metric)?;
            let scale = match &atom.unit.scale {
                Scale::Factor(factor) => Scale::Factor(factor * times),
                Scale::Offset { prefix, offset, factor } => {
                    Scale::Offset { prefix: prefix * times, offset: offset.clone(), factor: factor.clone() }
                }
            };
            Some((Unit { scale, dimension: atom.unit.dimension.clone() }, atom.in_terms))
        })
    }
}

/// A number of the tables: `0.9`, `1e-24`, `1024`.
fn number(text: &str) -> Option<BigRational> {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    let power = BigRational::from_integer(BigInt::from(10).pow(exponent.unsigned_abs()));
    let digits = BigRational::from_integer(digits);
    Some(if exponent < 0 { digits / power } else { digits * power })
}
