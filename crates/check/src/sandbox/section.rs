//! A table of `sandbox.toml`, as the check crate reads it that the part belongs to. Knows kinds of values (a text, a
//! secret, a file, a duration), never what a setting means.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Table, Value};

use super::limits::{Limits, duration, size};
use super::memory::Root;
use super::secret::Secret;
use super::setting_file::SettingFile;
use crate::settings::nearest;

/// The table of one part in `sandbox.toml`; empty when the sandbox has no such table.
///
/// A getter returns `None` for a setting that the author left out, and a [`SectionError`] for a value of the wrong kind.
///
/// ```
/// use candor_check::sandbox::{Section, SectionError};
///
/// fn endpoint(section: &Section) -> Result<Option<String>, SectionError> {
///     section.only(&["path", "endpoint"])?;
///     section.text("endpoint")
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Section {
    part: String,
    table: Table,
    is_given: bool,
    root: Root,
    limits: Limits,
}

/// A setting of `sandbox.toml` that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionError {
    /// The setting, by which its line is found; empty for the table itself.
    pub key: String,
    /// A sentence: what was found, what was expected, what to do.
    pub message: String,
}

impl SectionError {
    /// An error of the setting `key`.
    #[must_use]
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

impl std::fmt::Display for SectionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SectionError {}

impl Section {
    pub(super) fn new(part: &str, table: Option<&Table>, root: &Root, limits: &Limits) -> Self {
        Self {
            part: part.to_owned(),
            is_given: table.is_some(),
            table: table.cloned().unwrap_or_default(),
            root: root.clone(),
            limits: limits.clone(),
        }
    }

    /// The settings of a table as text, without its header; paths start at `folder`. For tests of a part's settings.
    ///
    /// # Errors
    /// When the text is not TOML.
    pub fn from_toml(part: &str, text: &str, folder: &Path) -> Result<Self, SectionError> {
        let table = text.parse::<Table>().map_err(|error| SectionError::new("", error.message().to_owned()))?;
        Ok(Self::new(part, Some(&table), &Root::Disk(folder.to_owned()), &Limits::default()))
    }

    /// The part's name.
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }

    /// Returns `true` if `sandbox.toml` has this table.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.is_given
    }

    /// Returns `true` if the table has no setting at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The limits within which the part is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The names of the settings that the author gave, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(String::as_str)
    }

    /// Returns `true` if the author gave this setting.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The table without these settings, for a reader of the others.
    #[must_use]
    pub fn without(&self, keys: &[&str]) -> Self {
        let mut section = self.clone();
        section.table.retain(|key, _| !keys.contains(&key));
        section
    }

    /// The table with another text in the place of a setting.
    #[must_use]
    pub fn with(&self, key: &str, text: String) -> Self {
        let mut section = self.clone();
        section.table.insert(key.to_owned(), Value::String(text));
        section
    }

    /// Refuses a setting that is not one of `known`, and names the nearest that is.
    ///
    /// # Errors
    /// The first setting that is not known.
    pub fn only(&self, known: &[&str]) -> Result<(), SectionError> {
        self.only_or(known, String::new)
    }

    /// As [`Section::only`]; `otherwise` ends the sentence where no known name is near (`; a server has url, token`).
    ///
    /// # Errors
    /// The first setting that is not known.
    pub fn only_or(&self, known: &[&str], otherwise: impl Fn() -> String) -> Result<(), SectionError> {
        let Some(key) = self.keys().find(|key| !known.contains(key)) else { return Ok(()) };
        let meant = nearest(key, known).map(|near| format!("; did you mean `{near}`?"));
        let meant = if key == "path" && known.contains(&"url") {
            "; a part has a `path` or a `url`, not both".to_owned()
        } else {
            meant.unwrap_or_else(otherwise)
        };
        Err(SectionError::new(key, format!("unknown setting `{key}`{meant}")))
    }

    /// A setting's value as TOML writes it, for messages about settings that hold no secret.
    #[must_use]
    pub fn shown(&self, key: &str) -> String {
        self.table.get(key).map(Value::to_string).unwrap_or_default()
    }

    /// A text.
    ///
    /// # Errors
    /// When the value is not a text.
    pub fn text(&self, key: &str) -> Result<Option<String>, SectionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(self.found(key, &other.to_string(), "a string")),
        }
    }

    /// A text that is not empty.
    ///
    /// # Errors
    /// When the value is not a text, or is empty.
    pub fn name(&self, key: &str) -> Result<Option<String>, SectionError> {
        match self.text(key)? {
            Some(text) if text.is_empty() => Err(SectionError::new(key, format!("`{key}` is empty"))),
            text => Ok(text),
        }
    }

    /// `true` or `false`; `false` where it is left out.
    ///
    /// # Errors
    /// When the value is something else.
    pub fn flag(&self, key: &str) -> Result<bool, SectionError> {
        match self.table.get(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(*flag),
            Some(other) => Err(self.found(key, &other.to_string(), "true or false")),
        }
    }

    /// A duration, as in `30s`.
    ///
    /// # Errors
    /// When the value is not a duration above 0.
    pub fn duration(&self, key: &str) -> Result<Option<Duration>, SectionError> {
        let read = |text: String| duration(&text).map_err(|what| SectionError::new(key, format!("`{key}`: {what}")));
        self.text(key)?.map(read).transpose()
    }

    /// A size in bytes, as in `64KiB`.
    ///
    /// # Errors
    /// When the value is not a size.
    pub fn size(&self, key: &str) -> Result<Option<u64>, SectionError> {
        let read = |text: String| size(&text).map_err(|what| SectionError::new(key, format!("`{key}`: {what}")));
        self.text(key)?.map(read).transpose()
    }

    /// A whole number of 0 or more.
    ///
    /// # Errors
    /// When the value is something else.
    pub fn whole(&self, key: &str) -> Result<Option<u64>, SectionError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let whole = value.as_integer().and_then(|number| u64::try_from(number).ok());
        whole.map(Some).ok_or_else(|| self.found(key, &value.to_string(), "a whole number of 0 or more"))
    }

    /// Texts in an array; none where it is left out.
    ///
    /// # Errors
    /// When the value is not an array of texts.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, SectionError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let texts = value.as_array().map(|values| values.iter().map(|value| value.as_str().map(str::to_owned)));
        let texts = texts.and_then(Iterator::collect::<Option<Vec<_>>>);
        texts.ok_or_else(|| self.found(key, &value.to_string(), "an array of strings"))
    }

    /// A secret: `${env:NAME}` and nothing else, so that no secret is ever written into a file.
    ///
    /// # Errors
    /// When the value is anything else, or the variable is not set. What the author wrote is not repeated.
    pub fn secret(&self, key: &str) -> Result<Option<Secret>, SectionError> {
        let text = match self.table.get(key) {
            None => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => return Err(SectionError::new(key, format!("`{key}` is not a string; expected a string"))),
        };
        let secret =
            Secret::from_environment(text).map_err(|what| SectionError::new(key, format!("`{key}` {what}")))?;
        Ok(Some(secret))
    }

    /// A text that may be given as `${env:NAME}`, and whether it was.
    ///
    /// # Errors
    /// When the value is not a text, or the variable is not set.
    pub fn text_or_environment(&self, key: &str) -> Result<Option<(String, bool)>, SectionError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if !text.starts_with("${") {
            return Ok(Some((text, false)));
        }
        let secret =
            Secret::from_environment(&text).map_err(|what| SectionError::new(key, format!("`{key}` {what}")))?;
        Ok(Some((secret.reveal().to_owned(), true)))
    }

    /// An `http` or `https` URL that paths can be put behind: no credentials, no query, no slash at its end.
    ///
    /// # Errors
    /// When the value is not such a URL.
    pub fn base_url(&self, key: &str) -> Result<Option<String>, SectionError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        base_url(&text).map(Some).map_err(|what| SectionError::new(key, format!("`{key}` {what}")))
    }

    /// A file that is there: its path starts at the sandbox's folder.
    ///
    /// # Errors
    /// When the value is not a text, or there is no such file.
    pub fn file(&self, key: &str) -> Result<Option<SettingFile>, SectionError> {
        let Some(text) = self.name(key)? else { return Ok(None) };
        let missing = |path: PathBuf| SectionError::new(key, format!("`{key}`: there is no file {}", path.display()));
        self.root.setting_file(&text).map(Some).map_err(missing)
    }

    /// The file at a path that is part of a setting, whether it is there or not.
    #[must_use]
    pub fn file_at(&self, path: &str) -> SettingFile {
        self.root.setting_file(path).unwrap_or_else(SettingFile::from)
    }

    /// A table within the table.
    ///
    /// # Errors
    /// When the value is not a table; `example` is what the sentence says to write.
    pub fn table(&self, key: &str, example: &str) -> Result<Option<Self>, SectionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(Self { table: table.clone(), ..self.clone() })),
            Some(_) => Err(SectionError::new(key, format!("`{key}` is not a table; write {example}"))),
        }
    }

    /// Where a path of a setting leads on this machine; a path in a sandbox without a folder stays as it is.
    #[must_use]
    pub fn on_this_machine(&self, path: &str) -> PathBuf {
        self.root.path().map_or_else(|| PathBuf::from(path), |root| root.join(path))
    }

    /// Refuses a path of a setting that does not lead to a folder.
    ///
    /// # Errors
    /// When the value is not a text, or there is no such folder.
    pub fn folder_at(&self, key: &str) -> Result<(), SectionError> {
        match self.text(key)? {
            Some(path) if !self.root.is_folder(&path) => {
                let shown = self.on_this_machine(&path);
                Err(SectionError::new(key, format!("`{key}`: there is no folder {}", shown.display())))
            }
            _ => Ok(()),
        }
    }

    /// Reads a table that names a folder: `path`, or a `url` that begins with `file://`. `urls` are examples of the other
    /// URLs that the part is read from, for the message about one that it is not.
    ///
    /// # Errors
    /// The setting that is wrong.
    pub fn folder_only(&self, urls: &[&str]) -> Result<(), SectionError> {
        /// Settings that go with servers, which an author might leave behind when moving to a folder.
        const OF_SERVERS: &[&str] = &["token", "table", "identity_file", "password", "known_hosts"];
        if !self.is_given {
            return Ok(());
        }
        let mut named = false;
        for (key, value) in &self.table {
            let wrong = |message: String| Err(SectionError::new(key, message));
            let Some(text) = value.as_str() else {
                return wrong(format!("`{key}` is {value}; expected a string"));
            };
            match key.as_str() {
                "token" | "password" if Secret::from_environment(text).is_err() => {
                    self.secret(key)?;
                }
                key if OF_SERVERS.contains(&key) => {
                    return wrong(format!(
                        "`{key}` goes with a server, and this version reads folders only; leave it out"
                    ));
                }
                "path" => named = true,
                "url" if text.starts_with("file://") => named = true,
                "url" if urls.is_empty() => {
                    return wrong(format!(
                        "`url`: servers and databases are not supported by this version; give a folder, as in path = \
                         \"{}/\"",
                        self.part
                    ));
                }
                "url" => {
                    return wrong(format!(
                        "`url` has an unknown form; expected {}, file://… or a path",
                        urls.join(", ")
                    ));
                }
                _ => {
                    let known: Vec<&str> = ["path", "url"].iter().chain(OF_SERVERS).copied().collect();
                    let near = nearest(key, &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                    return wrong(format!("unknown setting `{key}`{near}"));
                }
            }
        }
        if !named {
            let key = self.keys().next().unwrap_or(&self.part);
            return Err(SectionError::new(key, "has no `path`; give a folder, as in path = \"captured/\""));
        }
        match self.folder_path() {
            Some(folder) if !self.root.is_folder(&folder) => {
                let shown = self.on_this_machine(&folder);
                Err(SectionError::new("path", format!("`path`: there is no folder {}", shown.display())))
            }
            _ => Ok(()),
        }
    }

    /// The folder that the table names: `path`, or what a `file://` URL leads to.
    pub(super) fn folder_path(&self) -> Option<String> {
        let text = |key: &str| self.table.get(key).and_then(Value::as_str);
        text("path").or_else(|| text("url")?.strip_prefix("file://")).map(str::to_owned)
    }

    /// Returns `true` if the part is read from a `url` that leads elsewhere than to a folder.
    pub(super) fn leads_elsewhere(&self) -> bool {
        self.table.get("url").and_then(Value::as_str).is_some_and(|url| !url.starts_with("file://"))
    }

    fn found(&self, key: &str, found: &str, expected: &str) -> SectionError {
        SectionError::new(key, format!("`{key}` is {found}; expected {expected}"))
    }
}

fn base_url(text: &str) -> Result<String, &'static str> {
    let no_url = "is not an http:// or https:// URL";
    let (scheme, rest) = text.split_once("://").ok_or(no_url)?;
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(no_url);
    }
    if rest.bytes().any(|byte| byte <= b' ' || byte >= 0x7f || b"\"<>\\^`{|}".contains(&byte)) {
        return Err("holds characters that a URL cannot contain");
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err("holds credentials; give them as username and password, or as token, by ${env:NAME}");
    }
    if rest.contains(['?', '#']) {
        return Err("has a query or a fragment; give the base alone, as in https://fhir.example.org/r4");
    }
    if host.is_empty() || host.starts_with(':') {
        return Err("names no host");
    }
    Ok(format!("{}://{}", scheme.to_ascii_lowercase(), rest.trim_end_matches('/')))
}
