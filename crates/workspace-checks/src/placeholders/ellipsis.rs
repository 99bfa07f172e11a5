//! A lone `...`: in code a statement of nothing else, in a comment or in prose a line of nothing else.

use super::declares::declares;
use super::language::{Language, Region};
use super::regions::Regions;

/// Words that follow an ellipsis that replaces left-out text: `... rest of the function`.
const LEFT_OUT: &[&str] =
    &["rest", "existing", "remaining", "other", "previous", "same", "unchanged", "implementation", "your", "omitted"];

/// Finds lone ellipses: offset and length of the dots, and their region.
pub(super) fn find(text: &str, language: &Language, regions: &Regions) -> Vec<(usize, usize, Region)> {
    let mut found = Vec::new();
    // A document of YAML ends with such a line.
    if language.name == "yaml" || language.name == "json" {
        return found;
    }
    let mut depths = Depths { text, language, regions, at: 0, depth: 0 };
    let mut from = 0;
    while let Some((at, length)) = next(text, from) {
        from = at + length;
        let (region, range) = regions.at(at);
        let line = text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |end| end + 1);
        let end = text.get(from..).unwrap_or_default().find('\n').map_or(text.len(), |skip| from + skip);
        let start = if region == Region::Comment { line.max(range.start) } else { line };
        let before = text.get(start..at).unwrap_or_default();
        let is_lone = match region {
            Region::Code => {
                let after = text.get(from..end).unwrap_or_default().trim();
                let nothing_after = after.is_empty()
                    || after == ";"
                    || after == "}"
                    || regions.at(from + leading(text, from, end)).0 == Region::Comment;
                nothing_after
                    && statement(before, language)
                    && depths.at(at) == 0
                    && !declares(text, line, at, language)
            }
            Region::Comment => {
                let after = text.get(from..end.min(range.end)).unwrap_or_default();
                undecorated(before).is_empty() && ends_or_leaves_out(after)
            }
            Region::Prose => {
                let prose = matches!(language.name.as_str(), "prose" | "markdown");
                prose && before.trim().is_empty() && text.get(from..end).unwrap_or_default().trim().is_empty()
            }
            Region::Doc | Region::String | Region::Example => false,
        };
        if is_lone {
            found.push((at, length, region));
        }
    }
    found
}

/// The next three dots that are not part of a longer row, or the one character for them.
fn next(text: &str, mut from: usize) -> Option<(usize, usize)> {
    const CHARACTER: &str = "…";
    let bytes = text.as_bytes();
    loop {
        let rest = bytes.get(from..)?;
        let at = from + memchr::memchr2(b'.', 0xe2, rest)?;
        let here = bytes.get(at..)?;
        if here.starts_with(CHARACTER.as_bytes()) {
            return Some((at, CHARACTER.len()));
        }
        let dots = here.iter().take_while(|&&byte| byte == b'.').count();
        if dots == 3 {
            return Some((at, 3));
        }
        from = at + dots.max(1);
    }
}

fn leading(text: &str, from: usize, end: usize) -> usize {
    let rest = text.get(from..end).unwrap_or_default();
    rest.len() - rest.trim_start().len()
}

/// True if the text before an ellipsis lets it be a statement of its own.
fn statement(before: &str, language: &Language) -> bool {
    let before = before.trim();
    let heads = ["def ", "async def ", "else", "try", "finally", "if ", "elif ", "for ", "while ", "with ", "except"];
    before.is_empty()
        || (language.name == "python" && before.ends_with(':') && heads.iter().any(|head| before.starts_with(head)))
        || (language.name != "python" && before.ends_with('{'))
}

/// The text before the dots in a comment, without the marks of the comment.
fn undecorated(before: &str) -> &str {
    before.trim_matches(|c: char| c.is_whitespace() || "/*#-!<;%({[\"'".contains(c))
}

fn ends_or_leaves_out(after: &str) -> bool {
    let after = after.trim_matches(|c: char| c.is_whitespace() || "*/->)}]#".contains(c));
    let first = after.trim_start_matches('(').trim_start();
    let first = first.strip_prefix("the ").unwrap_or(first).to_ascii_lowercase();
    let word: String = first.chars().take_while(char::is_ascii_alphabetic).collect();
    after.is_empty() || LEFT_OUT.contains(&word.as_str())
}

/// How many brackets of calls and lists are open, asked for in ascending order of offsets.
struct Depths<'a> {
    text: &'a str,
    language: &'a Language,
    regions: &'a Regions,
    at: usize,
    depth: usize,
}

impl Depths<'_> {
    fn at(&mut self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        while self.at < offset {
            let (region, range) = self.regions.at(self.at);
            let end = range.end.min(offset);
            if self.language.is_code(region) {
                for byte in bytes.get(self.at..end).unwrap_or_default() {
                    match byte {
                        b'(' | b'[' => self.depth += 1,
                        b')' | b']' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                }
            }
            self.at = end.max(self.at + 1);
        }
        self.depth
    }
}
