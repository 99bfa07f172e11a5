//! FHIR references by their target.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Data to find the resource that a reference points at: the base of relative references, and the targets of `urn:uuid`
/// references.
///
/// ```
/// use candor_check::compare::References;
/// let on_base = References { base: Some("https://example.org/fhir".into()), ..References::default() };
/// assert_eq!(on_base.target("Patient/1/_history/3"), "https://example.org/fhir/Patient/1");
/// assert_eq!(References::default().target("Patient/1"), "Patient/1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct References {
    /// The absolute URL, without a slash at its end, that relative references are resolved on; `None` when unknown, and
    /// then a relative reference equals no absolute one.
    pub base: Option<String>,
    /// `urn:uuid:…` (or another `fullUrl`) → `Type/id` of that entry's resource.
    pub urns: BTreeMap<String, String>,
}

impl References {
    /// The reference's target: without a version, absolute where the base is known. Source: FHIR R4, Bundle, 2.36.4.1
    /// (resolving references in bundles); References, 2.3.0.
    #[must_use]
    pub fn target<'a>(&self, reference: &'a str) -> Cow<'a, str> {
        let reference = match self.urns.get(reference) {
            Some(known) => Cow::Owned(known.clone()),
            None => Cow::Borrowed(reference),
        };
        let unversioned = match reference.find("/_history/") {
            Some(at) => reference.get(..at).unwrap_or_default(),
            None => &reference,
        };
        let unversioned = unversioned.trim_end_matches('/').to_owned();
        match &self.base {
            Some(base) if is_relative(&unversioned) => Cow::Owned(format!("{base}/{unversioned}")),
            _ if unversioned == *reference => reference,
            _ => Cow::Owned(unversioned),
        }
    }
}

/// `Type/id`: neither absolute, nor a urn, nor `#contained`.
fn is_relative(reference: &str) -> bool {
    let mut parts = reference.split('/');
    let named = |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && !p.contains([':', '#', '?']));
    named(parts.next()) && named(parts.next()) && parts.next().is_none()
}
