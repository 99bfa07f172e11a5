//! The first errors and the failed tests that the output of known tools names.
//!
//! The command wrote everything that is read here. It helps a person or a delegate to mend the fault, and decides
//! nothing.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};
use serde::Deserialize;

/// How many errors are kept.
const ERRORS: usize = 5;
/// How many names of failed tests are kept.
const TESTS: usize = 20;
/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 2000;
/// The longest error or name, in characters.
const LONGEST: usize = 300;
/// How far behind its first line a finding goes on.
const WITHIN: usize = 40;
/// How far in front of it the file may be named.
const IN_FRONT: usize = 200;
/// The most lines that begin a finding: later ones are neither kept nor counted.
const MOST_LINES: usize = 2000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[expect(dead_code, reason = "says to a reader of the table which tool the form is of")]
    tool: String,
    line: String,
    but: Option<String>,
    before: Option<String>,
    #[serde(default)]
    after: Vec<String>,
    without: Option<String>,
    #[serde(default)]
    placed: bool,
    #[serde(default)]
    block: bool,
    #[serde(default)]
    weak: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    foreign: String,
    form: Vec<Row>,
}

struct Form {
    line: Regex,
    but: Option<Regex>,
    before: Option<Regex>,
    after: Vec<Regex>,
    without: Option<Regex>,
    placed: bool,
    block: bool,
    weak: bool,
}

/// The table, with one automaton that finds the lines on which some form begins.
struct Forms {
    foreign: Regex,
    lines: RegexSet,
    forms: Vec<Form>,
}

// The table is part of the program; a test holds that every row of it is read.
static FORMS: LazyLock<Option<Forms>> = LazyLock::new(|| read(include_str!("../data/diagnostics.toml")).ok());

fn read(text: &str) -> Result<Forms, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let regex = |pattern: &String| Regex::new(pattern).map_err(|error| error.to_string());
    let optional = |pattern: &Option<String>| pattern.as_ref().map(regex).transpose();
    let form = |row: &Row| {
        Ok(Form {
            line: regex(&row.line)?,
            but: optional(&row.but)?,
            before: optional(&row.before)?,
            after: row.after.iter().map(regex).collect::<Result<_, String>>()?,
            without: optional(&row.without)?,
            placed: row.placed,
            block: row.block,
            weak: row.weak,
        })
    };
    Ok(Forms {
        foreign: regex(&table.foreign)?,
        lines: RegexSet::new(table.form.iter().map(|row| &row.line)).map_err(|error| error.to_string())?,
        forms: table.form.iter().map(form).collect::<Result<_, String>>()?,
    })
}

/// The findings that the output of a command names.
///
/// ```
/// let output = "test tests::adds ... FAILED\nerror[E0425]: cannot find value `c`\n --> src/lib.rs:1:35\n";
/// let found = candor_process::diagnostics(output);
/// assert_eq!(found.errors, ["src/lib.rs:1:35: error[E0425]: cannot find value `c`"]);
/// assert_eq!(found.tests, ["tests::adds"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The first errors, each with its place where the tool names one: `src/lib.rs:1:35: error[E0425]: …`.
    pub errors: Vec<String>,
    /// How many errors there are beyond these.
    pub more_errors: usize,
    /// The names of failed tests, each once, in the order of the output.
    pub tests: Vec<String>,
    /// How many failed tests there are beyond these.
    pub more_tests: usize,
}

impl Diagnostics {
    /// As one or two sentences; `None` where no known tool named anything.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let list = |name: (&str, &str), all: &[String], separator: &str, more: usize| {
            let heading = if all.len() + more == 1 { name.0 } else { name.1 };
            let more = if more > 0 { format!("{separator}and {more} more") } else { String::new() };
            let all = all.join(separator) + &more;
            (!all.is_empty()).then(|| format!("{heading}: {}.", all.trim_end_matches('.')))
        };
        let tests = list(("Failed test", "Failed tests"), &self.tests, ", ", self.more_tests);
        let errors = list(("Error", "First errors"), &self.errors, " | ", self.more_errors);
        let sentences: Vec<String> = tests.into_iter().chain(errors).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

#[derive(Default)]
struct Finding {
    what: Vec<String>,
    at: Option<String>,
    line: Option<String>,
    test: Option<String>,
    who: Option<String>,
}

impl Finding {
    /// Takes the groups of a match that it has not yet; a place that is not of the work does not count.
    fn take(&mut self, found: &Captures<'_>, foreign: &Regex) {
        let group = |name: &str| found.name(name).map(|group| group.as_str().to_owned());
        if let Some(at) = group("at").filter(|_| self.at.is_none()) {
            if foreign.is_match(&at) {
                return;
            }
            self.at = Some(at);
        }
        if let Some(what) = group("what").map(|what| squeezed(&what)).filter(|what| !self.what.contains(what)) {
            self.what.push(what);
        }
        self.line = self.line.take().or_else(|| group("line"));
        self.test = self.test.take().or_else(|| group("test"));
        self.who = self.who.take().or_else(|| group("who"));
    }

    fn place(&self) -> Option<String> {
        let line = self.line.as_ref().map(|line| line.replace(',', ":"));
        match (&self.at, line) {
            (Some(at), Some(line)) => Some(format!("{at}:{line}")),
            (Some(at), None) => Some(at.clone()),
            (None, Some(line)) => Some(format!("{}:{line}", self.test.as_deref().unwrap_or("line"))),
            (None, None) => None,
        }
    }

    /// `src/lib.rs:6:17: tests::adds: assertion failed; left: -1; right: 3`; `None` where it is a name alone.
    fn error(&self) -> Option<String> {
        let place = self.place();
        if self.what.is_empty() && place.is_none() {
            return None;
        }
        let about = self.test.clone().or_else(|| self.who.clone());
        let about = about.filter(|about| !place.as_ref().is_some_and(|place| place.starts_with(about)));
        let what = (!self.what.is_empty()).then(|| self.what.join("; "));
        let parts: Vec<String> = place.into_iter().chain(about).chain(what).collect();
        Some(cut(&parts.join(": ")))
    }
}

/// White space as one blank, without the colon that announces further lines.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(':').to_owned()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Finds what the output of a command names: text as [`crate::plain`] leaves it, whatever wrote it. Takes time in proportion to
/// its length.
#[must_use]
pub fn diagnostics(output: &str) -> Diagnostics {
    let Some(forms) = FORMS.as_ref() else { return Diagnostics::default() };
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let candidates: Vec<(usize, Vec<usize>)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && line.len() <= LONGEST_LINE)
        .map(|(at, line)| (at, forms.lines.matches(line).into_iter().collect::<Vec<usize>>()))
        .filter(|(_, of)| !of.is_empty())
        .take(MOST_LINES)
        .collect();
    let found = |weak: bool| -> Vec<Finding> {
        let holds = |form: &&Form| match &form.without {
            _ if form.weak != weak => false,
            Some(without) => !lines.iter().any(|line| line.len() <= LONGEST_LINE && without.is_match(line)),
            None => true,
        };
        let forms = Vec::from_iter(forms.forms.iter().enumerate().filter(|(_, form)| holds(form)));
        let begins = candidates.iter().flat_map(|(at, of)| {
            let begun = forms.iter().filter(move |(number, _)| of.contains(number));
            begun.map(move |(_, form)| (*at, *form))
        });
        begins.filter_map(|(at, form)| form.finding(&lines, at)).collect()
    };
    let mut findings = found(false);
    if findings.is_empty() {
        findings = found(true);
    }
    summed(&findings)
}

fn summed(findings: &[Finding]) -> Diagnostics {
    let mut seen = std::collections::HashSet::new();
    let mut out = Diagnostics::default();
    for error in findings.iter().filter_map(Finding::error).filter(|error| seen.insert(error.clone())) {
        match out.errors.len() < ERRORS {
            true => out.errors.push(error),
            false => out.more_errors += 1,
        }
    }
    let mut seen = std::collections::HashSet::new();
    for test in findings.iter().filter_map(|finding| finding.test.as_deref()).filter(|test| seen.insert(*test)) {
        match out.tests.len() < TESTS {
            true => out.tests.push(cut(&squeezed(test))),
            false => out.more_tests += 1,
        }
    }
    out
}

impl Form {
    fn begins(&self, line: &str) -> bool {
        line.len() <= LONGEST_LINE
            && self.line.is_match(line)
            && !self.but.as_ref().is_some_and(|but| but.is_match(line))
    }

    fn finding(&self, lines: &[&str], at: usize) -> Option<Finding> {
        let foreign = &FORMS.as_ref()?.foreign;
        let line = lines.get(at)?;
        let (before, behind) = (lines.get(..at)?, lines.get(at + 1..)?);
        let goes_on = self.block && before.last().is_some_and(|line| self.begins(line));
        if goes_on || !self.begins(line) {
            return None;
        }
        let mut finding = Finding::default();
        finding.take(&self.line.captures(line)?, foreign);
        if let Some(pattern) = &self.before {
            let near = before
                .iter()
                .rev()
                .take(IN_FRONT)
                .take_while(|line| !line.is_empty())
                .filter(|line| line.len() <= LONGEST_LINE);
            let mut places = near.filter_map(|line| pattern.captures(line));
            let of_the_work = |found: &Captures<'_>| found.name("at").is_some_and(|at| !foreign.is_match(at.as_str()));
            if let Some(found) = places.find(of_the_work) {
                finding.take(&found, foreign);
            }
        }
        let block = behind.iter().take_while(|line| self.block && self.begins(line)).count();
        let behind = behind.get(block..).unwrap_or_default();
        let behind = behind.get(..behind.len().min(WITHIN)).unwrap_or_default();
        let behind = || behind.iter().take_while(|line| !self.begins(line)).filter(|line| line.len() <= LONGEST_LINE);
        for pattern in &self.after {
            let mut matches = behind().filter_map(|line| pattern.captures(line));
            let usable = |found: &Captures<'_>| found.name("at").is_none_or(|at| !foreign.is_match(at.as_str()));
            if let Some(found) = matches.find(usable) {
                finding.take(&found, foreign);
            }
        }
        (!self.placed || finding.at.is_some()).then_some(finding)
    }
}
