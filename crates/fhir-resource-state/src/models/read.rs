//! From JSON to a model, with nothing lost on the way.
//!
//! `candor_json` keeps the text of a number such as `7.20`, and the `flatten` of `fhir-sdk`'s choices of types takes it for
//! a map: the whole element, `valueQuantity`, would be dropped without an error. So numbers are given here as numbers, and
//! what comes out is held against what went in.

use candor_check::strict_json;
use candor_json::Value;
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Error as _, IntoDeserializer, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::lost::lost;
use super::{Model, ModelError, value_of};

/// Reads a resource, and refuses one that the model would not hold whole.
///
/// # Errors
/// No JSON, or JSON that can be read in more than one way; what `fhir-sdk` refuses; a member or a value that it drops or
/// changes, with its place.
///
/// ```
/// use candor_fhir_resource_state::models::read;
/// use fhir_sdk::r4b::resources::Resource;
///
/// assert!(read::<Resource>(br#"{"resourceType": "Patient", "active": true}"#).is_ok());
/// // R5's element is none of R4B's.
/// let lost = read::<Resource>(br#"{"resourceType": "Appointment", "status": "booked", "participant": [], "subject": {}}"#);
/// assert!(lost.unwrap_err().to_string().contains("subject"));
/// ```
pub fn read<M: Model + for<'de> Deserialize<'de>>(json: &[u8]) -> Result<M, ModelError> {
    let no_json = |error: &dyn std::fmt::Display| ModelError(format!("not readable as JSON: {error}"));
    let text = std::str::from_utf8(json).map_err(|error| no_json(&error))?;
    strict_json::check(text).map_err(|flaw| no_json(&flaw.what))?;
    let value: Value = candor_json::from_str(text).map_err(|error| no_json(&error))?;
    let model = M::deserialize(Plain(&value)).map_err(|error| ModelError(format!("fhir-sdk refuses it: {error}")))?;
    match lost(&value, &value_of(&model)?, "") {
        None => Ok(model),
        Some(path) => Err(ModelError(format!("fhir-sdk does not keep {path} unchanged from the JSON"))),
    }
}

#[derive(Clone, Copy)]
struct Plain<'a>(&'a Value);

impl<'de> Deserializer<'de> for Plain<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (_, _, Some(number)) => visitor.visit_f64(number),
                _ => Err(Error::custom(format!("{number} is too large"))),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Plain))),
            Value::Object(members) => visitor
                .visit_map(MapDeserializer::new(members.iter().map(|(name, value)| (name.as_str(), Plain(value))))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    // The models' `Resource` is chosen by its tag, for which serde takes in everything as `any` first.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Plain<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
