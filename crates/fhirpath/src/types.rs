//! Types as expressions name them.

use std::fmt;

use crate::model::{TypeId, model};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemType {
    Any,
    Boolean,
    String,
    Integer,
    Long,
    Decimal,
    Date,
    DateTime,
    Time,
    Quantity,
}

const SYSTEM: &[(&str, SystemType)] = &[
    ("Any", SystemType::Any),
    ("Boolean", SystemType::Boolean),
    ("String", SystemType::String),
    ("Integer", SystemType::Integer),
    ("Long", SystemType::Long),
    ("Decimal", SystemType::Decimal),
    ("Date", SystemType::Date),
    ("DateTime", SystemType::DateTime),
    ("Time", SystemType::Time),
    ("Quantity", SystemType::Quantity),
];

impl SystemType {
    pub(crate) fn name(self) -> &'static str {
        SYSTEM.iter().find(|(_, named)| *named == self).map_or("", |(name, _)| name)
    }
}

/// A type named in an expression: one of FHIRPath's own, one of FHIR's, or `Quantity`, which is both.
#[derive(Clone, Debug)]
pub(crate) struct TypeSpecifier {
    pub system: Option<SystemType>,
    pub fhir: Option<TypeId>,
}

impl TypeSpecifier {
    /// The type of that name; `Err` with the nearest known one.
    pub(crate) fn named(namespace: Option<&str>, name: &str) -> Result<Self, Option<&'static str>> {
        let system = SYSTEM.iter().find(|(known, _)| *known == name).map(|(_, system)| *system);
        let fhir = model().named(name).filter(|_| !name.contains('.'));
        match namespace {
            // A type that System does not have is one that nothing is of.
            Some("System") => Ok(Self { system, fhir: None }),
            Some("FHIR") if fhir.is_some() => Ok(Self { system: None, fhir }),
            None if system.is_some() || fhir.is_some() => Ok(Self { system, fhir }),
            _ => Err(nearest(name)),
        }
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let known = SYSTEM.iter().map(|(name, _)| *name).chain(model().names());
    let scored = known.map(|known| (strsim::jaro_winkler(name, known), known));
    scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

/// The name of an item's type: `System.String`, `FHIR.HumanName`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName<'a> {
    /// `System` or `FHIR`.
    pub namespace: &'static str,
    /// The name in it; `Element` where the type is not known.
    pub name: &'a str,
}

impl fmt::Display for TypeName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.namespace, self.name)
    }
}
