//! `within`: how long to wait for what is asserted to show.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::sandbox::duration;

/// `{timeout, every}` of an assertion over a live source.
///
/// ```
/// use candor_check::Within;
/// let within: Within = candor_json::from_str(r#"{"timeout": "30s", "every": "500ms"}"#)?;
/// assert_eq!(within.every.as_millis(), 500);
/// # Ok::<(), candor_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// When to stop waiting.
    pub timeout: Duration,
    /// The time between the beginnings of two looks.
    pub every: Duration,
    /// True if a pass would rest on nothing being there, so that only the end of the time can tell.
    pub to_the_end: bool,
}

/// The longest wait, and the most looks in it.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const MOST: u128 = 10_000;

impl Within {
    /// With the wait drawn out to its end where `on_absence` holds.
    #[must_use]
    pub fn to_the_end(self, on_absence: bool) -> Self {
        Self { to_the_end: on_absence, ..self }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    timeout: String,
    every: Option<String>,
}

impl<'de> Deserialize<'de> for Within {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let timeout = duration(&written.timeout).map_err(D::Error::custom)?;
        let every = written.every.as_deref().map_or(Ok(Duration::from_secs(1)), duration).map_err(D::Error::custom)?;
        if timeout > LONGEST {
            return Err(D::Error::custom("`timeout` is longer than a day"));
        }
        if timeout.as_nanos() / every.as_nanos().max(1) > MOST {
            return Err(D::Error::custom(format!("`every` is so short that there would be more than {MOST} looks")));
        }
        Ok(Self { timeout, every, to_the_end: false })
    }
}
