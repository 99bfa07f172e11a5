//! URI parameters. Source: FHIR R4, Search, 3.1.1.4.14.

use std::borrow::Cow;

use crate::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Is,
    /// An element is it, or it with a version behind a `|`.
    IsCanonical,
    Below,
    Above,
}

#[derive(Clone, Debug)]
pub(crate) struct Uri {
    wanted: String,
    how: How,
}

impl Uri {
    pub(crate) fn parse(escaped: &str, how: How) -> Result<Self, Cow<'static, str>> {
        let wanted = text::unescape(escaped).into_owned();
        if matches!(how, How::Below | How::Above) && wanted.starts_with("urn:") {
            return Err("a URN has no path, so that nothing is above or below it".into());
        }
        Ok(Self { wanted, how })
    }

    pub(crate) fn only(&self) -> Option<&str> {
        (self.how == How::Is).then_some(&self.wanted)
    }

    pub(crate) fn finds(&self, stored: &str) -> bool {
        match self.how {
            How::Is => stored == self.wanted,
            How::IsCanonical => is_canonical(stored, &self.wanted),
            How::Below => is_below(stored, &self.wanted),
            How::Above => is_below(&self.wanted, stored),
        }
    }
}

/// True if `lower` is `upper` or begins with it and goes on with another step of its path.
fn is_below(lower: &str, upper: &str) -> bool {
    if upper.is_empty() || lower.starts_with("urn:") {
        return false;
    }
    let step = upper.trim_end_matches('/');
    lower == upper || lower.strip_prefix(step).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True if a stored canonical URL is the wanted one. A wanted URL without a version matches any version.
pub(crate) fn is_canonical(stored: &str, wanted: &str) -> bool {
    stored == wanted || (!wanted.contains('|') && stored.split_once('|').is_some_and(|(url, _)| url == wanted))
}
