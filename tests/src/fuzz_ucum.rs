//! The body of the UCUM fuzz target: any text, and the properties that it must have as a unit.

use candor_ucum::Unit;
use num_rational::BigRational;

/// Reads a text as a unit: what is read converts there and back, and its dimension is a unit that is comparable with it.
///
/// # Panics
/// When one of these does not hold.
pub fn ucum(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(unit) = Unit::parse(text) else { return };
    let value = BigRational::new((-1234).into(), 100.into());
    let canonical = unit.canonical(&value);
    assert_eq!(unit.value_of(&canonical), Some(value), "does not convert back");
    let dimension = Unit::parse(&canonical.dimension.to_string()).expect("the text of a dimension is a unit");
    assert!(dimension.is_comparable(&unit), "the dimension is another one");
    assert_eq!(dimension.value_of(&canonical), Some(canonical.value.clone()), "the dimension is no base unit");
}
