//! The typed models of the crate `fhir-sdk`, R4B and R5, in place of a written assertion and of a folder.
//!
//! [`fields_of`] and [`assertion_of`] say what a resource is expected to hold by showing it. [`FhirResourceState::seen_in`]
//! hands in resources that a program has read itself, for `judge`.
//!
//! **Whatever is handed in is taken for ground truth.** It must be read from the system under test by the program that
//! grades, by a way of its own. A resource that an agent shows, returns or claims to have written is not ground truth.
//! Neither is the model from which a client sent it: what was sent may differ from what is there.
//!
//! **A model holds what its types know**, and `fhir-sdk` drops the rest of the JSON without a word. [`read`] refuses a
//! resource that a model would not hold whole. Hand in what it gave. A model from elsewhere may lack what is there: nothing
//! that it fails to show is to be held against an agent, nor for it.
//!
//! ```
//! use candor_check::{Check, Status};
//! use candor_fhir_resource_state::FhirResourceState;
//! use candor_fhir_resource_state::models::{Handed, read};
//! use fhir_sdk::r4b::resources::Resource;
//!
//! let wanted: Resource =
//!     read(br#"{"resourceType": "Patient", "birthDate": "1974-12-25", "name": [{"family": "Chalmers"}]}"#)?;
//! let check: FhirResourceState = FhirResourceState::expecting(&wanted)?;
//!
//! // Read from the system under test by the program that grades.
//! let there: Resource = read(
//!     br#"{"resourceType": "Patient", "id": "p1", "birthDate": "1974-12-25", "name": [{"family": "Chalmers", "given": ["Peter"]}]}"#,
//! )?;
//! let seen = check.seen_in(&[there], &Handed::whole("https://ehr.example/r4/Patient"))?;
//! assert_eq!(check.judge(&seen).status(), Status::Passed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FhirResourceState::seen_in`]: crate::FhirResourceState::seen_in

mod fields;
mod lost;
mod read;
mod seen;

use std::error::Error;
use std::fmt;

use candor_json::{Value, json};
use serde::Serialize;

pub use read::read;
pub use seen::Handed;

use crate::FhirResourceState;

/// A resource as `fhir-sdk` holds it: the type `Resource` of its R4B and of its R5, which every one of its resources turns
/// into by `From`.
pub trait Model: Serialize + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for fhir_sdk::r4b::resources::Resource {}
    impl Sealed for fhir_sdk::r5::resources::Resource {}
}

impl Model for fhir_sdk::r4b::resources::Resource {}
impl Model for fhir_sdk::r5::resources::Resource {}

/// Why a model cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError(String);

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ModelError {}

/// The field assertions that hold for a resource exactly when every value of the model is in it, at its place. They
/// have the form of a task's `fields`, one for each value:
///
/// - a date with a time is compared as a date, since models write an instant in one form of several;
/// - `reference` is compared by its target (`using: [reference]`);
/// - everything else as it is: a number by its decimal value, a text or a date without a time by its text.
///
/// Left out are `resourceType`, `id`, `meta.versionId` and `meta.lastUpdated`, which a server gives. What the model leaves out
/// is not asserted.
///
/// # Errors
/// A value that JSON cannot hold (a decimal that is not finite, a year that is not a year), an element without content, nesting
/// beyond 127 levels.
pub fn fields_of(model: &impl Model) -> Result<Vec<Value>, ModelError> {
    fields::of(&value_of(model)?)
}

/// The assertion of [`fields_of`] as a task holds it, with the type of the resource, and with `read` where the model has an
/// id. Further members (`search`, `count`, `within`) can be added to it.
///
/// # Errors
/// As for [`fields_of`], and an assertion that cannot be judged.
pub fn assertion_of(model: &impl Model) -> Result<Value, ModelError> {
    let value = value_of(model)?;
    let mut assertion = json!({
        "assert": "fhir-resource-state", "resource_type": value.get("resourceType"), "fields": fields::of(&value)?,
    });
    if let (Some(id), Some(members)) = (value.get("id"), assertion.as_object_mut()) {
        members.insert("read".to_owned(), json!({ "id": id }));
    }
    checked(assertion.clone())?;
    Ok(assertion)
}

impl FhirResourceState {
    /// The check that [`assertion_of`] is for: without an id, that some resource of the type holds it all.
    ///
    /// # Errors
    /// As for [`assertion_of`].
    pub fn expecting(model: &impl Model) -> Result<Self, ModelError> {
        checked(assertion_of(model)?)
    }
}

fn checked(mut assertion: Value) -> Result<FhirResourceState, ModelError> {
    if let Some(members) = assertion.as_object_mut() {
        // The name of the check, not one of its members.
        members.remove("assert");
    }
    candor_json::from_value(assertion).map_err(|error| ModelError(error.to_string()))
}

fn value_of(model: &impl Model) -> Result<Value, ModelError> {
    candor_json::to_value(model).map_err(|error| ModelError(format!("the model cannot be written as JSON: {error}")))
}
