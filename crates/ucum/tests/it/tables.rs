//! The tables of units and prefixes.

#![expect(clippy::unwrap_used, reason = "the numbers are those of the tables")]

use std::collections::HashMap;

use candor_ucum::Unit;
use num_bigint::BigInt;
use num_rational::BigRational;

const UNITS: &str = include_str!("../../data/units.tsv");
const PREFIXES: &str = include_str!("../../data/prefixes.tsv");

/// `0.9`, `1e-24`, `1024`.
fn number(text: &str) -> BigRational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = BigRational::from_integer(format!("{whole}{fraction}").parse::<BigInt>().unwrap());
    let exponent = exponent.parse::<i32>().unwrap() - i32::try_from(fraction.len()).unwrap();
    let power = BigRational::from_integer(BigInt::from(10).pow(exponent.unsigned_abs()));
    if exponent < 0 { digits / power } else { digits * power }
}

#[test]
fn every_row_is_read() {
    let one = BigRational::from_integer(BigInt::from(1));
    for line in UNITS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let (code, kind, value) = (columns[0], columns[2], columns[3]);
        let unit = Unit::parse(code).unwrap_or_else(|error| panic!("{code}: {error}"));
        let of = || Unit::parse(columns[4]).unwrap();
        match kind {
            "derived" => {
                assert_eq!(unit.factor(), Some(&(of().factor().unwrap() * number(value))), "{line}");
                assert_eq!(unit.dimension(), of().dimension(), "{line}");
            }
            "offset" => {
                let (times, offset) = value.split_once('+').unwrap();
                let base = (&one + number(offset)) * number(times) * of().factor().unwrap();
                assert_eq!(unit.canonical(&one).value, base, "{line}");
                assert_eq!(unit.dimension(), of().dimension(), "{line}");
            }
            _ => {
                assert_eq!(unit.factor(), Some(&one), "{line}");
                assert_eq!(unit.dimension().to_string(), code);
            }
        }
    }
    let codes: HashMap<&str, &str> = UNITS.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(codes.len(), UNITS.lines().count(), "two rows have the same code");
    assert!(codes.len() > 300);
    assert_eq!(PREFIXES.lines().count(), 24);
    for (prefix, times) in PREFIXES.lines().map(|line| line.split_once('\t').unwrap()) {
        assert_eq!(Unit::parse(&format!("{prefix}m")).unwrap().factor(), Some(&number(times)), "{prefix}");
    }
}

#[test]
fn no_prefixed_unit_can_be_read_in_two_ways() {
    let is_metric = |row: &str| row.starts_with("metric\t");
    let units: HashMap<&str, &str> = UNITS.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let prefixes: Vec<&str> = PREFIXES.lines().map(|line| line.split_once('\t').unwrap().0).collect();
    for (code, _) in units.iter().filter(|(_, row)| is_metric(row)) {
        for prefix in &prefixes {
            let whole = format!("{prefix}{code}");
            let ways = prefixes.iter().filter(|&&prefix| {
                whole.strip_prefix(prefix).and_then(|rest| units.get(rest)).is_some_and(|row| is_metric(row))
            });
            assert!(units.contains_key(whole.as_str()) || ways.count() == 1, "{whole}");
        }
    }
}
