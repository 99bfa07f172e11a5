//! `control`: where a drop's control numbers are, and what they must equal.

use candor_check::field::FieldPath as _;
use candor_json::Value;
use serde::{Deserialize, Deserializer};

use super::companions::Companion;
use crate::content::{ContentPath, Shape, rows_shape};
use crate::format::{Format, format_named};

#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) place: ControlPlace,
    pub(crate) records: Option<Number>,
    pub(crate) total: Option<Number>,
    /// The digest of the file; in a sidecar only.
    pub(crate) hash: Option<Number>,
}

#[derive(Clone, Debug)]
pub(crate) enum ControlPlace {
    Content,
    /// In the last line, which is not a record.
    Trailer,
    Sidecar {
        file: Companion,
        format: Format,
        shape: Shape,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) at: ContentPath,
    pub(crate) of: Option<ContentPath>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    trailer: bool,
    file: Option<String>,
    format: Option<String>,
    delimiter: Option<String>,
    header: Option<bool>,
    records: Option<Value>,
    total: Option<Value>,
    hash: Option<Value>,
}

impl<'de> Deserialize<'de> for Control {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        validated(written).map_err(serde::de::Error::custom)
    }
}

fn validated(written: Written) -> Result<Control, String> {
    let number = |name: &str, value: &Option<Value>| value.as_ref().map(|value| number(name, value)).transpose();
    let (records, total, hash) =
        (number("records", &written.records)?, number("total", &written.total)?, number("hash", &written.hash)?);
    if records.is_none() && total.is_none() && hash.is_none() {
        return Err("`control` asserts nothing; give `records`, `total` or `hash`".to_owned());
    }
    if total.as_ref().is_some_and(|total| total.of.is_none()) {
        return Err(
            "`total` has no `of`: the path of what is added up, as in {\"at\": \"2\", \"of\": \"amount\"}".to_owned()
        );
    }
    if hash.as_ref().is_some_and(|hash| hash.of.is_some()) {
        return Err("`hash` is of the file's bytes and has no `of`".to_owned());
    }
    if hash.is_some() && written.file.is_none() {
        return Err("`hash` is read from another file; give `file`, as in *.ctl".to_owned());
    }
    let place = match (&written.file, written.trailer) {
        (Some(_), true) => return Err("`trailer` and `file` are two places; give one".to_owned()),
        (Some(file), false) => {
            let companion = Companion::parse(file)?;
            let format = match &written.format {
                Some(name) => format_named(name)?,
                None => Format::of_path(file).map_err(|what| format!("`file`: what `{file}` names {what}"))?,
            };
            if matches!(format, Format::Fixed | Format::Pdf) {
                return Err(format!("no control numbers are read from `file` in the format {}", format.name()));
            }
            let shape = rows_shape(written.delimiter.as_deref(), written.header, None, None, false)?;
            ControlPlace::Sidecar { file: companion, format, shape }
        }
        (None, trailer) => {
            if written.format.is_some() || written.delimiter.is_some() || written.header.is_some() {
                return Err("`format`, `delimiter` and `header` in `control` go with `file`".to_owned());
            }
            if trailer { ControlPlace::Trailer } else { ControlPlace::Content }
        }
    };
    let control = Control { place, records, total, hash };
    if let ControlPlace::Sidecar { format, .. } = control.place {
        for (name, number) in control.numbers() {
            if let Some(problem) = number.at.problem(format) {
                return Err(format!("`{name}`: {problem}"));
            }
        }
    }
    Ok(control)
}

/// A path, or `{at, of}`.
fn number(name: &str, value: &Value) -> Result<Number, String> {
    let wrong = || format!("`{name}` is {value}; expected a path, or {{\"at\": …, \"of\": …}}");
    let path = |text: &str| {
        ContentPath::parse(text)
            .map_err(|problem| format!("`{name}`: `{text}`: at byte {}: {}", problem.offset, problem.message))
    };
    match value {
        Value::String(at) => Ok(Number { at: path(at)?, of: None }),
        Value::Object(members) => {
            if let Some(unknown) = members.keys().find(|key| !matches!(key.as_str(), "at" | "of")) {
                return Err(format!("`{name}` has no member `{unknown}`; it has `at` and `of`"));
            }
            let text = |key: &str| members.get(key).map(|value| value.as_str().ok_or_else(wrong)).transpose();
            let at = text("at")?.ok_or_else(wrong)?;
            Ok(Number { at: path(at)?, of: text("of")?.map(path).transpose()? })
        }
        _ => Err(wrong()),
    }
}

impl Control {
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&'static str, &Number)> {
        let all = [("records", &self.records), ("total", &self.total), ("hash", &self.hash)];
        all.into_iter().filter_map(|(name, number)| Some((name, number.as_ref()?)))
    }

    pub(crate) fn paths_of_content(&self) -> impl Iterator<Item = &ContentPath> {
        let told_within = matches!(self.place, ControlPlace::Content);
        self.numbers().flat_map(move |(_, number)| number.of.iter().chain(told_within.then_some(&number.at)))
    }

    pub(crate) fn sidecar(&self) -> Option<(&Companion, Format, &Shape)> {
        match &self.place {
            ControlPlace::Sidecar { file, format, shape } => Some((file, *format, shape)),
            _ => None,
        }
    }

    pub(crate) fn has_trailer(&self) -> bool {
        matches!(self.place, ControlPlace::Trailer)
    }

    pub(crate) fn reads_content(&self) -> bool {
        self.records.is_some() || self.total.is_some()
    }

    /// Why this cannot be asserted of files of a format; `None` when it can.
    pub(crate) fn problem(&self, format: Format) -> Option<String> {
        if self.has_trailer() && !matches!(format, Format::Csv | Format::Ndjson) {
            let name = format.name();
            return Some(format!(
                "`control.trailer` goes with csv and ndjson files, whose last line it is, not with {name}"
            ));
        }
        if self.reads_content() && format == Format::Pdf {
            return Some("`control` counts no records in files of the format pdf".to_owned());
        }
        let inside = matches!(self.place, ControlPlace::Content);
        self.numbers().find_map(|(name, number)| {
            let at = inside.then_some(&number.at);
            let problem = at.into_iter().chain(&number.of).find_map(|path| path.problem(format))?;
            Some(format!("`control.{name}`: {problem}"))
        })
    }
}

/// The lines before the last that is not empty, and that one.
pub(crate) fn split_trailer(text: &str) -> (&str, &str) {
    let end = text.trim_end_matches(['\n', '\r', ' ', '\t', '\u{1a}']).len();
    let lines = text.get(..end).unwrap_or_default();
    text.get(..end).map_or(("", ""), |_| lines.split_at(lines.rfind(['\n', '\r']).map_or(0, |at| at + 1)))
}
