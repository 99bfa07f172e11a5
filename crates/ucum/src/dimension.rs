//! Dimensions: the powers of base units that a unit measures.

use std::collections::BTreeMap;
use std::fmt;

/// Powers of the base units, arbitrary units and special scales that a unit is made of. Units with the same dimension
/// are comparable. Its text is a UCUM unit: `g.m-1.s-2`, or `1`.
///
/// ```
/// use candor_ucum::Unit;
/// let (speed, time) = (Unit::parse("km/h").unwrap(), Unit::parse("min").unwrap());
/// let distance = speed.dimension().times(time.dimension(), 1).unwrap();
/// assert_eq!(&distance, Unit::parse("[mi_i]").unwrap().dimension());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension {
    /// Never a power of zero, so that equal dimensions are equal values.
    powers: BTreeMap<&'static str, i32>,
}

impl Dimension {
    pub(crate) fn of(code: &'static str) -> Self {
        Self { powers: BTreeMap::from([(code, 1)]) }
    }

    /// True for the dimension of a mere number.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.powers.is_empty()
    }

    pub(crate) fn greatest_power(&self) -> u32 {
        self.powers.values().map(|power| power.unsigned_abs()).max().unwrap_or(0)
    }

    /// This dimension times another one to a power: 1 multiplies, -1 divides. `None` when a power leaves 32 bits.
    #[must_use]
    pub fn times(&self, other: &Self, power: i32) -> Option<Self> {
        let mut powers = self.powers.clone();
        for (&code, &of) in &other.powers {
            let sum = of.checked_mul(power)?.checked_add(powers.get(code).copied().unwrap_or(0))?;
            if sum == 0 {
                powers.remove(code);
            } else {
                powers.insert(code, sum);
            }
        }
        Some(Self { powers })
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.powers.is_empty() {
            return f.write_str("1");
        }
        for (index, (code, power)) in self.powers.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match power {
                1 => write!(f, "{dot}{code}")?,
                power => write!(f, "{dot}{code}{power}")?,
            }
        }
        Ok(())
    }
}
