//! Globs over paths: `*`, `?`, `[ ]`, `{a,b}` within a name, `**` across folders, `!` before the members of an archive.
//!
//! Text against text: nothing here lists a folder. A check holds the paths that it found against a glob, and lists only what
//! the glob's [`literal_prefix`](Glob::literal_prefix) covers.

mod braces;
mod name;

use name::Name;

/// A glob that was read.
///
/// ```
/// use candor_glob::Glob;
/// let glob = Glob::parse("outbound/**/*.{json,csv}").unwrap();
/// assert!(glob.matches("outbound/claims.json") && glob.matches("outbound/a/b/claims.csv"));
/// assert!(!glob.matches("outbound/.claims.json") && !glob.matches("outbound/claims.JSON"));
/// assert_eq!(glob.literal_prefix(), "outbound");
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    text: String,
    alternatives: Vec<Layers>,
}

/// A glob of a path, and behind each `!` one of a path in the archive before it.
type Layers = Vec<Vec<Step>>;

/// How deep an archive may lie in archives: in one.
const DEEPEST: usize = 2;

/// A sentence that says why a text is not a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError(pub String);

impl std::fmt::Display for GlobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GlobError {}

/// The longest glob that is read, in bytes: as long as the longest path of common systems.
const LONGEST: usize = 4096;

#[derive(Clone, Debug)]
enum Step {
    /// `**`: any number of folders, hidden ones excepted.
    Folders,
    Name {
        text: String,
        matcher: Name,
    },
}

impl Glob {
    /// Reads a glob, relative to the prefix.
    ///
    /// # Errors
    /// A sentence that says what is wrong: an absolute path, `..`, an empty step, brackets or braces that do not close.
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        let problem = |message: &str| GlobError(format!("the glob `{text}` {message}"));
        if text.is_empty() {
            return Err(problem("is empty; write a path, as in `outbound/*.json`"));
        }
        if text.len() > LONGEST {
            return Err(problem(&format!("has more than {LONGEST} bytes")));
        }
        if text.contains('\0') {
            return Err(problem("holds a NUL, which no file's name does"));
        }
        let alternatives = braces::expanded(text).map_err(|message| problem(&message))?;
        let alternatives = alternatives.iter().map(|alternative| layers(alternative).map_err(|m| problem(&m)));
        Ok(Self { text: text.to_owned(), alternatives: alternatives.collect::<Result<_, _>>()? })
    }

    /// The glob as the author wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// True if a path (relative, `/` between its parts) matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.matches_member(&[path])
    }

    /// True if a path below this folder can match.
    ///
    /// ```
    /// use candor_glob::Glob;
    /// let glob = Glob::parse("src/**/*.rs").unwrap();
    /// assert!(glob.reaches("src") && glob.reaches("src/a/b") && !glob.reaches("docs") && !glob.reaches("src/.git"));
    /// ```
    #[must_use]
    pub fn reaches(&self, folder: &str) -> bool {
        let names: Vec<&str> = folder.split('/').collect();
        let below = |steps: &Vec<Step>| reached(steps, &names).iter().rev().skip(1).any(|&reached| reached);
        self.alternatives.iter().any(|layers| layers.first().is_some_and(below))
    }

    /// True if the path of a file matches, or the path of an archive followed by the path of a member in it.
    pub fn matches_member(&self, paths: &[&str]) -> bool {
        self.alternatives.iter().any(|layers| layers.len() == paths.len() && begin(layers, paths))
    }

    /// True if a member of this file can match, or a member of the archive in it.
    pub fn looks_into(&self, paths: &[&str]) -> bool {
        self.alternatives.iter().any(|layers| layers.len() > paths.len() && begin(layers, paths))
    }

    /// True if the glob selects members of archives.
    pub fn names_members(&self) -> bool {
        self.alternatives.iter().any(|layers| layers.len() > 1)
    }

    /// The last name of every alternative, as it is written.
    pub fn last_names(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().map(|layers| match layers.last().and_then(|steps| steps.last()) {
            Some(Step::Name { text, .. }) => text.as_str(),
            _ => "",
        })
    }

    /// The last name of what is before every `!`, as it is written.
    pub fn archive_names(&self) -> impl Iterator<Item = &str> {
        let archives =
            self.alternatives.iter().flat_map(|layers| layers.split_last().map_or(&[][..], |(_, before)| before));
        archives.map(|steps| match steps.last() {
            Some(Step::Name { text, .. }) => text.as_str(),
            _ => "",
        })
    }

    /// True if every file matches, except hidden ones.
    #[must_use]
    pub fn matches_all(&self) -> bool {
        let all = |layers: &Layers| match layers.as_slice() {
            [steps] => match steps.as_slice() {
                [folders @ .., Step::Name { text, .. }] => {
                    text == "*" && !folders.is_empty() && folders.iter().all(|step| matches!(step, Step::Folders))
                }
                _ => false,
            },
            _ => false,
        };
        self.alternatives.iter().any(all)
    }

    /// True if the last name of the glob matches a file's name, in any folder. A last name of `*` does not count.
    #[must_use]
    pub fn matches_name(&self, name: &str) -> bool {
        let says_something = |step: &&Step| !matches!(step, Step::Name { text, .. } if text == "*");
        let lasts = self.alternatives.iter().filter_map(|layers| layers.last()?.last());
        lasts.filter(says_something).any(|step| step.matches(name))
    }

    /// The folder that everything that matches is in, as far as the glob writes it out.
    #[must_use]
    pub fn literal_prefix(&self) -> String {
        let literal = |steps: &[Step]| -> Vec<String> {
            let folders = steps.split_last().map_or(&[][..], |(_, folders)| folders);
            folders.iter().map_while(Step::literal).collect()
        };
        let mut prefixes =
            self.alternatives.iter().map(|layers| layers.first().map_or_else(Vec::new, |steps| literal(steps)));
        let first = prefixes.next().unwrap_or_default();
        let common = prefixes.fold(first, |common, next| {
            common.into_iter().zip(next).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        });
        common.join("/")
    }

    /// The extension that everything that matches has, in lower case, where the glob writes one out.
    #[must_use]
    pub fn extension(&self) -> Option<String> {
        let mut extensions = self.last_names().map(|text| {
            let (_, extension) = text.rsplit_once('.')?;
            (!extension.contains(META)).then(|| extension.to_ascii_lowercase())
        });
        let first = extensions.next()??;
        extensions.all(|extension| extension.as_ref() == Some(&first)).then_some(first)
    }
}

const META: [char; 6] = ['*', '?', '[', ']', '{', '\\'];

impl Step {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Folders => !name.starts_with('.'),
            Self::Name { text, matcher } => {
                (!name.starts_with('.') || text.starts_with('.') || text.starts_with("\\.")) && matcher.matches(name)
            }
        }
    }

    fn literal(&self) -> Option<String> {
        match self {
            Self::Name { text, .. } if !text.contains(META) => Some(text.clone()),
            _ => None,
        }
    }
}

fn layers(alternative: &str) -> Result<Layers, String> {
    let layers = braces::split(alternative, '!');
    if layers.len() > DEEPEST + 1 {
        return Err(
            "asks for an archive in an archive in an archive, which is not opened; write \\! for the character"
                .to_owned(),
        );
    }
    layers.iter().map(|layer| steps(layer)).collect()
}

fn begin(layers: &[Vec<Step>], paths: &[&str]) -> bool {
    layers.iter().zip(paths).all(|(steps, path)| matches(steps, &path.split('/').collect::<Vec<_>>()))
}

fn steps(alternative: &str) -> Result<Vec<Step>, String> {
    if alternative.starts_with('/') {
        return Err("is absolute; paths are relative to the folder or prefix".to_owned());
    }
    let mut names = braces::split(alternative, '/');
    if names.last().is_some_and(|name| name == "**") {
        // Below a folder is a file, not the folder.
        names.push("*".to_owned());
    }
    names
        .iter()
        .map(|name| match name.as_str() {
            "" => Err("has an empty step; write one / between two names, and the name of a file at its end".to_owned()),
            "." | ".." => Err(format!("has the step `{name}`; paths stay within the folder or prefix")),
            "**" => Ok(Step::Folders),
            name if name.contains('/') => Err("holds a / in brackets, which no name does".to_owned()),
            name => {
                let matcher = Name::parse(name).map_err(|what| format!("cannot be read: {what}"))?;
                Ok(Step::Name { text: name.to_owned(), matcher })
            }
        })
        .collect()
}

/// Steps against names, by which prefix of the steps has matched which prefix of the names: no recursion, no
/// exponential time.
fn matches(steps: &[Step], names: &[&str]) -> bool {
    reached(steps, names).last() == Some(&true)
}

fn reached(steps: &[Step], names: &[&str]) -> Vec<bool> {
    let mut reached = vec![false; steps.len() + 1];
    let through_folders = |reached: &mut Vec<bool>| {
        for (index, step) in steps.iter().enumerate() {
            if matches!(step, Step::Folders)
                && reached.get(index) == Some(&true)
                && let Some(next) = reached.get_mut(index + 1)
            {
                *next = true;
            }
        }
    };
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    through_folders(&mut reached);
    for name in names {
        let mut next = vec![false; steps.len() + 1];
        for (index, step) in steps.iter().enumerate() {
            if reached.get(index) == Some(&true) && step.matches(name) {
                let slot = if matches!(step, Step::Folders) { index } else { index + 1 };
                if let Some(slot) = next.get_mut(slot) {
                    *slot = true;
                }
            }
        }
        through_folders(&mut next);
        reached = next;
    }
    reached
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
