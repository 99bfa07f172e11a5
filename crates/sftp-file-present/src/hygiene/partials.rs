//! Files that are still being written, by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::store::StoredFile;

/// The forms of such names: what is before and behind the finished one.
static FORMS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("partials.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.trim().split_once('*')).collect()
});

/// The finished path of one that is named as files are that are still being written.
pub(crate) fn finished(path: &str) -> Option<String> {
    let (folder, name) = split(path);
    let lower = name.to_ascii_lowercase();
    // `x.part1`, `x.tmp.123`
    let unnumbered = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let unnumbered = if unnumbered.len() < name.len() { unnumbered.trim_end_matches('.') } else { unnumbered };
    let before = before_end(&lower).or_else(|| before_end(unnumbered))?;
    name.get(..before).filter(|before| !before.is_empty()).map(|before| format!("{folder}{before}"))
}

/// The length of what is before the end of a form.
fn before_end(lower: &str) -> Option<usize> {
    let mut ends = FORMS.iter().filter(|(before, _)| before.is_empty()).map(|(_, end)| *end);
    ends.find_map(|end| match end.strip_prefix('.') {
        Some(word) => {
            let (before, extension) = lower.rsplit_once('.')?;
            extension.trim_matches('_').ends_with(word).then_some(before.len())
        }
        None => lower.strip_suffix(end).map(str::len),
    })
}

fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// The rest of a name after the beginning of a form.
fn behind<'n>(name: &'n str, before: &str) -> Option<&'n str> {
    match before.strip_suffix('?') {
        Some(word) => name
            .get(word.len()..)
            .filter(|rest| {
                rest.starts_with(['-', '_', '.'])
                    && name.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word))
            })?
            .get(1..),
        None => name.strip_prefix(before),
    }
}

/// Returns `true` if a file becomes the named one: `.in.NAME.` (ProFTPD), `.NAME`, `.NAME.Xy12Zw` (rsync), `tmp-NAME`.
fn becomes(hidden: &str, name: &str) -> bool {
    let forms = FORMS.iter().filter(|(before, _)| !before.is_empty());
    forms.into_iter().any(|(before, after)| {
        let rest = behind(hidden, before).and_then(|rest| rest.strip_prefix(name));
        let goes_on = |rest: &str| before.starts_with('.') && after.is_empty() && rest.starts_with('.');
        rest.is_some_and(|rest| rest == *after || goes_on(rest))
    })
}

#[derive(Default)]
pub(crate) struct Partials<'a> {
    /// By folder: the names of all files.
    names: HashMap<&'a str, Vec<&'a str>>,
    /// By folder: those whose name says it whatever they become.
    certain: HashMap<&'a str, Vec<&'a str>>,
    /// By folder: hidden files, and those with a prefix that may say it.
    hidden: HashMap<&'a str, Vec<&'a str>>,
}

/// How many are named.
const MOST: usize = 20;

impl<'a> Partials<'a> {
    pub(crate) fn among(files: &'a [StoredFile]) -> Self {
        let mut partials = Self::default();
        for file in files {
            let (folder, name) = split(&file.path);
            partials.names.entry(folder).or_default().push(name);
            if finished(&file.path).is_some() {
                partials.certain.entry(folder).or_default().push(&file.path);
            } else if FORMS.iter().any(|(before, _)| !before.is_empty() && behind(name, before).is_some()) {
                partials.hidden.entry(folder).or_default().push(&file.path);
            }
        }
        partials
    }

    pub(crate) fn beside(&self, path: &str) -> Vec<String> {
        let (folder, name) = split(path);
        let certain = self.certain.get(folder).into_iter().flatten();
        let hidden = self.hidden.get(folder).into_iter().flatten();
        let is_unfinished = |file: &&&str| match **file == path {
            true => self.names.get(folder).into_iter().flatten().any(|other| becomes(name, other)),
            false => becomes(split(file).1, name),
        };
        let hidden = hidden.filter(is_unfinished);
        let mut beside: Vec<String> = certain.chain(hidden).map(|path| (*path).to_owned()).take(MOST).collect();
        beside.sort();
        beside
    }
}
