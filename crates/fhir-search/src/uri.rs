//! URI parameters. Source: FHIR R4, Search, 3.1.1.4.14.

use std::borrow::Cow;

use crate::{reference, text};

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
            How::IsCanonical => reference::is_canonical(stored, &self.wanted),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let finds = |how, wanted: &str, stored: &str| Uri::parse(wanted, how).unwrap().finds(stored);
        let (root, set) = ("http://acme.example/fhir", "http://acme.example/fhir/ValueSet/1");
        assert!(
            finds(How::Below, root, set)
                && finds(How::Below, root, root)
                && finds(How::Below, "http://acme.example/fhir/", set)
        );
        assert!(!finds(How::Below, root, "http://acme.example/fhir2") && !finds(How::Below, set, root));
        assert!(finds(How::Above, set, root) && !finds(How::Above, root, set));
        assert!(finds(How::Is, set, set) && !finds(How::Is, set, root));
        assert!(
            !finds(How::Is, set, "http://acme.example/fhir/ValueSet/1|2")
                && finds(How::IsCanonical, set, "http://acme.example/fhir/ValueSet/1|2")
        );
        assert!(Uri::parse("urn:oid:1.2", How::Below).is_err());
        assert!(!finds(How::Above, set, "") && !finds(How::Above, set, "http://acme.example/f"));
    }
}
