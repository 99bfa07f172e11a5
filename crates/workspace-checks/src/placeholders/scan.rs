//! Looking for markers in one text.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::declares::declares;
use super::ellipsis;
use super::language::{self, Language, Region};
use super::markers::{DISGUISED, MARKERS, Marker, Unless};
use super::regions::Regions;
use crate::text::{Positions, excerpt};

/// Additional markers: words of the author's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Rules {
    /// Words, as they are written.
    pub extra: Vec<String>,
}

/// Something that was left unfinished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name: `TODO`.
    pub marker: String,
    /// The kind of the part of the file that contains it.
    pub region: Region,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1, in characters.
    pub column: usize,
    /// First byte of it in the text, and the byte after the last one.
    pub span: (usize, usize),
    /// The line, cut short.
    pub text: String,
}

/// Looks for placeholders in texts.
///
/// ```
/// use candor_workspace_checks::{Region, Rules, Scanner};
/// let scanner = Scanner::new(&Rules::default())?;
/// let found = scanner.scan("src/lib.rs", "fn a() {\n    // TODO: write\n    let todo_list = \"TODO\";\n}\n");
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].line, found[0].column, found[0].region), (2, 8, Region::Comment));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scanner {
    /// Every marker, with a pattern of its needles: most texts hold those of few.
    markers: Vec<(Regex, Marker)>,
    /// A pattern that matches if any marker may: most texts need no more than one pass.
    needles: Regex,
}

impl Scanner {
    /// Gets ready to look.
    ///
    /// # Errors
    /// When a word of the author's own is empty or too long to be looked for.
    pub fn new(rules: &Rules) -> Result<Self, String> {
        let mut markers = MARKERS.clone();
        for word in &rules.extra {
            if word.trim().is_empty() {
                return Err("`extra` holds an empty word, which every text contains".to_owned());
            }
            markers.push(Marker::word(word)?);
        }
        let dots = ["...".to_owned(), "…".to_owned()];
        let needles = any_of(markers.iter().flat_map(|marker| &marker.needles).chain(&dots))?;
        let with_needles = |marker: Marker| Ok((any_of(&marker.needles)?, marker));
        Ok(Self { markers: markers.into_iter().map(with_needles).collect::<Result<_, String>>()?, needles })
    }

    /// True if a text may contain a placeholder.
    #[must_use]
    pub fn may_hold(&self, bytes: &[u8]) -> bool {
        self.needles.is_match(bytes)
    }

    /// Every placeholder of a text, in order.
    #[must_use]
    pub fn scan(&self, path: &str, text: &str) -> Vec<Finding> {
        if !self.may_hold(text.as_bytes()) {
            return Vec::new();
        }
        let language = language::of(path, text);
        let regions = Regions::of(text, language);
        let mut hits = self.hits(text, language, &regions);
        // A stub file holds declarations and nothing else.
        if !path.ends_with(".pyi") {
            let dots = ellipsis::find(text, language, &regions).into_iter();
            hits.extend(dots.map(|(at, length, region)| Hit { at, end: at + length, name: "...".to_owned(), region }));
        }
        hits.sort_by(|a, b| (a.at, b.end).cmp(&(b.at, a.end)));
        let mut positions = Positions::new(text);
        let (mut findings, mut last) = (Vec::<Finding>::new(), 0);
        for hit in hits {
            // `TODO: implement me` is one placeholder by two names only where they overlap.
            if hit.at < last {
                continue;
            }
            last = hit.end;
            let (line, column, whole) = positions.at(hit.at);
            findings.push(Finding {
                marker: hit.name,
                region: hit.region,
                line,
                column,
                span: (hit.at, hit.end),
                text: excerpt(whole),
            });
        }
        findings
    }

    fn hits(&self, text: &str, language: &Language, regions: &Regions) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (needles, marker) in self.markers.iter().filter(|(_, marker)| marker.is_of(&language.name)) {
            if !needles.is_match(text.as_bytes()) {
                continue;
            }
            for (range, decides) in marker.find(text) {
                let (region, _) = regions.at(decides);
                let mentioned = !matches!(region, Region::Code | Region::String) && is_quoted(text, &range);
                let counts = marker.counts_in(region) || (language.is_code(region) && marker.counts_in(Region::Code));
                if !counts || mentioned || declared(marker, text, range.start, language) {
                    continue;
                }
                hits.push(Hit { at: range.start, end: range.end, name: marker.name.clone(), region });
            }
        }
        hits
    }
}

/// A pattern of texts, without regard to case, or of a character that may hide one.
fn any_of<'a>(texts: impl IntoIterator<Item = &'a String>) -> Result<Regex, String> {
    let texts = texts.into_iter().map(|text| regex::escape(text)).chain([DISGUISED.to_owned()]).collect::<Vec<_>>();
    let pattern = RegexBuilder::new(&texts.join("|")).case_insensitive(true).size_limit(1 << 24).build();
    pattern.map_err(|error| format!("`extra` cannot be looked for: {error}"))
}

/// True if a word has quotation marks around it: it is mentioned, and not meant.
fn is_quoted(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|before| before.chars().next_back());
    let after = text.get(range.end..).and_then(|after| after.chars().next());
    matches!(
        (before, after),
        (Some('`'), Some('`')) | (Some('"'), Some('"')) | (Some('\''), Some('\'')) | (Some('“'), Some('”'))
    )
}

struct Hit {
    at: usize,
    end: usize,
    name: String,
    region: Region,
}

fn declared(marker: &Marker, text: &str, at: usize, language: &Language) -> bool {
    let line = text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |end| end + 1);
    marker.unless == Some(Unless::Abstract) && declares(text, line, at, language)
}
