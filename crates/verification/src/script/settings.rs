//! A script as a task file names it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The member `script` of a task's `loop`: a file, and values that the program finds in `args`.
///
/// ```
/// use candor_verification::script::ScriptSettings;
/// let script: ScriptSettings = serde_json::from_str(r#"{"file": "check.star", "args": {"least": 3}}"#).unwrap();
/// assert_eq!(script.args["least"], 3);
/// assert!(serde_json::from_str::<ScriptSettings>(r#"{"file": "check.star", "arg": {}}"#).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptSettings {
    /// The program's file.
    pub file: PathBuf,
    /// The values.
    #[serde(default)]
    pub args: Map<String, Value>,
}
