//! `[workspace]` of `sandbox.toml`: the folder that work was done in, and the endpoint that it answers at.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Table, Value};

use super::limits::{duration, size};
use super::on;
use super::server::base_url;
use crate::settings::nearest;

/// The part's name.
pub(super) const PART: &str = "workspace";

const KNOWN: &[&str] = &["path", "endpoint", "env", "timeout", "max_output"];

/// How a workspace is looked at, beside where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// What a URL without a host is on: `http://127.0.0.1:8080`, without a slash at its end.
    pub endpoint: Option<String>,
    /// Names of the variables of this process that commands are given, beside those that every program needs.
    pub environment: Vec<String>,
    /// The most time that a command is given, whatever it asks for.
    pub timeout: Duration,
    /// How much of the end of a command's output is read, in bytes.
    pub max_output: u64,
}

impl Default for Workspace {
    /// No endpoint, no variables, 10 minutes, 1 MiB.
    fn default() -> Self {
        Self { endpoint: None, environment: Vec::new(), timeout: Duration::from_secs(600), max_output: 1 << 20 }
    }
}

/// Reads the table; the folder is the one that it names, if it names one.
///
/// # Errors
/// The setting that is wrong, and a sentence.
pub(super) fn read(root: &Path, settings: &Table) -> Result<(Workspace, Option<PathBuf>), (String, String)> {
    let (mut workspace, mut folder) = (Workspace::default(), None);
    for (key, value) in settings {
        let wrong = |message: String| (key.clone(), format!("`{key}` {message}"));
        let text = || value.as_str().ok_or_else(|| wrong(format!("is {value}; expected a string")));
        match key.as_str() {
            "path" => {
                let path = on(root, text()?);
                if !path.is_dir() {
                    return Err(wrong(format!(": there is no folder {}", path.display())));
                }
                folder = Some(path);
            }
            "endpoint" => workspace.endpoint = Some(base_url(key, text()?)?),
            "env" => workspace.environment = names(value).map_err(wrong)?,
            "timeout" => workspace.timeout = duration(text()?).map_err(|what| wrong(format!(": {what}")))?,
            "max_output" => {
                workspace.max_output = size(text()?).map_err(|what| wrong(format!(": {what}")))?;
                // What is read is held in memory.
                if !(1..=64 << 20).contains(&workspace.max_output) {
                    return Err(wrong("is no size from 1B to 64MiB".to_owned()));
                }
            }
            _ => {
                let near = nearest(key, KNOWN).map(|near| format!("; did you mean `{near}`?"));
                let near = near.unwrap_or_else(|| format!("; a workspace has {}", KNOWN.join(", ")));
                return Err((key.clone(), format!("unknown setting `{key}`{near}")));
            }
        }
    }
    Ok((workspace, folder))
}

fn names(value: &Value) -> Result<Vec<String>, String> {
    let wrong = || format!("is {value}; write the names of variables, as in env = [\"DATABASE_URL\"]");
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['=', '\0', '$']);
    let names = value.as_array().ok_or_else(wrong)?.iter();
    names.map(|name| name.as_str().filter(is_name).map(str::to_owned).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<(Workspace, Option<PathBuf>), String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        read(folder.path(), &text.parse::<Table>().unwrap()).map_err(|(key, message)| format!("{key}: {message}"))
    }

    #[test]
    fn every_setting_is_read() {
        let (workspace, folder) = described(
            "path = \"project\"\nendpoint = \"http://127.0.0.1:8080/\"\nenv = [\"A\"]\ntimeout = \"3m\"\nmax_output = \"64KiB\"",
        )
        .unwrap();
        assert!(folder.unwrap().ends_with("project"));
        assert_eq!(workspace.endpoint.as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(workspace.environment, ["A"]);
        assert_eq!((workspace.timeout.as_secs(), workspace.max_output), (180, 64 << 10));
        assert_eq!(described("").unwrap(), (Workspace::default(), None));
    }

    #[test]
    fn every_slip_is_named() {
        for (text, expected) in [
            ("paht = \"x\"", "unknown setting `paht`; did you mean `path`?"),
            ("path = \"nowhere\"", "there is no folder"),
            ("path = 1", "`path` is 1; expected a string"),
            ("endpoint = \"127.0.0.1:8080\"", "`endpoint` is no http:// or https:// URL"),
            ("endpoint = \"http://u:p@a.example\"", "holds credentials"),
            ("env = \"A\"", "write the names of variables"),
            ("env = [\"A=1\"]", "write the names of variables"),
            ("timeout = \"soon\"", "is no duration"),
            ("max_output = \"1GiB\"", "is no size from 1B to 64MiB"),
        ] {
            let error = described(text).unwrap_err();
            assert!(error.contains(expected), "{text}\n{error}");
        }
    }
}
