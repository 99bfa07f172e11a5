//! Rust source as tokens: code, comments, string literals, and the parts that only tests compile.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Blank,
    Code,
    Comment,
    Text,
}

#[derive(Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// The line in which it begins, counted from 1.
    pub(crate) line: usize,
    /// It belongs to an item below `#[cfg(test)]`.
    pub(crate) test: bool,
}

/// The tokens of a file, without blanks.
pub(crate) struct Source<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    /// The modules that only tests compile and that have files of their own.
    test_modules: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let (mut tokens, mut rest, mut line) = (Vec::new(), text, 1);
        while !rest.is_empty() {
            let (kind, length) = first(rest);
            let Some((text, after)) = rest.split_at_checked(length.max(1)) else { break };
            if kind != TokenKind::Blank {
                tokens.push(Token { kind, text, line, test: false });
            }
            line += text.matches('\n').count();
            rest = after;
        }
        let test_modules = mark_tests(&mut tokens);
        Self { tokens, test_modules }
    }

    /// The lines with code or string literals, without those of tests.
    pub(crate) fn lines_of_code(&self) -> usize {
        let code = self.tokens.iter().filter(|token| token.kind != TokenKind::Comment && !token.test);
        let lines = code.flat_map(|token| {
            let lines = token.text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
            lines.map(|(at, _)| token.line + at)
        });
        lines.collect::<BTreeSet<usize>>().len()
    }
}

/// The kind and the length of the token with which a text begins. A punctuation mark is a token of its own.
fn first(rest: &str) -> (TokenKind, usize) {
    let word = run(rest, |c| c.is_alphanumeric() || c == '_');
    let (name, after) = rest.split_at_checked(word).unwrap_or((rest, ""));
    let hashes = run(after, |c| c == '#');
    if rest.starts_with(char::is_whitespace) {
        (TokenKind::Blank, run(rest, char::is_whitespace))
    } else if rest.starts_with("//") {
        (TokenKind::Comment, run(rest, |c| c != '\n'))
    } else if rest.starts_with("/*") {
        (TokenKind::Comment, nested(rest))
    } else if let Some(text) = rest.strip_prefix('"') {
        (TokenKind::Text, 1 + closed(text, '"'))
    } else if let Some(text) = rest.strip_prefix('\'') {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some('\\'), _) | (_, Some('\'')) => (TokenKind::Code, 1 + closed(text, '\'')),
            _ => (TokenKind::Code, 1),
        }
    } else if ["r", "br", "cr"].contains(&name) && after.trim_start_matches('#').starts_with('"') {
        let begin = word + hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = rest.get(begin..).and_then(|text| Some(begin + text.find(&end)? + end.len()));
        (TokenKind::Text, length.unwrap_or(rest.len()))
    } else {
        (TokenKind::Code, if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) })
    }
}

/// The length of the longest beginning of which `fits` is true.
fn run(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

/// The length of a literal after its opening quote.
fn closed(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn nested(text: &str) -> usize {
    let (mut depth, mut last) = (0, ' ');
    for (at, c) in text.char_indices() {
        match (last, c) {
            ('/', '*') => (depth, last) = (depth + 1, ' '),
            ('*', '/') if depth == 1 => return at + 1,
            ('*', '/') => (depth, last) = (depth - 1, ' '),
            _ => last = c,
        }
    }
    text.len()
}

/// Marks the items below `#[cfg(test)]`. Returns the names of those that are `mod NAME;`.
fn mark_tests<'a>(tokens: &mut [Token<'a>]) -> Vec<&'a str> {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let mut modules = Vec::new();
    for at in 0..texts.len() {
        let Some(rest) = texts.get(at..) else { break };
        let (["#", "[", "cfg", "(", "test", ")", "]", ..] | ["#", "[", "cfg", "(", "all", "(", "test", ..]) = rest
        else {
            continue;
        };
        let mut depth = 0;
        let end = rest.iter().position(|text| {
            depth += match *text {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            };
            depth < 0 || (depth == 0 && [";", "}"].contains(text))
        });
        let item = end.and_then(|end| rest.get(..=end)).unwrap_or(rest);
        tokens.iter_mut().skip(at).take(item.len()).for_each(|token| token.test = true);
        if let [.., "mod", name, ";"] = item {
            modules.push(*name);
        }
    }
    modules
}

pub(crate) struct RustFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// Only tests compile it.
    pub(crate) test: bool,
}

/// The files of Rust below a folder, sorted by path.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<RustFile>, String> {
    let mut files = Vec::new();
    for path in files_below(folder, "rs")? {
        files.push(RustFile { text: read(&path)?, path, test: false });
    }
    let mut modules = Vec::new();
    for file in &files {
        let root = ["mod", "lib", "main"].iter().any(|name| file.path.file_stem().is_some_and(|stem| stem == *name));
        let path = file.path.with_extension("");
        let folder = if root { path.parent().unwrap_or(&path) } else { &path };
        modules.extend(Source::of(&file.text).test_modules.iter().map(|name| folder.join(name)));
    }
    for file in &mut files {
        file.test = modules.iter().any(|module| file.path.with_extension("").starts_with(module));
    }
    Ok(files)
}

/// The files below a folder whose names end in `.extension`, sorted by path. Build folders (`target`) are left out.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let unread = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if path.is_dir() {
            if !path.ends_with("target") {
                files.extend(files_below(&path, extension)?);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_counted_without_comments_blanks_and_tests() {
        for (text, lines) in [
            ("", 0),
            ("// a\n/// b\n//! c\n\n/* d\n/* e */ f */\n", 0),
            ("fn a() {} // b\n/* c */ let d = 1; /* e\n*/\n", 2),
            ("let a = \"// b\n\n  /* c\"; // d\n", 2),
            ("let a = r#\"\"// b\n\"#; /* c\n*/\n", 2),
            ("let a = '\"'; // \"\nlet b = '\\''; /* '\n*/ fn c<'d>(e: &'d str) {}\n", 3),
            ("const A: [u8; 2] = [\n    1,\n    2, // two\n];\n", 4),
            ("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\nfn c() {}\n", 2),
            ("#[cfg(test)]\n#[allow(x)]\npub(crate) fn a() -> [u8; 1] {\n    [0; 1]\n}\n", 0),
            ("#[cfg(all(test, unix))]\nmod a;\n#[cfg(unix)]\nmod b;\n", 2),
            ("#![cfg(test)]\nfn a() {}\nmacro_rules! b { (#$c:tt) => {} }\n", 3),
        ] {
            assert_eq!(Source::of(text).lines_of_code(), lines, "{text}");
        }
    }

    #[test]
    fn files_of_test_modules_are_found() {
        let folder = crate::history::tests::Repository::new("source");
        folder.write("lib.rs", "#[cfg(test)]\nmod a;\nmod b;\n");
        folder.write("b.rs", "#[cfg(test)]\nmod tests;\n");
        for file in ["a.rs", "a/c.rs", "b/tests/mod.rs", "b/d.rs", "ab.rs"] {
            folder.write(file, "");
        }
        let files = rust_files(&folder.0).unwrap();
        let tests = files.iter().filter(|file| file.test).map(|file| file.path.strip_prefix(&folder.0).unwrap());
        assert_eq!(tests.collect::<Vec<_>>(), ["a/c.rs", "a.rs", "b/tests/mod.rs"].map(Path::new));
    }
}
