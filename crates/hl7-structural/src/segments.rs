//! `segments`: the number of times that a segment occurs in a message.

use candor_check::compare::Operator;
use candor_check::field::{FieldResult, Location};
use candor_check::settings::Cardinality;
use candor_hl7v2::{Message, Path};
use candor_json::json;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::path::exists;

#[derive(Clone, Debug)]
pub(crate) struct SegmentCardinality {
    segment: Path,
    count: Cardinality,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    segment: String,
    min: Option<Whole>,
    max: Option<Whole>,
}

/// A whole number, read as a count is.
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = candor_json::Value::deserialize(deserializer)?;
        let whole = value.is_number().then(|| Cardinality::from_value(&value).ok()).flatten();
        let number = whole.and_then(|count| count.to_value().as_u64());
        number.map(Self).ok_or_else(|| D::Error::custom(format!("{value} is not a whole number of 0 or more")))
    }
}

impl<'de> Deserialize<'de> for SegmentCardinality {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        let id = members.segment;
        let segment = match Path::parse(&id) {
            Ok(path) if id.len() == 3 => {
                exists(&path)
                    .map_err(|problem| D::Error::custom(format!("`segment` is `{id}`: {}", problem.message)))?;
                path
            }
            Ok(path) => {
                let known = path.segment_id();
                return Err(D::Error::custom(format!(
                    "`segment` is `{id}`; expected a segment id alone, as in `{known}`"
                )));
            }
            Err(error) => {
                let meant = error.suggestion.filter(|s| s.len() == 3).map(|s| format!("; did you mean `{s}`?"));
                let meant = meant.unwrap_or_default();
                return Err(D::Error::custom(format!("`segment` is `{id}`: {}{meant}", error.kind)));
            }
        };
        let (min, max) = (members.min.map(|n| n.0), members.max.map(|n| n.0));
        if min.is_none() && max.is_none() {
            return Err(D::Error::custom("`min` and `max` are both missing; give at least one of them"));
        }
        let count = Cardinality::range(min.unwrap_or(0), max)
            .ok_or_else(|| D::Error::custom("`max` is less than `min`, which no message satisfies"))?;
        Ok(Self { segment, count })
    }
}

impl SegmentCardinality {
    pub(crate) fn allows_any(&self) -> bool {
        self.count.allows(0) && self.count.allows(u64::MAX)
    }

    pub(crate) fn judge(&self, message: Option<&Message<'_>>, place: Location) -> FieldResult {
        let id = self.segment.segment_id();
        let found = message.map_or(0, |m| m.segments().filter(|s| s.id() == id.as_bytes()).count() as u64);
        FieldResult::constraint(id, self.count.to_value(), json!(found), self.count.allows(found))
            .with_operator(Operator::Count)
            .at(place)
    }
}
