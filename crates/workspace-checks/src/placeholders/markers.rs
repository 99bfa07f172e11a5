//! The table of markers, compiled once.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::language::Region;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    needles: Vec<String>,
    pattern: String,
    #[serde(rename = "in")]
    within: Vec<Region>,
    #[serde(default)]
    languages: Vec<String>,
    unless: Option<Unless>,
}

/// Exceptions: where a marker is not a placeholder although its region counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unless {
    /// In what Python declares and leaves to others: abstract methods, overloads, protocols.
    Abstract,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    marker: Vec<Row>,
}

#[derive(Clone, Debug)]
pub(super) struct Marker {
    pub(super) name: String,
    pub(super) needles: Vec<String>,
    pub(super) pattern: Regex,
    pub(super) within: Vec<Region>,
    languages: Vec<String>,
    pub(super) unless: Option<Unless>,
}

impl Marker {
    /// A word of the author's own, which counts where words do.
    pub(super) fn word(word: &str) -> Result<Self, String> {
        let edge = |c: Option<char>| if c.is_some_and(|c| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
        let written = format!("{}{}{}", edge(word.chars().next()), as_it_looks(word), edge(word.chars().next_back()));
        let pattern = Regex::new(&written).map_err(|error| format!("`{word}` cannot be looked for: {error}"))?;
        Ok(Self {
            name: word.to_owned(),
            needles: vec![word.to_lowercase()],
            pattern,
            within: vec![Region::Comment, Region::Doc, Region::Prose, Region::Example],
            languages: Vec::new(),
            unless: None,
        })
    }

    pub(super) fn is_of(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.iter().any(|known| known == language)
    }

    pub(super) fn counts_in(&self, region: Region) -> bool {
        self.within.contains(&region)
    }

    /// Finds it in a text: the range to quote, and the offset that decides which region of the file it is in.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, usize)> + 't {
        let of_code = self.within == [Region::Code];
        let found = move |captures: Captures<'t>| {
            let refused = ["not_before", "not_after"].iter().any(|name| captures.name(name).is_some());
            let whole = captures.get(0)?;
            let at = captures.name("at").unwrap_or(whole);
            (!refused).then(|| (at.range(), if of_code { whole.start() } else { at.start() }))
        };
        self.pattern.captures_iter(text).filter_map(found)
    }
}

/// Words of the table that are found in full-width letters, too.
const WORDS: [&str; 6] = ["TODO", "FIXME", "XXX", "TBD", "IMPLEMENT", "PLACEHOLDER"];
/// Characters that do not show. Source: Unicode 16, block General Punctuation.
const INVISIBLE: &str = r"[\x{200b}-\x{200d}\x{2060}\x{feff}\x{ad}\x{180e}]";
/// A character of a word that does not look like what it is.
pub(super) const DISGUISED: &str = r"[\x{ff01}-\x{ff5e}\x{200b}-\x{200d}\x{2060}\x{feff}\x{ad}\x{180e}]";

/// A pattern of a word, also in full-width letters and with characters that do not show.
fn as_it_looks(word: &str) -> String {
    // Full-width forms are in the order of ASCII. Source: Unicode 16, block Halfwidth and Fullwidth Forms.
    let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_graphic());
    let letter = |c: char| {
        let plain = regex::escape(&c.to_string());
        match wide(c) {
            Some(wide) => format!("[{plain}{wide}]"),
            None => plain,
        }
    };
    word.chars().map(letter).collect::<Vec<_>>().join(&format!("{INVISIBLE}*"))
}

pub(super) static MARKERS: LazyLock<Vec<Marker>> = LazyLock::new(|| {
    // The table is part of the program; a test reads it whole.
    let table = toml::from_str::<Table>(include_str!("../../data/markers.toml"));
    let rows = table.map_or_else(|_| Vec::new(), |table| table.marker);
    rows.into_iter()
        .filter_map(|row| {
            let written = WORDS.iter().fold(row.pattern, |pattern, word| pattern.replace(word, &as_it_looks(word)));
            let pattern = Regex::new(&written).ok()?;
            Some(Marker {
                name: row.name,
                needles: row.needles,
                pattern,
                within: row.within,
                languages: row.languages,
                unless: row.unless,
            })
        })
        .collect()
});
