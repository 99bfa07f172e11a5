//! The calendar words that FHIRPath and CQL write in place of units.

/// The UCUM unit of a calendar word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The nearest UCUM unit.
    pub unit: &'static str,
    /// True if the word and the unit are the same amount: seconds and milliseconds only, since a calendar year, month,
    /// week, day, hour or minute is not a fixed number of seconds.
    pub definite: bool,
}

/// The UCUM unit of a calendar word, singular or plural. Source: FHIRPath 2.0, 4.1.8 (time-valued quantities).
///
/// ```
/// assert_eq!(candor_ucum::calendar("months").unwrap().unit, "mo");
/// assert!(candor_ucum::calendar("second").unwrap().definite);
/// assert_eq!(candor_ucum::calendar("mo"), None);
/// ```
#[must_use]
pub fn calendar(word: &str) -> Option<Calendar> {
    let (unit, definite) = match word.strip_suffix('s').unwrap_or(word) {
        "year" => ("a", false),
        "month" => ("mo", false),
        "week" => ("wk", false),
        "day" => ("d", false),
        "hour" => ("h", false),
        "minute" => ("min", false),
        "second" => ("s", true),
        "millisecond" => ("ms", true),
        _ => return None,
    };
    Some(Calendar { unit, definite })
}
