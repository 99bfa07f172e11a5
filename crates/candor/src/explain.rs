//! Ground truth as it is read: X12 files as loops, HL7 v2 messages as groups, FHIR resources as fields, calls as they are
//! compared.

use std::fmt;

#[cfg(any(feature = "fhir", feature = "hl7"))]
use candor_check::explain::Form;

/// Explains the interchanges of an X12 file, as `candor explain --format json` writes it: a list with an entry for each
/// transaction set, its segments with their loops and what their codes mean. What cannot be read is an entry, too.
///
/// # Errors
/// When there is no X12 interchange.
///
/// ```
/// let error = candor::explain::x12(b"").unwrap_err();
/// assert_eq!(error.to_string(), "there is no X12 interchange in it");
/// ```
#[cfg(feature = "x12")]
pub fn x12(bytes: &[u8]) -> Result<String, ExplainError> {
    use candor_x12_guides::explain::{Form, explain};

    let mut out = Vec::new();
    let explained = explain(bytes, Form::Json, &mut out).map_err(|error| ExplainError(error.to_string()))?;
    match explained.any {
        true => String::from_utf8(out).map_err(|error| ExplainError(error.to_string())),
        false => Err(ExplainError("there is no X12 interchange in it".to_owned())),
    }
}

/// Explains the messages of an HL7 v2 file, as `candor explain --format json` writes it: a list with an entry for each
/// message, its segments in their groups, with the names of their fields. What cannot be read is an entry, too.
///
/// # Errors
/// When there is no HL7 v2 message.
///
/// ```
/// let messages = candor::explain::hl7v2(b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01|42|P|2.5.1\rPID|1||1001\r")?;
/// assert!(messages.contains("ADT"));
/// # Ok::<(), candor::explain::ExplainError>(())
/// ```
#[cfg(feature = "hl7")]
pub fn hl7v2(bytes: &[u8]) -> Result<String, ExplainError> {
    listed("HL7 v2 message", |out| candor_hl7_structural::explain::explain(bytes, Form::Json, out))
}

/// Explains the resources of a FHIR file, as `candor explain --format json` writes it: a list with an entry for each
/// resource and its elements by their paths. What cannot be read is an entry, too.
///
/// # Errors
/// When there is no FHIR resource.
///
/// ```
/// let resources = candor::explain::fhir(br#"{"resourceType": "Patient", "id": "1", "birthDate": "1974-12-25"}"#)?;
/// assert!(resources.contains("1974-12-25"));
/// # Ok::<(), candor::explain::ExplainError>(())
/// ```
#[cfg(feature = "fhir")]
pub fn fhir(bytes: &[u8]) -> Result<String, ExplainError> {
    listed("FHIR resource", |out| candor_fhir_resource_state::explain::explain(bytes, Form::Json, out))
}

#[cfg(any(feature = "fhir", feature = "hl7"))]
fn listed(
    record: &str,
    explain: impl FnOnce(&mut Vec<u8>) -> std::io::Result<candor_check::explain::Explained>,
) -> Result<String, ExplainError> {
    let mut out = Vec::new();
    match explain(&mut out) {
        Ok(explained) if explained.any => String::from_utf8(out).map_err(|error| ExplainError(error.to_string())),
        Ok(_) => Err(ExplainError(format!("there is no {record} in it"))),
        Err(error) => Err(ExplainError(error.to_string())),
    }
}

/// Explains a call, as `candor explain --voice --format json` writes it: a list with an entry for each turn, its text
/// next to the two forms in which phrases are searched. The name of the file, if given, decides between JSON and text.
///
/// # Errors
/// When it is not a transcript, or larger than one may be.
///
/// ```
/// let turns = candor::explain::call(b"Agent: It's twenty-one.\nCaller: OK.", None)?;
/// assert!(turns.contains("\"speaker\": \"agent\""));
/// # Ok::<(), candor::explain::ExplainError>(())
/// ```
#[cfg(feature = "voice")]
pub fn call(bytes: &[u8], name: Option<&str>) -> Result<String, ExplainError> {
    use candor_voice_transcript::{explain, transcript};

    let extension = name.map_or(transcript::Extension::Other, transcript::Extension::of);
    let call = transcript::Transcript::read(bytes, extension).map_err(|error| ExplainError(error.to_string()))?;
    let turns = candor_json::to_string_pretty(&explain::turns(&call));
    turns.map(|turns| turns + "\n").map_err(|error| ExplainError(error.to_string()))
}

/// Why there is nothing to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainError(String);

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExplainError {}
