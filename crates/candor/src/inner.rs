//! The crates below the facade, for the command line alone: it needs places, plans and tables that have no stable form yet.
//! They may change in any version.

#[cfg(feature = "audit")]
pub use candor_audit as audit;
#[cfg(feature = "bundle")]
pub use candor_bundle as bundle;
pub use candor_checks as checks;
pub use candor_engine as engine;
#[cfg(feature = "fhir")]
pub use candor_fhir_resource_state as fhir_resource_state;
#[cfg(feature = "hl7")]
pub use candor_hl7_structural as hl7_structural;
pub use candor_http as http;
pub use candor_report as report;
pub use candor_scoring as scoring;
#[cfg(feature = "voice")]
pub use candor_voice_transcript as voice_transcript;
#[cfg(feature = "x12")]
pub use candor_x12_response as x12_response;
