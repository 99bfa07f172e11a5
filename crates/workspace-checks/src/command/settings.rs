//! Settings of a command: its words, and the outcome that is asserted.

use std::collections::BTreeMap;
use std::time::Duration;

use candor_check::sandbox::duration;
use serde::{Deserialize, Deserializer};

use crate::files::Paths;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    command: Vec<String>,
    #[serde(default, rename = "in")]
    folder: Option<String>,
    timeout: Option<String>,
    exit: Option<Exit>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    min_tests: Option<u64>,
    report: Option<Paths>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected an exit code from 0 to 255, or an array of them")]
enum Exit {
    One(u8),
    Several(Vec<u8>),
}

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The program and its arguments; at least one.
    pub(super) command: Vec<String>,
    /// The folder below the workspace, without `.` and `..`.
    pub(super) folder: Vec<String>,
    pub(super) timeout: Duration,
    pub(super) exit: Vec<u8>,
    pub(super) env: Vec<(String, String)>,
    pub(super) min_tests: Option<u64>,
    pub(super) report: Option<Paths>,
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        settings(Members::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn settings(members: Members) -> Result<Settings, String> {
    if members.command.first().is_none_or(|program| program.is_empty()) {
        return Err("`command` names no program; write it with its arguments, as in [\"cargo\", \"test\"]".to_owned());
    }
    if members.command.iter().any(|argument| argument.contains('\0')) {
        return Err("`command` holds a NUL, which no argument can".to_owned());
    }
    if let [program] = members.command.as_slice()
        && program.contains(char::is_whitespace)
    {
        return Err(format!(
            "`command` is one word with blanks, `{program}`; no shell reads it, so write every argument by itself"
        ));
    }
    let folder = below("in", members.folder.as_deref().unwrap_or("."))?;
    let program = members.command.first().map(String::as_str).unwrap_or_default();
    if program.contains('/') && !program.starts_with('/') {
        below("command", program)?;
    }
    let exit = match members.exit {
        None => vec![0],
        Some(Exit::One(code)) => vec![code],
        Some(Exit::Several(codes)) if codes.is_empty() => return Err("`exit` is an empty array".to_owned()),
        Some(Exit::Several(codes)) => codes,
    };
    for name in members.env.keys() {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("`env`: `{}` is not the name of a variable", name.escape_debug()));
        }
    }
    if members.env.values().any(|value| value.contains('\0')) {
        return Err("`env` holds a NUL, which no variable can".to_owned());
    }
    if members.min_tests == Some(0) {
        return Err("`min_tests` is 0, which everything satisfies; leave it out".to_owned());
    }
    let timeout = members.timeout.as_deref().map_or(Ok(Duration::from_secs(120)), duration);
    Ok(Settings {
        command: members.command,
        folder,
        timeout: timeout.map_err(|what| format!("`timeout`: {what}"))?,
        exit,
        env: members.env.into_iter().collect(),
        min_tests: members.min_tests,
        report: members.report,
    })
}

fn below(member: &str, path: &str) -> Result<Vec<String>, String> {
    if path.starts_with('/') || path.contains('\0') {
        return Err(format!("`{member}` is `{path}`; a path is relative to the workspace"));
    }
    let names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
    names
        .map(|name| match name {
            ".." => Err(format!("`{member}` is `{path}`; paths stay within the workspace")),
            name => Ok(name.to_owned()),
        })
        .collect()
}
