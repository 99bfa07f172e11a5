//! The members of the assertion, validated.

use candor_check::Within;
use candor_check::compare::Operator;
use candor_check::field::{FieldEntry, Quantifier};
use candor_check::records::{Match, RecordRules};
use candor_check::settings::Cardinality;
use candor_glob::Glob;
use candor_json::Value;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use crate::archive::shape;
use crate::content::{Column, ContentPath, ROWS, Shape, rows_shape};
use crate::encoding::Charset;
use crate::format::{Format, format_named};
use crate::hygiene::{Arrived, Companion, Control, Forbidding, NameRule, Pgp, Stable, Unique};
use crate::unproven::passes_on_nothing;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: Option<String>,
    path_glob: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    exclude: Vec<String>,
    format: Option<String>,
    delimiter: Option<String>,
    header: Option<bool>,
    short_rows: Option<String>,
    #[serde(default)]
    empty_is_null: bool,
    columns: Option<Vec<Column>>,
    record_length: Option<usize>,
    min_bytes: Option<u64>,
    max_bytes: Option<u64>,
    sha256: Option<String>,
    encoding: Option<String>,
    modified_after: Option<String>,
    modified_before: Option<String>,
    arrived: Option<Arrived>,
    name: Option<NameRule>,
    pgp: Option<Pgp>,
    #[serde(default)]
    no_partials: bool,
    stable: Option<String>,
    #[serde(default)]
    companions: Vec<String>,
    control: Option<Control>,
    unique: Option<Value>,
    #[serde(default)]
    none: Vec<String>,
    #[serde(default)]
    fields: Vec<FieldEntry<ContentPath>>,
    #[serde(default, rename = "match")]
    matching: Match,
    count: Option<Cardinality>,
    within: Option<Within>,
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub glob: Glob,
    pub exclude: Vec<Glob>,
    /// The format that the assertion gives; else it follows each file's extension.
    pub format: Option<Format>,
    /// How rows are written, in files of rows.
    pub shape: Shape,
    /// True if a row may end before a column that something is asserted of.
    pub allows_short_rows: bool,
    pub size: Option<Size>,
    /// Lower-case hex.
    pub sha256: Option<String>,
    /// The encoding with the name that the author wrote.
    pub encoding: Option<(Charset, String)>,
    pub modified_after: Option<(Timestamp, String)>,
    pub modified_before: Option<(Timestamp, String)>,
    pub arrived: Option<Arrived>,
    /// The rules for the names of files.
    pub name: Option<NameRule>,
    pub pgp: Option<Pgp>,
    pub no_partials: bool,
    pub stable: Option<Stable>,
    pub companions: Vec<Companion>,
    pub control: Option<Control>,
    /// The values that no two files, or rows, may have in common.
    pub unique: Option<Unique>,
    /// The globs that nothing may match.
    pub none: Vec<Forbidding>,
    pub fields: Vec<FieldEntry<ContentPath>>,
    pub rules: RecordRules,
    /// How long to wait for it on a live source.
    pub within: Option<Within>,
}

/// Bounds of a file's size, both included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub min: Option<u64>,
    pub max: Option<u64>,
}

impl Settings {
    pub(crate) fn reads_content(&self) -> bool {
        self.parses_content() || self.encoding.is_some()
    }

    pub(crate) fn parses_content(&self) -> bool {
        self.fields.iter().any(reads_content)
            || self.control.as_ref().is_some_and(Control::reads_content)
            || matches!(self.unique, Some(Unique::Rows(_)))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &ContentPath> {
        let control = self.control.iter().flat_map(Control::paths_of_content);
        self.paths_of_fields().chain(control)
    }

    /// The paths of fields and of items. Of rows those of the columns; what is read of other items is read of what their
    /// group selects.
    pub(crate) fn paths_of_fields(&self) -> impl Iterator<Item = &ContentPath> {
        self.fields.iter().flat_map(paths_of).filter(|path| path.name.is_none())
    }

    /// Returns `true` if one more row could change the outcome for a file: rows are counted, or compared with each other.
    pub(crate) fn hangs_on_all_rows(&self) -> bool {
        matches!(self.unique, Some(Unique::Rows(_)))
            || self.control.as_ref().is_some_and(|control| control.records.is_some())
            || self.fields.iter().any(hangs_on_all_rows)
    }

    pub(crate) fn passes_without_rows(&self) -> bool {
        self.fields.iter().all(passes_without_rows)
    }

    /// The format of a file.
    ///
    /// # Errors
    /// The end of a sentence about it, where no one says what it is, or what is asserted of it cannot be.
    pub(crate) fn format_of(&self, path: &str) -> Result<Format, String> {
        let format = self.format.map_or_else(|| Format::of_path(path), Ok)?;
        if let Some(problem) = self.control.as_ref().and_then(|control| control.problem(format)) {
            return Err(format!("cannot be held against its control numbers: {problem}"));
        }
        match self.unique.as_ref().and_then(|unique| unique.problem(format)) {
            Some(problem) => Err(format!("cannot be held against the other files: {problem}")),
            None => Ok(format),
        }
    }

    /// Returns `true` if the last line of a file is its trailer and no record.
    pub(crate) fn has_trailer(&self) -> bool {
        self.control.as_ref().is_some_and(Control::has_trailer)
    }

    /// Returns `true` if anything but fields and a size is asserted of one file.
    pub(crate) fn asserts_beside_fields(&self) -> bool {
        self.encoding.is_some()
            || self.sha256.is_some()
            || self.modified_after.is_some()
            || self.modified_before.is_some()
            || self.arrived.is_some()
            || self.name.is_some()
            || self.pgp.is_some()
            || self.no_partials
            || self.stable.is_some()
            || !self.companions.is_empty()
            || self.control.is_some()
    }

    pub(crate) fn asserts_content(&self) -> bool {
        self.reads_content() || self.size.is_some() || self.asserts_beside_fields()
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        validated(members).map_err(serde::de::Error::custom)
    }
}

fn validated(members: Members) -> Result<Settings, String> {
    let mut paths = [members.path, members.path_glob, members.glob].into_iter().flatten();
    let glob = match (paths.next(), paths.next()) {
        (Some(glob), None) => Glob::parse(&glob).map_err(|e| e.to_string())?,
        (None, _) => return Err("`path` is missing; write a glob, as in `outbound/*.json`".to_owned()),
        (Some(_), Some(_)) => {
            return Err("`path`, `path_glob` and `glob` are one member under three names; give one".to_owned());
        }
    };
    let exclude = members.exclude.iter().map(|text| Glob::parse(text).map_err(|e| format!("`exclude`: {e}")));
    let format = members.format.as_deref().map(format_named).transpose()?;
    if members.encoding.is_some() && format == Some(Format::Pdf) {
        return Err("`encoding` does not go with the format pdf, which is not a text format".to_owned());
    }
    if (members.delimiter.is_some() || members.header.is_some()) && format.is_some_and(|format| format != Format::Csv) {
        return Err("`delimiter` and `header` go with the format csv".to_owned());
    }
    if members.empty_is_null && format.is_some_and(|format| !matches!(format, Format::Csv | Format::Fixed)) {
        return Err("`empty_is_null` goes with the formats csv and fixed".to_owned());
    }
    if members.short_rows.is_some() && (members.columns.is_some() || format.is_some_and(|format| format != Format::Csv))
    {
        return Err("`short_rows` goes with the format csv".to_owned());
    }
    let format = match (&members.columns, format) {
        (Some(_), None) => Some(Format::Fixed),
        (Some(_), Some(format)) if format != Format::Fixed => {
            return Err("`columns` go with the format fixed".to_owned());
        }
        (None, Some(Format::Fixed)) => {
            return Err("`columns` is missing; the format fixed needs `columns: [{name, start, length}]`".to_owned());
        }
        _ => format,
    };
    if members.record_length.is_some() && format != Some(Format::Fixed) {
        return Err("`record_length` goes with `columns`".to_owned());
    }
    let shape = rows_shape(
        members.delimiter.as_deref(),
        members.header,
        members.columns,
        members.record_length,
        members.empty_is_null,
    )?;
    let size = match (members.min_bytes, members.max_bytes) {
        (None, None) => None,
        (Some(min), Some(max)) if min > max => {
            return Err(format!("`min_bytes` is {min} and `max_bytes` is {max}: no file is that large"));
        }
        (min, max) => Some(Size { min, max }),
    };
    archives_open(&glob)?;
    let companions =
        members.companions.iter().map(|text| Companion::parse(text).map_err(|what| format!("`companions`: {what}")));
    let none = members.none.iter().map(|text| Forbidding::parse(text).map_err(|what| format!("`none`: {what}")));
    // Such a pass may rest on nothing being there, which a first look cannot tell.
    let absence = !members.none.is_empty() || members.count.is_some_and(|count| count.allows(0));
    let settings = Settings {
        exclude: exclude.collect::<Result<_, _>>()?,
        format,
        shape,
        allows_short_rows: allows_short_rows(members.short_rows.as_deref())?,
        size,
        sha256: members.sha256.as_deref().map(sha256).transpose()?,
        encoding: members.encoding.map(|name| Charset::named(&name).map(|charset| (charset, name))).transpose()?,
        modified_after: time("modified_after", members.modified_after)?,
        modified_before: time("modified_before", members.modified_before)?,
        arrived: members.arrived,
        name: members.name,
        pgp: members.pgp,
        no_partials: members.no_partials,
        stable: members.stable.as_deref().map(Stable::parse).transpose()?,
        companions: companions.collect::<Result<_, _>>()?,
        control: members.control,
        unique: members.unique.as_ref().map(Unique::of).transpose()?,
        none: none.collect::<Result<_, _>>()?,
        fields: members.fields,
        within: members.within.map(|within| within.to_the_end(absence)),
        rules: RecordRules { matching: members.matching, count: members.count },
        glob,
    };
    fields_fit(&settings)?;
    Ok(settings)
}

/// Holds the fields' paths against the format, as far as it is known before a file is seen.
fn fields_fit(settings: &Settings) -> Result<(), String> {
    names_fit(settings)?;
    if !settings.parses_content() {
        return Ok(());
    }
    let format = match (settings.format, written_format(&settings.glob)) {
        (Some(format), _) => format,
        (None, Some(format)) => format.map_err(|what| format!("what `{}` matches {what}", settings.glob.as_str()))?,
        (None, None) => return Ok(()),
    };
    let control = settings.control.as_ref().and_then(|control| control.problem(format));
    if let Some(problem) = control.or_else(|| settings.unique.as_ref().and_then(|unique| unique.problem(format))) {
        return Err(problem);
    }
    match problem_in("fields", &settings.fields, format, false) {
        Some((place, problem)) => Err(format!("{place}: {problem}")),
        None => Ok(()),
    }
}

fn names_fit(settings: &Settings) -> Result<(), String> {
    let places = settings.name.as_ref().map(|rule| rule.pattern.places()).unwrap_or_default();
    for (index, entry) in settings.fields.iter().enumerate() {
        let read = entry.fields().into_iter().filter_map(|field| field.path.name.as_deref());
        let Some(unknown) = read.into_iter().find(|name| !places.contains(name)) else { continue };
        let known = match places.as_slice() {
            [] => "`name` has no pattern that reads it; write `name: {pattern: \"…\"}`".to_owned(),
            known => format!("the pattern of `name` reads {}", known.join(", ")),
        };
        return Err(format!("fields[{index}].path: `$name.{unknown}` is not read: {known}"));
    }
    Ok(())
}

/// Returns `true` if an entry reads what a file holds, and not its name alone.
fn reads_content(entry: &FieldEntry<ContentPath>) -> bool {
    match entry {
        FieldEntry::Field(field) => field.path.name.is_none(),
        FieldEntry::Group(_) => true,
        FieldEntry::OneOf(one) => one.lists.iter().flatten().any(reads_content),
    }
}

/// The first entry that cannot be used on a format, with its place and why.
fn problem_in(
    name: &str,
    entries: &[FieldEntry<ContentPath>],
    format: Format,
    in_rows: bool,
) -> Option<(String, String)> {
    entries.iter().enumerate().find_map(|(index, entry)| {
        let place = format!("{name}[{index}]");
        match entry {
            FieldEntry::Field(field) => Some((place, field.path.problem(format)?)),
            FieldEntry::Group(_) if in_rows => {
                Some((format!("{place}.item"), "no items lie in a row; write fields with a `path`".to_owned()))
            }
            FieldEntry::Group(group) => match group.item.item_problem(format) {
                Some(problem) => Some((format!("{place}.item"), problem)),
                None => {
                    let rows = matches!(format, Format::Csv | Format::Fixed);
                    problem_in(&format!("{place}.where"), &group.conditions, format, rows)
                        .or_else(|| problem_in(&format!("{place}.fields"), &group.fields, format, rows))
                }
            },
            FieldEntry::OneOf(one) => one
                .lists
                .iter()
                .enumerate()
                .find_map(|(number, list)| problem_in(&format!("{place}.one_of[{number}]"), list, format, in_rows)),
        }
    })
}

/// The paths into the file: a field's, or that of a group's items. Of rows those of their columns.
fn paths_of(entry: &FieldEntry<ContentPath>) -> Vec<&ContentPath> {
    match entry {
        FieldEntry::Field(field) => vec![&field.path],
        FieldEntry::Group(group) if group.item_text == ROWS => {
            entry.fields().into_iter().map(|field| &field.path).collect()
        }
        FieldEntry::Group(group) => vec![&group.item],
        FieldEntry::OneOf(one) => one.lists.iter().flatten().flat_map(paths_of).collect(),
    }
}

fn hangs_on_all_rows(entry: &FieldEntry<ContentPath>) -> bool {
    match entry {
        FieldEntry::Field(field) => field.operator == Operator::Count || field.quantifier != Quantifier::Any,
        FieldEntry::Group(group) => group.count.is_some() || group.matching != Quantifier::Any,
        FieldEntry::OneOf(one) => one.lists.iter().flatten().any(hangs_on_all_rows),
    }
}

fn passes_without_rows(entry: &FieldEntry<ContentPath>) -> bool {
    match entry {
        FieldEntry::Field(field) => field.path.name.is_some() || passes_on_nothing(field),
        FieldEntry::Group(group) => group.count.is_some_and(|count| count.allows(0)),
        FieldEntry::OneOf(one) => one.lists.iter().any(|list| list.iter().all(passes_without_rows)),
    }
}

/// The format of everything that a glob matches, if the glob writes out the parts of a name that decide it.
fn written_format(glob: &Glob) -> Option<Result<Format, String>> {
    let mut formats = glob.last_names().map(|name| {
        let shape = shape(name);
        let (_, extension) = shape.inner.rsplit_once('.')?;
        let written = shape.archive.is_some() || !extension.contains(['*', '?', '[', '{', '\\']);
        written.then(|| Format::of_path(name))
    });
    let first = formats.next()??;
    formats.all(|format| format.as_ref() == Some(&first)).then_some(first)
}

/// The part before a `!` is an archive.
fn archives_open(glob: &Glob) -> Result<(), String> {
    let meta =
        |name: &str| name.is_empty() || name.rsplit('.').next().is_some_and(|end| end.contains(['*', '?', '[', '\\']));
    match glob.archive_names().find(|name| shape(name).archive.is_none() && !meta(name)) {
        Some(name) => Err(format!(
            "the glob `{}` asks for members of `{name}`, which is not a .zip, .tar, .tar.gz or .tgz; write \\! for the character",
            glob.as_str()
        )),
        None => Ok(()),
    }
}

fn allows_short_rows(text: Option<&str>) -> Result<bool, String> {
    match text {
        None => Ok(false),
        Some("allow") => Ok(true),
        Some(other) => Err(format!("`short_rows` is `{other}`; expected `allow`")),
    }
}

fn sha256(text: &str) -> Result<String, String> {
    let lower = text.to_ascii_lowercase();
    if lower.len() == 64 && lower.bytes().all(|b| b.is_ascii_hexdigit()) {
        Ok(lower)
    } else {
        Err(format!("`sha256` is `{text}`; expected 64 hexadecimal digits"))
    }
}

fn time(member: &str, text: Option<String>) -> Result<Option<(Timestamp, String)>, String> {
    let Some(text) = text else { return Ok(None) };
    match text.parse() {
        Ok(time) => Ok(Some((time, text))),
        Err(_) => Err(format!("`{member}` is `{text}`; expected a time with its zone, as in 2026-11-20T10:00:00Z")),
    }
}
