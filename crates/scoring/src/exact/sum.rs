//! Running sums that stay exact, cheap and bounded.

use super::decimal::Decimal;
use super::fraction::Fraction;
use super::natural::{Natural, gcd};

#[derive(Debug, Clone, Default)]
pub(crate) struct DecimalSum {
    total: Natural,
    scale: u32,
}

impl DecimalSum {
    pub(crate) fn add(&mut self, mantissa: &Natural, scale: u32) {
        if scale > self.scale {
            self.total = self.total.scaled(scale - self.scale);
            self.scale = scale;
        }
        match self.scale - scale {
            0 => self.total.add_assign(mantissa),
            power => self.total.add_assign(&mantissa.scaled(power)),
        }
    }

    pub(crate) fn total(&self) -> Decimal {
        Decimal::new(self.total.clone(), self.scale)
    }

    fn at_scale(&self, scale: u32) -> Natural {
        self.total.scaled(scale.saturating_sub(self.scale))
    }
}

/// A running sum of decimals each divided by a small denominator.
///
/// It keeps a decimal sum for each denominator and joins them only at the end. Adding costs a search among the
/// denominators seen, of which there are at most as many as there are numbers up to the largest denominator.
#[derive(Debug, Clone, Default)]
pub(crate) struct FractionSum {
    by_denominator: Vec<(u16, DecimalSum)>,
}

impl FractionSum {
    /// Adds `mantissa / 10^scale / denominator`.
    pub(crate) fn add(&mut self, mantissa: &Natural, scale: u32, denominator: u16) {
        let place = self.by_denominator.binary_search_by_key(&denominator, |(d, _)| *d);
        let index = place.unwrap_or_else(|index| {
            self.by_denominator.insert(index, (denominator, DecimalSum::default()));
            index
        });
        if let Some((_, sum)) = self.by_denominator.get_mut(index) {
            sum.add(mantissa, scale);
        }
    }

    /// The sum divided by `divisor`; `None` when the quotient is above 1 or the divisor is 0.
    pub(crate) fn divided_by(&self, divisor: &Decimal) -> Option<Fraction> {
        let scale = self.by_denominator.iter().map(|(_, sum)| sum.scale).max().unwrap_or(0);
        let mut common = Natural::ONE;
        for (denominator, _) in &self.by_denominator {
            let d = u64::from(*denominator);
            let (_, rest) = common.div_rem(d);
            let shared = gcd(u128::from(d), u128::from(rest));
            let factor = u128::from(d).checked_div(shared).unwrap_or(1);
            common = common.mul(&Natural::Small(factor));
        }
        let mut numerator = Natural::ZERO;
        for (denominator, sum) in &self.by_denominator {
            let (factor, _) = common.div_rem(u64::from(*denominator));
            numerator.add_assign(&sum.at_scale(scale).mul(&factor));
        }
        // (numerator / common / 10^scale) / (mantissa / 10^divisor.scale)
        let shared = scale.min(divisor.scale);
        let numerator = numerator.scaled(divisor.scale - shared);
        let denominator = common.mul(&divisor.mantissa).scaled(scale - shared);
        Fraction::new(numerator, denominator)
    }
}
