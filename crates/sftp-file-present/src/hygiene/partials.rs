//! Files that are still being written, by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::store::StoredFile;

/// The forms of such names: what stands before and behind the finished one.
static FORMS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("partials.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.trim().split_once('*')).collect()
});

/// The finished path of one that is named as files are that are still being written.
pub(crate) fn finished(path: &str) -> Option<String> {
    let (folder, name) = split(path);
    let end = FORMS.iter().filter(|(before, _)| before.is_empty()).find(|(_, end)| {
        name.len() > end.len() && name.get(name.len() - end.len()..).is_some_and(|last| last.eq_ignore_ascii_case(end))
    });
    let (_, end) = end?;
    Some(format!("{folder}{}", name.get(..name.len() - end.len())?))
}

fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Whether a hidden file is one that becomes the named one: `.in.NAME.` (ProFTPD), `.NAME`, `.NAME.Xy12Zw` (rsync).
fn becomes(hidden: &str, name: &str) -> bool {
    let forms = FORMS.iter().filter(|(before, _)| !before.is_empty());
    forms.into_iter().any(|(before, after)| {
        let rest = hidden.strip_prefix(before).and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest == *after || after.is_empty() && rest.starts_with('.'))
    })
}

#[derive(Default)]
pub(crate) struct Partials<'a> {
    /// By folder: those whose name says it whatever they become.
    certain: HashMap<&'a str, Vec<&'a str>>,
    /// By folder: hidden files.
    hidden: HashMap<&'a str, Vec<&'a str>>,
}

/// How many are named.
const MOST: usize = 20;

impl<'a> Partials<'a> {
    pub(crate) fn among(files: &'a [StoredFile]) -> Self {
        let mut partials = Self::default();
        for file in files {
            let (folder, name) = split(&file.path);
            if finished(&file.path).is_some() {
                partials.certain.entry(folder).or_default().push(&file.path);
            } else if name.starts_with('.') {
                partials.hidden.entry(folder).or_default().push(&file.path);
            }
        }
        partials
    }

    pub(crate) fn beside(&self, path: &str) -> Vec<String> {
        let (folder, name) = split(path);
        let certain = self.certain.get(folder).into_iter().flatten();
        let hidden = self.hidden.get(folder).into_iter().flatten();
        let hidden = hidden.filter(|other| **other != path && becomes(split(other).1, name));
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
        assert!(partials.beside("claims.json").is_empty());
    }
}
