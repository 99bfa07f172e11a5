//! The members of a field assertion as they are written.

use candor_json::Value;
use serde::{Deserialize, Deserializer};

/// A field assertion before it is validated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    pub path: Option<String>,
    pub fhirpath: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub expected: Option<Value>,
    pub op: Option<String>,
    pub quantifier: Option<String>,
    pub absent: Option<String>,
    pub using: Option<Vec<String>>,
    #[serde(rename = "as")]
    pub read_as: Option<String>,
    pub zone: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub concept: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub dosage: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub weight: Option<Value>,
}

/// An entry of a list of fields before it is validated: the members of a field, and those of an item group.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryMembers {
    pub path: Option<String>,
    fhirpath: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub item: Option<Value>,
    #[serde(rename = "where")]
    pub conditions: Option<Vec<EntryMembers>>,
    #[serde(rename = "match")]
    pub matching: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub count: Option<Value>,
    pub fields: Option<Vec<EntryMembers>>,
    pub one_of: Option<Vec<Vec<EntryMembers>>>,
    #[serde(default, deserialize_with = "given")]
    expected: Option<Value>,
    op: Option<String>,
    quantifier: Option<String>,
    absent: Option<String>,
    using: Option<Vec<String>>,
    #[serde(rename = "as")]
    read_as: Option<String>,
    pub zone: Option<String>,
    #[serde(default, deserialize_with = "given")]
    concept: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    dosage: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub weight: Option<Value>,
}

impl EntryMembers {
    pub(super) fn of_field(self) -> Members {
        let Self { path, fhirpath, expected, op, quantifier, absent, using, read_as, zone, .. } = self;
        let Self { concept, dosage, weight, .. } = self;
        Members { path, fhirpath, expected, op, quantifier, absent, using, read_as, zone, concept, dosage, weight }
    }

    pub(super) fn field_only(&self) -> Option<&'static str> {
        let all = [
            ("path", self.path.is_some()),
            ("fhirpath", self.fhirpath.is_some()),
            ("expected", self.expected.is_some()),
            ("op", self.op.is_some()),
            ("quantifier", self.quantifier.is_some()),
            ("absent", self.absent.is_some()),
            ("using", self.using.is_some()),
            ("as", self.read_as.is_some()),
            ("concept", self.concept.is_some()),
            ("dosage", self.dosage.is_some()),
        ];
        all.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// Tells a member that is null from one that is not there.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
