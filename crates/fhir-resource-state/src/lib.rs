//! Asserts the state of FHIR resources.
