//! The zone in which days are days.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

use super::date::offset_minutes;
use crate::settings::nearest;

/// A time zone: a name of the IANA database, or an offset from UTC.
///
/// The database is the one that is built into the program, so that a verdict does not depend on the machine.
///
/// ```
/// use candor_check::compare::Zone;
/// assert!(Zone::named("America/New_York").is_ok() && Zone::named("+05:30").is_ok());
/// assert!(Zone::named("America/NewYork").unwrap_err().ends_with("did you mean `America/New_York`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of that name or offset (`Europe/Berlin`, `-05:00`, `-0500`, `Z`).
    ///
    /// # Errors
    /// A sentence that names the nearest zone, if one is near.
    pub fn named(text: &str) -> Result<Self, String> {
        if let Some(minutes) = offset_minutes(text) {
            let offset = i32::try_from(minutes * 60).ok().and_then(|seconds| Offset::from_seconds(seconds).ok());
            return offset.map(|offset| Self(offset.to_time_zone())).ok_or_else(|| format!("`{text}` is not a zone"));
        }
        let database = TimeZoneDatabase::bundled();
        if let Ok(zone) = database.get(text) {
            return Ok(Self(zone));
        }
        let names: Vec<String> = database.available().map(|name| name.as_str().to_owned()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Err(match nearest(text, &names) {
            Some(near) => format!("`{text}` is not a zone; did you mean `{near}`?"),
            None => format!(
                "`{text}` is not a zone; expected a name of the IANA database such as `America/New_York`, or an offset such as `-05:00`"
            ),
        })
    }

    /// How far the clocks of the zone are ahead of UTC at an instant, both in nanoseconds.
    pub(super) fn ahead(&self, instant: i128) -> i128 {
        let limit = if instant < 0 { Timestamp::MIN } else { Timestamp::MAX };
        let instant = Timestamp::from_nanosecond(instant).unwrap_or(limit);
        i128::from(self.0.to_offset(instant).seconds()) * 1_000_000_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_offsets_are_zones() {
        let hour = 3_600_000_000_000;
        // 2026-07-01 and 2026-01-01, both at midnight in UTC.
        let (summer, winter) = (1_782_864_000_000_000_000, 1_767_225_600_000_000_000);
        for (name, in_summer, in_winter) in [
            ("America/New_York", -4 * hour, -5 * hour),
            ("europe/berlin", 2 * hour, hour),
            ("Asia/Kolkata", 11 * hour / 2, 11 * hour / 2),
            ("UTC", 0, 0),
            ("Z", 0, 0),
            ("+05:30", 11 * hour / 2, 11 * hour / 2),
            ("-0500", -5 * hour, -5 * hour),
        ] {
            let zone = Zone::named(name).unwrap();
            assert_eq!((zone.ahead(summer), zone.ahead(winter)), (in_summer, in_winter), "{name}");
        }
        assert_eq!(Zone::named("UTC").unwrap().ahead(i128::MAX), 0);
    }

    #[test]
    fn other_text_is_not_a_zone() {
        for (text, meant) in [
            ("Europe/Berln", "did you mean `Europe/Berlin`?"),
            ("America/NewYork", "did you mean `America/New_York`?"),
            ("", "expected a name"),
            ("+25:00", "expected a name"),
            ("somewhere over the rainbow", "expected a name"),
            ("../../etc/passwd", "expected a name"),
        ] {
            let error = Zone::named(text).unwrap_err();
            assert!(error.contains(meant), "{error}");
        }
    }
}
