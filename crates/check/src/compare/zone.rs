//! The zone in which days are days.

use super::date::offset_minutes;

/// A time zone: a name of the IANA database, or an offset from UTC.
///
/// The database is the one that is built into the program, so that a verdict does not depend on the machine. Names need the
/// feature `zones`, which the engine and the list of checks bring; offsets need none.
///
/// ```
/// use candor_check::compare::Zone;
/// assert!(Zone::named("+05:30").is_ok() && Zone::named("Z").is_ok());
/// # #[cfg(feature = "zones")]
/// assert!(Zone::named("America/NewYork").unwrap_err().ends_with("did you mean `America/New_York`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(Clock);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Clock {
    /// Ahead of UTC by this many minutes.
    Fixed(i128),
    #[cfg(feature = "zones")]
    Named(jiff::tz::TimeZone),
}

const MINUTE: i128 = 60_000_000_000;

impl Zone {
    /// The zone of that name or offset (`Europe/Berlin`, `-05:00`, `-0500`, `Z`).
    ///
    /// # Errors
    /// A sentence that names the nearest zone, if one is near.
    pub fn named(text: &str) -> Result<Self, String> {
        match offset_minutes(text) {
            Some(minutes) => Ok(Self(Clock::Fixed(minutes.into()))),
            None => named(text),
        }
    }

    /// How far the clocks of the zone are ahead of UTC at an instant, both in nanoseconds.
    #[cfg_attr(not(feature = "zones"), expect(unused_variables, reason = "an offset is the same at every instant"))]
    #[must_use]
    pub fn ahead(&self, instant: i128) -> i128 {
        match &self.0 {
            Clock::Fixed(minutes) => minutes * MINUTE,
            #[cfg(feature = "zones")]
            Clock::Named(zone) => {
                let limit = if instant < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
                let instant = jiff::Timestamp::from_nanosecond(instant).unwrap_or(limit);
                i128::from(zone.to_offset(instant).seconds()) * 1_000_000_000
            }
        }
    }
}

#[cfg(feature = "zones")]
fn named(text: &str) -> Result<Zone, String> {
    let database = jiff::tz::TimeZoneDatabase::bundled();
    if let Ok(zone) = database.get(text) {
        return Ok(Zone(Clock::Named(zone)));
    }
    let names: Vec<String> = database.available().map(|name| name.as_str().to_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(match crate::settings::nearest(text, &names) {
        Some(near) => format!("`{text}` is not a zone; did you mean `{near}`?"),
        None => format!(
            "`{text}` is not a zone; expected a name of the IANA database such as `America/New_York`, or an offset such as `-05:00`"
        ),
    })
}

#[cfg(not(feature = "zones"))]
fn named(text: &str) -> Result<Zone, String> {
    Err(format!(
        "`{text}` is not an offset such as `-05:00`; names of zones need the feature `zones` of `candor-check`, which this build leaves out"
    ))
}
