//! The member `loop` of a task file: how the loop over this task is run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use candor_check::sandbox::duration;
use candor_check::settings::{one_of, read_settings};
use candor_engine::{FileError, Task};
use candor_json::Value;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::disclosure::{Disclose, LEVELS};
use crate::protection::protect_globs;
use crate::ready::Ready;
use crate::service::Service;

/// Settings of a loop. Paths are relative to the task file; the command line overrides what it gives too.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskLoop {
    /// How often the delegate may try again.
    #[serde(deserialize_with = "whole")]
    pub max_verify_retries: Option<u32>,
    /// How much of the rubric a reason gives away.
    #[serde(deserialize_with = "disclose")]
    pub disclose: Option<Disclose>,
    /// True if the verifier looks again after an unverifiable verdict.
    pub retry_unverifiable: Option<bool>,
    /// Globs of files of the workspace that the delegate may not change.
    #[serde(deserialize_with = "globs")]
    pub protect: Vec<String>,
    /// A folder that is laid over a copy of the workspace before a command runs.
    pub overlay: Option<PathBuf>,
    /// Parts of the sandbox that the delegate may write, or folders in them: `portal`, `files/outbound`.
    #[serde(deserialize_with = "parts")]
    pub grant: Vec<String>,
    /// Services that are started before the verifier looks.
    pub services: Vec<ServiceSettings>,
    /// A Starlark program that says whether the work is done.
    pub script: Option<ScriptFile>,
    /// Starlark programs, or folders of them, that may block or change a result.
    #[serde(deserialize_with = "one_or_more")]
    pub hooks: Vec<PathBuf>,
    /// A command that ends with 0 when the work is done.
    pub test_suite: Option<SuiteSettings>,
    /// A command that looks at the work of the delegate.
    pub evaluator: Option<CommandWords>,
}

/// A script and what it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptFile {
    /// The program.
    pub file: PathBuf,
    /// The values that it finds as `args`.
    #[serde(default)]
    pub args: BTreeMap<String, Value>,
}

/// A test suite.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteSettings {
    /// The program and its arguments.
    pub command: CommandWords,
    /// Where it runs, relative to the workspace.
    pub folder: Option<PathBuf>,
    /// How long it may take.
    #[serde(default, deserialize_with = "time")]
    pub timeout: Option<Duration>,
}

/// A service.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceSettings {
    /// The program and its arguments.
    pub command: CommandWords,
    /// The URL that answers when it is ready.
    #[serde(deserialize_with = "ready")]
    pub ready: Ready,
    /// How long it may take until then; 30 s where nothing is given.
    #[serde(default, deserialize_with = "time")]
    pub timeout: Option<Duration>,
}

impl ServiceSettings {
    /// The service.
    #[must_use]
    pub fn service(&self) -> Service {
        let time_limit = self.timeout.unwrap_or(Duration::from_secs(30));
        Service { command: self.command.0.clone(), ready: self.ready.clone(), time_limit }
    }
}

/// A command as an array of words, or as a text with the quotes of a shell. No shell reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandWords(pub Vec<OsString>);

impl CommandWords {
    /// Splits a text at white space, as a shell does: `'…'`, `"…"` and a backslash quote. Nothing else means anything.
    ///
    /// # Errors
    /// When a quote does not end, or there is no word.
    ///
    /// ```
    /// use candor_verification::CommandWords;
    /// assert_eq!(CommandWords::parse("sh -c 'test -e a.md'").unwrap().0, ["sh", "-c", "test -e a.md"]);
    /// assert!(CommandWords::parse("sh -c 'test").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        // A `#` begins no comment here.
        let escaped: String = text.replace('#', "\u{e000}");
        let words = shlex::split(&escaped)
            .ok_or_else(|| format!("`{text}` has a quote that does not end, or ends with a backslash"))?;
        Self::of(words.into_iter().map(|word| word.replace('\u{e000}', "#")).collect())
    }

    /// The words as one text, which [`CommandWords::parse`] splits into them again.
    #[must_use]
    pub fn joined(&self) -> String {
        let quoted = |word: &OsString| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"));
        let is_plain = |word: &OsString| {
            let text = word.to_string_lossy();
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c))
        };
        let word = |word| if is_plain(word) { word.to_string_lossy().into_owned() } else { quoted(word) };
        self.0.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn of(words: Vec<String>) -> Result<Self, String> {
        match words.first() {
            Some(program) if !program.is_empty() => Ok(Self(words.into_iter().map(OsString::from).collect())),
            _ => Err("names no command".to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for CommandWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a command: an array of words, or a text")]
        enum Written {
            Words(Vec<String>),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Words(words) => Self::of(words),
            Written::Text(text) => Self::parse(&text),
        }
        .map_err(D::Error::custom)
    }
}

fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let whole = value.as_u64().and_then(|number| u32::try_from(number).ok());
    let wrong = || D::Error::custom(format!("`max_verify_retries` is {value}; expected a whole number from 0 on"));
    whole.map(Some).ok_or_else(wrong)
}

fn disclose<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Disclose>, D::Error> {
    let name = String::deserialize(deserializer)?;
    one_of("`disclose`", &name, LEVELS).map(Some).map_err(D::Error::custom)
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration(&text).map(Some).map_err(|what| D::Error::custom(format!("`timeout`: {what}")))
}

fn ready<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ready, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ready::parse(&text).map_err(|what| D::Error::custom(format!("`ready`: {what}")))
}

fn globs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    protect_globs(&texts).map_err(D::Error::custom)?;
    Ok(texts)
}

fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let is_below = |text: &str| {
        let mut names = Path::new(text).components().peekable();
        names.peek().is_some() && names.all(|name| matches!(name, Component::Normal(_)))
    };
    match texts.iter().find(|text| !is_below(text)) {
        Some(text) => {
            let expected = "expected a part of the sandbox, or a folder in it, as in `files/outbound`";
            Err(D::Error::custom(format!("`grant` names `{text}`; {expected}")))
        }
        None => Ok(texts),
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a path, or an array of paths")]
    enum Written {
        One(PathBuf),
        Several(Vec<PathBuf>),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::One(path) => vec![path],
        Written::Several(paths) => paths,
    })
}

impl TaskLoop {
    /// The settings of a task; the defaults if it sets none.
    ///
    /// # Errors
    /// The mistake in the settings, at its place in the file.
    pub fn of(task: &Task) -> Result<Self, FileError> {
        let Some(value) = task.loop_settings() else { return Ok(Self::default()) };
        read_settings(value.clone()).map_err(|error| {
            let (place, message) = (error.place, error.message);
            let steps: Vec<&str> = place.split(['.', '[', ']']).filter(|step| !step.is_empty()).collect();
            let is_named = steps.last().is_none_or(|name| message.contains(&format!("`{name}`")));
            let at = if is_named { "`loop`".to_owned() } else { format!("`loop.{place}`") };
            task.error_in_loop(&steps, format!("{at}: {message}"))
        })
    }

    /// Reads the settings of several tasks, for their errors: the engine reads only the names of the members.
    ///
    /// # Errors
    /// An error of each task that has one.
    pub fn check_all<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Result<(), Vec<FileError>> {
        let mut errors: Vec<FileError> = tasks.into_iter().filter_map(|task| Self::of(task).err()).collect();
        // A benchmark may run a task over several sandboxes.
        errors.dedup();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The schema of the member, as JSON.
    pub const SCHEMA: &str = include_str!("../schemas/loop.json");
}
