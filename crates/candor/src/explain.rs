//! Ground truth as it is read: X12 files as loops, calls as they are compared.

use std::fmt;

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

/// Explains a call, as `candor explain --voice --format json` writes it: a list with an entry for each turn, its text
/// beside the two forms in which phrases are looked for. The name of the file, if there is one, tells JSON from text.
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
    let turns = serde_json::to_string_pretty(&explain::turns(&call));
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
