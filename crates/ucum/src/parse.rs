//! From text to a unit: recursive descent with bounded depth, bounded length and bounded numbers.
//!
//! Source: The UCUM Specification 2.2, sections 2 to 12 and the grammar of section 5.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::table::{Scale, Table};
use crate::{Dimension, ParseError, Unit};

/// The deepest nesting of parentheses.
const MAX_DEPTH: usize = 32;
/// The greatest size of a numerator or denominator.
const MAX_BITS: u64 = 1024;
/// The greatest power, of what is read and of what comes of it.
const MAX_POWER: i32 = 999;

pub(crate) fn unit(text: &str) -> Result<Unit, ParseError> {
    with(Table::get(), text)
}

/// Reads a unit by a table; the table reads its own rows with this.
pub(crate) fn with(table: &Table, text: &str) -> Result<Unit, ParseError> {
    if text.is_empty() {
        return Err(ParseError::Empty);
    }
    if text.len() > Unit::MAX_LENGTH {
        return Err(ParseError::TooLong);
    }
    let mut parser = Parser { table, text, at: 0 };
    let term = parser.term(0)?;
    if parser.at < text.len() {
        return Err(ParseError::Unexpected { at: parser.at });
    }
    match term.special {
        Some((at, code)) if term.components > 1 => Err(ParseError::SpecialInTerm { at, code }),
        _ => Ok(term.unit),
    }
}

struct Term {
    unit: Unit,
    /// The number of numbers and units in it; annotations do not count.
    components: usize,
    /// A unit that must be the only one, with the byte it begins at.
    special: Option<(usize, String)>,
}

struct Parser<'a> {
    table: &'a Table,
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, c: char) -> bool {
        let there = self.rest().starts_with(c);
        if there {
            self.at += c.len_utf8();
        }
        there
    }

    /// `/a.b/c`, from left to right: `a/b.c` is (a/b).c.
    fn term(&mut self, depth: usize) -> Result<Term, ParseError> {
        let mut so_far = Term { unit: Unit::one(), components: 0, special: None };
        let mut divide = self.skip('/');
        if divide {
            so_far.components = 1;
        }
        loop {
            let at = self.at;
            let next = self.component(depth)?;
            so_far = so_far.times(next, if divide { -1 } else { 1 }, at)?;
            divide = if self.skip('.') {
                false
            } else if self.skip('/') {
                true
            } else {
                return Ok(so_far);
            };
        }
    }

    fn component(&mut self, depth: usize) -> Result<Term, ParseError> {
        let start = self.at;
        let mut term = Term { unit: Unit::one(), components: 0, special: None };
        if self.skip('(') {
            if depth >= MAX_DEPTH {
                return Err(ParseError::TooLarge { at: start });
            }
            term = self.term(depth + 1)?;
            if !self.skip(')') {
                return Err(ParseError::Unexpected { at: self.at });
            }
        } else if !self.rest().starts_with('{') {
            term = self.simple()?;
        }
        if self.skip('{') {
            match self.rest().find(['{', '}']) {
                Some(end) if self.rest().get(end..).is_some_and(|rest| rest.starts_with('}')) => self.at += end + 1,
                Some(end) => return Err(ParseError::Unexpected { at: self.at + end }),
                None => return Err(ParseError::Unexpected { at: self.text.len() }),
            }
        }
        Ok(term)
    }

    /// A number, or a unit with its exponent.
    fn simple(&mut self) -> Result<Term, ParseError> {
        let start = self.at;
        let run = self.run();
        if run.is_empty() {
            return Err(ParseError::Unexpected { at: start });
        }
        if run.bytes().all(|b| b.is_ascii_digit()) {
            let number =
                BigRational::from_integer(run.parse::<BigInt>().map_err(|_| ParseError::Unexpected { at: start })?);
            if number.is_zero() {
                return Err(ParseError::Unexpected { at: start });
            }
            let unit = bounded(number, Dimension::default(), start)?;
            self.at += run.len();
            return Ok(Term { unit, components: 1, special: None });
        }
        let (code, exponent) = split_exponent(run);
        let power = match exponent {
            "" => 1,
            digits => match digits.parse::<i32>() {
                Ok(power) if power.unsigned_abs() <= MAX_POWER.unsigned_abs() => power,
                _ => return Err(ParseError::TooLarge { at: start }),
            },
        };
        let unknown = || ParseError::Unknown { at: start, code: code.to_owned() };
        let (unit, in_terms) = self.table.symbol(code).ok_or_else(unknown)?;
        let special = (!in_terms).then(|| (start, code.to_owned()));
        let length = run.len();
        let term = match (special, power) {
            (Some((at, code)), power) if power != 1 => return Err(ParseError::SpecialInTerm { at, code }),
            (special @ Some(_), _) => Term { unit, components: 1, special },
            (None, power) => Term { unit: raised(&unit, power, start)?, components: 1, special: None },
        };
        self.at += length;
        Ok(term)
    }

    /// The text up to an operator, a parenthesis or an annotation; text in square brackets belongs together.
    fn run(&self) -> &str {
        let mut bracketed = false;
        let end = self.rest().find(|c: char| {
            match c {
                '[' => bracketed = true,
                ']' => bracketed = false,
                _ => {}
            }
            !bracketed && matches!(c, '.' | '/' | '(' | ')' | '{' | '}')
        });
        self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default()
    }
}

impl Term {
    fn times(self, next: Self, power: i32, at: usize) -> Result<Self, ParseError> {
        let components = self.components.saturating_add(next.components);
        let special = self.special.or(next.special);
        let unit = match (components, &special) {
            // An annotation before or after it changes nothing.
            (1, Some(_)) if self.components == 0 && power == 1 => next.unit,
            (1, Some(_)) if next.components == 0 => self.unit,
            (_, Some((at, code))) => return Err(ParseError::SpecialInTerm { at: *at, code: code.clone() }),
            (_, None) => {
                let next = raised(&next.unit, power, at)?;
                let factor = match (&self.unit.scale, &next.scale) {
                    (Scale::Factor(a), Scale::Factor(b)) => a * b,
                    _ => return Err(ParseError::Unexpected { at }),
                };
                let dimension = self.unit.dimension.times(&next.dimension, 1).ok_or(ParseError::TooLarge { at })?;
                bounded(factor, dimension, at)?
            }
        };
        Ok(Self { unit, components, special })
    }
}

/// `m2` → `m`, `2`; `s-1` → `s`, `-1`; `10*-3` → `10*`, `-3`.
fn split_exponent(run: &str) -> (&str, &str) {
    if run.starts_with("10*") || run.starts_with("10^") {
        return run.split_at(3);
    }
    let code = run.trim_end_matches(|c: char| c.is_ascii_digit());
    match code.strip_suffix(['+', '-']) {
        Some(code_alone) if code.len() < run.len() => run.split_at(code_alone.len()),
        _ => run.split_at(code.len()),
    }
}

fn raised(unit: &Unit, power: i32, at: usize) -> Result<Unit, ParseError> {
    let Scale::Factor(factor) = &unit.scale else { return Err(ParseError::Unexpected { at }) };
    if power == 1 {
        return Ok(unit.clone());
    }
    let size = bits(factor).saturating_mul(u64::from(power.unsigned_abs()));
    // 1 stays 1, whatever the power.
    if size > MAX_BITS && !factor.is_one() {
        return Err(ParseError::TooLarge { at });
    }
    let dimension = Dimension::default().times(&unit.dimension, power).ok_or(ParseError::TooLarge { at })?;
    bounded(factor.pow(power), dimension, at)
}

fn bits(number: &BigRational) -> u64 {
    number.numer().bits().max(number.denom().bits())
}

fn bounded(factor: BigRational, dimension: Dimension, at: usize) -> Result<Unit, ParseError> {
    if bits(&factor) > MAX_BITS || dimension.greatest_power() > MAX_POWER.unsigned_abs() {
        return Err(ParseError::TooLarge { at });
    }
    Ok(Unit { scale: Scale::Factor(factor), dimension })
}
