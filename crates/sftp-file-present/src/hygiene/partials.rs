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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_unfinished() {
        for (path, becomes) in [
            ("a/x.json.tmp", Some("a/x.json")),
            ("x.json.PART", Some("x.json")),
            ("x.json.filepart", Some("x.json")),
            ("x.json.8d2f.partial", Some("x.json.8d2f")),
            ("x.json~", Some("x.json")),
            ("x.!ut", Some("x")),
            ("x.csv.cyberduckpart", Some("x.csv")),
            ("x.csv._COPYING_", Some("x.csv")),
            ("x.csv.InProgress", Some("x.csv")),
            ("x.csv.part1", Some("x.csv")),
            ("x.csv.tmp.123", Some("x.csv")),
            ("x.csv.$$$", Some("x.csv")),
            ("x.csv.writing", Some("x.csv")),
            ("x.csv.block", None),
            ("x.csv.2026", None),
            ("x.csv.1", None),
            ("x-part-2.csv", None),
            ("2026", None),
            ("x.template", None),
            ("x.department", None),
            ("temp-x.csv", None),
            ("a/.tmp", None),
            ("~", None),
            ("x.json", None),
            ("party", None),
            ("ü~", Some("ü")),
        ] {
            assert_eq!(finished(path).as_deref(), becomes, "{path}");
        }
    }

    #[test]
    fn hidden_files_count_for_the_one_they_become() {
        let file = |path: &str| StoredFile {
            path: path.to_owned(),
            locator: path.to_owned(),
            size: 0,
            modified: None,
            version: None,
        };
        let files =
            ["d/.claims.json.Xy12Zw", "d/.in.claims.json.", "d/.keep", "d/claims.json", "d/z.tmp", "e/y.tmp"].map(file);
        let partials = Partials::among(&files);
        assert_eq!(partials.beside("d/claims.json"), ["d/.claims.json.Xy12Zw", "d/.in.claims.json.", "d/z.tmp"]);
        assert_eq!(partials.beside("d/other.json"), ["d/z.tmp"]);
        let files = ["d/Temp-claims.json", "d/tmp.claims.json", "d/temperature.json", "d/temp-other.json"].map(file);
        assert_eq!(Partials::among(&files).beside("d/claims.json"), ["d/Temp-claims.json", "d/tmp.claims.json"]);
        let files = ["d/~$claims.json", "d/_tmp_claims.json"].map(file);
        assert_eq!(Partials::among(&files).beside("d/claims.json").len(), 2);
        assert!(partials.beside("claims.json").is_empty());
        let files = ["d/~claims.json", "d/claims.json", "d/~other.json", "e/other.json"].map(file);
        let partials = Partials::among(&files);
        assert_eq!(partials.beside("d/~claims.json"), ["d/~claims.json"]);
        assert!(partials.beside("d/~other.json").is_empty());
    }
}
