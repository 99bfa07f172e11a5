//! A part that is read from a URL with a scheme of its own: a file server, a bucket, a database. The schemes are tables in
//! the check crates; this file reads a section by such a table. Nothing here opens a connection.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::password::without_password;
use super::secret::Secret;
use super::section::{Section, SectionError};
use super::setting_file::SettingFile;
use crate::settings::nearest;

/// The kind of value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// Text that anyone may see.
    Text,
    /// `${env:NAME}`.
    Secret,
    /// The name of a file that is there; its path starts at the sandbox's folder.
    File,
    /// `true` or `false`.
    Flag,
    /// As in `10s`.
    Duration,
    /// One of these.
    Choice(&'static [&'static str]),
}

/// A kind of source, by the scheme of its URL, with the settings that go with it.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// As it is written before `:`; [`Remote::scheme`] is the first of them.
    pub names: &'static [&'static str],
    /// The settings that may be in the same table.
    pub settings: &'static [(&'static str, SettingKind)],
    /// Settings that must be there, with why.
    pub required: &'static [(&'static str, &'static str)],
    /// An example of its URL.
    pub example: &'static str,
}

/// A file server, a bucket or a database that ground truth is read from.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The first name of its [`Scheme`]: `sftp`, `postgres`.
    pub scheme: &'static str,
    /// The URL as it may be shown: without a password.
    pub url: String,
    settings: BTreeMap<&'static str, Setting>,
}

#[derive(Clone, Debug)]
enum Setting {
    Text(String),
    Secret(Secret),
    File(SettingFile),
    Flag(bool),
    Duration(Duration),
}

impl Remote {
    /// Reads a section whose URL has one of these schemes; `None` for any other section.
    ///
    /// # Errors
    /// The setting that is wrong.
    pub fn read(section: &Section, schemes: &[Scheme]) -> Result<Option<Self>, SectionError> {
        let Ok(Some((url, from_environment))) = section.text_or_environment("url") else {
            return match section.text("url") {
                Ok(Some(text)) if text.starts_with("${") => section.text_or_environment("url").map(|_| None),
                _ => Ok(None),
            };
        };
        let Some(scheme) = scheme_of(schemes, &url) else { return Ok(None) };
        Self::described(section, scheme, &url, from_environment).map(Some)
    }

    fn described(section: &Section, scheme: &Scheme, url: &str, from_environment: bool) -> Result<Self, SectionError> {
        let mut settings = BTreeMap::new();
        for key in section.keys().filter(|key| *key != "url") {
            let Some(&(name, kind)) = scheme.settings.iter().find(|(name, _)| *name == key) else {
                return Err(SectionError::new(key, unknown(scheme, key)));
            };
            if let Some(value) = setting(section, name, kind)? {
                settings.insert(name, value);
            }
        }
        for (name, why) in scheme.required {
            if !settings.contains_key(name) {
                return Err(SectionError::new("url", format!("has no `{name}`: {why}")));
            }
        }
        let (url, password) = without_password(url);
        if let Some(password) = password {
            let may = scheme.settings.iter().any(|(name, _)| *name == "password");
            if !from_environment {
                let message = "`url` holds a password; give it as password = \"${env:NAME}\"";
                return Err(SectionError::new("url", message));
            }
            if !may || settings.contains_key("password") {
                let message = "`url` holds a password that is given otherwise, or not at all";
                return Err(SectionError::new("url", message));
            }
            settings.insert("password", Setting::Secret(Secret::new(password)));
        }
        Ok(Self { scheme: scheme.names.first().copied().unwrap_or_default(), url, settings })
    }

    /// Returns `true` if the author gave a setting, and did not set it to `false`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.settings.get(name).is_some_and(|value| !matches!(value, Setting::Flag(false)))
    }

    /// A setting that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.settings.get(name)? {
            Setting::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A setting that is a secret.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        match self.settings.get(name)? {
            Setting::Secret(secret) => Some(secret),
            _ => None,
        }
    }

    /// The path of a setting that names a file, which was there when the sandbox was opened.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Path> {
        match self.settings.get(name)? {
            Setting::File(file) => Some(file.path()),
            _ => None,
        }
    }

    /// Returns `true` if a flag is set.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.settings.get(name), Some(Setting::Flag(true)))
    }

    /// A setting that is a duration.
    #[must_use]
    pub fn duration(&self, name: &str) -> Option<Duration> {
        match self.settings.get(name)? {
            Setting::Duration(duration) => Some(*duration),
            _ => None,
        }
    }
}

fn scheme_of<'s>(schemes: &'s [Scheme], url: &str) -> Option<&'s Scheme> {
    let (name, _) = url.split_once(':')?;
    schemes.iter().find(|scheme| scheme.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

fn unknown(scheme: &Scheme, key: &str) -> String {
    let known: Vec<&str> = scheme.settings.iter().map(|(name, _)| *name).chain(["url"]).collect();
    match (key, nearest(key, &known)) {
        ("path", _) => "`path` is set as well as `url`; a part has a `path` or a `url`, not both".to_owned(),
        (_, Some(near)) => format!("unknown setting `{key}`; did you mean `{near}`?"),
        (_, None) => format!("unknown setting `{key}`; the settings with {} are {}", scheme.example, known.join(", ")),
    }
}

fn setting(section: &Section, name: &str, kind: SettingKind) -> Result<Option<Setting>, SectionError> {
    Ok(match kind {
        SettingKind::Flag => section.has(name).then_some(Setting::Flag(section.flag(name)?)),
        SettingKind::Secret => section.secret(name)?.map(Setting::Secret),
        SettingKind::File => section.file(name)?.map(Setting::File),
        SettingKind::Duration => match section.name(name)? {
            Some(_) => section.duration(name)?.map(Setting::Duration),
            None => None,
        },
        SettingKind::Text => section.name(name)?.map(Setting::Text),
        SettingKind::Choice(known) => match section.name(name)? {
            Some(text) if !known.contains(&text.as_str()) => {
                let message = format!("`{name}` is {text:?}; expected one of {}", known.join(", "));
                return Err(SectionError::new(name, message));
            }
            text => text.map(Setting::Text),
        },
    })
}
