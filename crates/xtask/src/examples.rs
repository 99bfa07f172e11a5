//! The examples of all crates and pages as one program. `cargo test` builds one for each crate, which takes three times as
//! long; the soak does so.
//!
//! This program is cargo's rustdoc: it notes what each crate's examples are built of ([`as_rustdoc`]). What is written in
//! doc comments and READMEs then goes into one page, and rustdoc tests that.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{peers, status};

/// The variable that makes this program cargo's rustdoc. It names the file of what examples are built of.
pub(crate) const AS_RUSTDOC: &str = "CANDOR_XTASK_EXAMPLES";

/// Pages whose programs are compiled and run, in addition to the READMEs of crates.
const PAGES: [&str; 1] = ["docs/embedding.md"];

/// Sources that a feature leaves out, because it takes minutes to build.
const NOT_BUILT: &str = "crates/fhir-resource-state/src/models";

/// Writes the page, and returns the command that tests it. Given is a cargo that tests the examples of all crates.
pub(crate) fn command(mut tests: Command) -> Result<Vec<String>, String> {
    let own = std::env::current_exe().map_err(|error| format!("the place of this program is not known: {error}"))?;
    let folder = peers::target().join("examples");
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let folder = std::path::absolute(&folder).map_err(failed)?;
    let (noted, page) = (folder.join("parts"), folder.join("examples.md"));
    fs::write(&noted, "").map_err(failed)?;
    tests.env("RUSTDOC", own).env(AS_RUSTDOC, &noted);
    status(&mut tests, "finding what examples are built of")?;
    let parts = fs::read_to_string(&noted).map_err(failed)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::path::absolute(&root).map_err(failed)?;
    let examples = written(&root).map_err(|error| format!("reading the examples: {error}"))?;
    if examples.is_empty() {
        return Err("there is no example".to_owned());
    }
    fs::write(&page, examples).map_err(failed)?;
    // An example reads it, as cargo sets it for a crate.
    let package = format!("CARGO_MANIFEST_DIR={}", env!("CARGO_MANIFEST_DIR"));
    let (page, root) = (page.display().to_string(), root.display().to_string());
    let words = ["env", &package, "rustdoc", "--edition", "2024", "--test", &page, "--test-run-directory", &root];
    let mut words = words.map(str::to_owned).to_vec();
    words.extend(arguments(&parts));
    Ok(words)
}

/// Notes the libraries that rustdoc is given, one argument a line.
pub(crate) fn as_rustdoc(noted: &OsStr, args: &[String]) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", Path::new(noted).display());
    let mut noted = fs::OpenOptions::new().append(true).open(noted).map_err(failed)?;
    let named = args.iter().zip(args.iter().skip(1)).filter(|(name, _)| matches!(name.as_str(), "--extern" | "-L"));
    let lines: String = named.map(|(name, value)| format!("{name} {value}\n")).collect();
    noted.write_all(lines.as_bytes()).map_err(failed)
}

/// The arguments that were noted, each once. Of a library in several versions none is named.
fn arguments(noted: &str) -> Vec<String> {
    let mut libraries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for line in noted.lines() {
        match line.split_once(' ') {
            Some(("--extern", library)) => {
                libraries.entry(library.split('=').next().unwrap_or_default()).or_default().insert(library);
            }
            Some((_, folder)) => {
                folders.insert(folder);
            }
            None => {}
        }
    }
    let libraries = libraries.into_values().filter(|versions| versions.len() == 1).flatten();
    let libraries = libraries.map(|library| ["--extern", library]);
    libraries.chain(folders.into_iter().map(|folder| ["-L", folder])).flatten().map(str::to_owned).collect()
}

/// The page: the examples of each file below its name.
fn written(root: &Path) -> io::Result<String> {
    let mut files: Vec<PathBuf> = PAGES.iter().map(|page| root.join(page)).collect();
    for entry in fs::read_dir(root.join("crates"))? {
        let package = entry?.path();
        let readme = package.join("README.md");
        files.extend(readme.exists().then_some(readme));
        sources(&package.join("src"), &mut files)?;
    }
    files.retain(|file| !file.starts_with(root.join(NOT_BUILT)));
    files.sort();
    let mut page = String::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let is_source = file.extension() == Some(OsStr::new("rs"));
        let found = examples(&text, is_source);
        if !found.is_empty() {
            let name = file.strip_prefix(root).unwrap_or(&file).display();
            // Writing to a string does not fail.
            let _ = write!(page, "# {name}\n\n{}\n", found.join("\n"));
        }
    }
    Ok(page)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension() == Some(OsStr::new("rs")) {
            found.push(path);
        }
    }
    Ok(())
}

/// The fenced blocks of a page, or of the doc comments of a source.
fn examples(text: &str, is_source: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        let comment = comment.map(|comment| comment.strip_prefix(' ').unwrap_or(comment));
        let Some(line) = (if is_source { comment } else { Some(line) }) else {
            open = None;
            continue;
        };
        let is_fence = line.trim_start().starts_with("```");
        match &mut open {
            Some(block) => {
                block.push_str(line);
                block.push('\n');
                if is_fence {
                    found.extend(open.take());
                }
            }
            None if is_fence => open = Some(format!("{line}\n")),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{arguments, examples};

    #[test]
    fn fences_of_doc_comments_and_pages_are_found() {
        let source = "//! Text.\n//! ```\n//! a();\n//! ```\nlet x = \"```\";\n    /// ```no_run\n    /// b();\n    ///\n    /// ```\n";
        assert_eq!(examples(source, true), ["```\na();\n```\n", "```no_run\nb();\n\n```\n"]);
        assert_eq!(examples("Text.\n```rust\nc();\n```\n", false), ["```rust\nc();\n```\n"]);
    }

    #[test]
    fn each_library_is_named_once_and_none_of_two_versions() {
        let noted = "--extern a=x\n-L dependency=d\n--extern b=1\n--extern a=x\n--extern b=2\n-L dependency=d\n";
        assert_eq!(arguments(noted).join(" "), "--extern a=x -L dependency=d");
    }
}
