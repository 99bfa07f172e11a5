//! Literal references, taken apart.

/// A reference taken apart.
///
/// Source: FHIR R4, References, 2.3.0.1 (literal references), and the pattern given there for RESTful ones.
///
/// ```
/// use candor_fhir_search::literal::Literal;
/// let Literal::Restful { base, resource_type, id, version } = Literal::parse("https://a.example/r4/Patient/1/_history/3") else { panic!() };
/// assert_eq!((base, resource_type, id, version), (Some("https://a.example/r4"), "Patient", "1", Some("3")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal<'a> {
    /// `[base/]Type/id[/_history/version]`
    Restful {
        /// The absolute URL before `Type/id`; `None` for a relative reference.
        base: Option<&'a str>,
        /// The type.
        resource_type: &'a str,
        /// The id.
        id: &'a str,
        /// The version.
        version: Option<&'a str>,
    },
    /// `#id`: into `contained`.
    Contained(&'a str),
    /// Anything else: `urn:uuid:…`, a canonical URL, `Patient?identifier=…`.
    Other(&'a str),
}

impl<'a> Literal<'a> {
    /// Takes a reference apart. A slash at its end means nothing.
    #[must_use]
    pub fn parse(reference: &'a str) -> Self {
        if let Some(id) = reference.strip_prefix('#') {
            return Self::Contained(id);
        }
        Self::restful(reference.trim_end_matches('/')).unwrap_or(Self::Other(reference))
    }

    /// Reads the `Type/id` that a `fullUrl` is a name for: see [`Names`](crate::Names). The id may be a name that
    /// cannot occur in data.
    #[must_use]
    pub fn named(name: &'a str) -> Self {
        match name.split_once('/') {
            Some((resource_type, id)) => Self::Restful { base: None, resource_type, id, version: None },
            None => Self::Other(name),
        }
    }

    fn restful(reference: &'a str) -> Option<Self> {
        let (rest, version) = match reference.rsplit_once("/_history/") {
            Some((rest, version)) => (rest, Some(version).filter(|v| is_id(v))?.into()),
            None => (reference, None),
        };
        let (rest, id) = rest.rsplit_once('/')?;
        let (base, resource_type) = match rest.rsplit_once('/') {
            Some((base, resource_type)) => (Some(base), resource_type),
            None => (None, rest),
        };
        let absolute = |base: &str| base.starts_with("http://") || base.starts_with("https://");
        (is_id(id) && crate::types::is_resource(resource_type) && base.is_none_or(absolute)).then_some(Self::Restful {
            base,
            resource_type,
            id,
            version,
        })
    }
}

/// True if a text can be an id. The standard allows 64 of `A-Za-z0-9-.`; servers write `_` and longer ones too.
#[must_use]
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
}
