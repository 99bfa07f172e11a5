//! Which part of a text is code, which comment, string or prose. One pass, linear in the text, for any text.

use std::collections::HashMap;
use std::ops::Range;

use super::language::{self, Language, StringKind, StringRule, TextKind};

/// The kind of a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// Code, and every part that is not one of the others.
    Code,
    /// A comment.
    Comment,
    /// A string that documents, as Python's.
    Doc,
    /// A string, or a span of code within prose.
    String,
    /// Text for people.
    Prose,
    /// A block of code within prose.
    Example,
}

/// The parts of a text that are not code, in order, none of them within another.
#[derive(Debug, Default)]
pub(super) struct Regions(Vec<(Range<usize>, Region)>);

impl Regions {
    pub(super) fn of(text: &str, language: &Language) -> Self {
        match language.text {
            TextKind::Code => Lexer::new(text, language).run(),
            TextKind::Elements => Lexer::new(text, language).elements(),
            TextKind::Template => template(text, language),
            TextKind::Prose => Self(vec![(0..text.len(), Region::Prose)]),
            TextKind::Markdown => markdown(text),
            TextKind::Markup => markup(text),
            TextKind::Component => component(text),
        }
    }

    pub(super) fn at(&self, offset: usize) -> (Region, Range<usize>) {
        let behind = self.0.partition_point(|(range, _)| range.start <= offset);
        match behind.checked_sub(1).and_then(|index| self.0.get(index)) {
            Some((range, region)) if range.contains(&offset) => (*region, range.clone()),
            before => {
                let start = before.map_or(0, |(range, _)| range.end);
                (Region::Code, start..self.0.get(behind).map_or(usize::MAX, |(range, _)| range.start))
            }
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    language: &'a Language,
    at: usize,
    depth: usize,
    regions: Vec<(Range<usize>, Region)>,
}

#[derive(PartialEq)]
enum Within {
    Element,
    Braces,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, language: &'a Language) -> Self {
        Self { text, language, at: 0, depth: 0, regions: Vec::new() }
    }

    /// Code in which the text between tags is prose. Braces in such a text hold code again. Source: the JSX specification.
    fn elements(mut self) -> Regions {
        let mut within = Vec::new();
        let closing = closing_tags(self.text);
        while self.at < self.text.len() {
            if within.last() == Some(&Within::Element) {
                let end = memchr::memchr2(b'<', b'{', self.rest()).unwrap_or(self.rest().len());
                if end > 0 {
                    self.push(self.at + end, Region::Prose);
                    continue;
                }
            } else if self.line_comment() || self.block_comment() || self.string() {
                continue;
            }
            match self.rest().first() {
                Some(b'{') => within.push(Within::Braces),
                Some(b'}') if within.last() == Some(&Within::Braces) => drop(within.pop()),
                Some(b'<') => {
                    self.tag(&mut within, &closing);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Regions(self.regions)
    }

    /// Passes a tag, or a `<` that begins none: behind a name it compares, or encloses types. An element that nothing closes
    /// may be part of a regular expression.
    fn tag(&mut self, within: &mut Vec<Within>, closing: &HashMap<&str, usize>) {
        let in_element = within.last() == Some(&Within::Element);
        let behind_name =
            self.before().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b')' | b']'));
        let rest = self.rest();
        let begins = rest.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'>' | b'/'));
        let tag = tag_end(rest).filter(|_| begins && (in_element || !behind_name));
        let tag = tag.and_then(|end| self.text.get(self.at..self.at + end)).filter(|tag| {
            let is_closed = || closing.get(tag_name(tag.trim_start_matches('<'))).is_some_and(|last| *last > self.at);
            tag.starts_with("</") || tag.ends_with("/>") || is_closed()
        });
        let Some(tag) = tag else {
            self.at += 1;
            return;
        };
        match (tag.starts_with("</"), tag.ends_with("/>")) {
            (true, _) => drop(within.pop_if(|last| *last == Within::Element)),
            (false, true) => {}
            (false, false) => within.push(Within::Element),
        }
        // What a tag holds in quotation marks and comments is as in code.
        let start = self.at;
        let inside = Lexer::new(tag, self.language).run();
        self.regions
            .extend(inside.0.into_iter().map(|(range, region)| (range.start + start..range.end + start, region)));
        self.at += tag.len();
    }

    fn run(mut self) -> Regions {
        let interesting = self.interesting();
        self.block_comment();
        let bytes = self.text.as_bytes();
        while let Some(skip) = bytes
            .get(self.at..)
            .and_then(|rest| rest.iter().position(|&byte| interesting.get(usize::from(byte)) == Some(&true)))
        {
            self.at += skip;
            if !self.line_comment() && !self.block_comment() && !self.string() {
                match bytes.get(self.at) {
                    Some(b'(' | b'[' | b'{') => self.depth += 1,
                    Some(b')' | b']' | b'}') => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.at += 1;
            }
        }
        Regions(self.regions)
    }

    /// The bytes that something can begin with.
    fn interesting(&self) -> [bool; 256] {
        let mut table = [false; 256];
        let language = self.language;
        let openers = language.line.iter().chain(language.block.iter().map(|(open, _)| open));
        let strings = language.strings.iter().flat_map(|rule| match rule.kind {
            StringKind::Plain => rule.open.as_bytes().iter().take(1).copied().collect::<Vec<u8>>(),
            StringKind::Char => vec![b'\''],
            StringKind::Hashes => vec![b'r'],
            StringKind::Delimited => vec![b'R'],
        });
        let brackets: &[u8] = if language.doc_strings { b"()[]{}" } else { b"" };
        let firsts = openers.filter_map(|open| open.as_bytes().first().copied());
        for byte in firsts.chain(strings).chain(brackets.iter().copied()) {
            if let Some(slot) = table.get_mut(usize::from(byte)) {
                *slot = true;
            }
        }
        table
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied()
    }

    fn push(&mut self, end: usize, region: Region) {
        let end = end.min(self.text.len()).max(self.at + 1);
        self.regions.push((self.at..end, region));
        self.at = end;
    }

    fn line_comment(&mut self) -> bool {
        let begins = self.language.line.iter().any(|open| self.rest().starts_with(open.as_bytes()));
        let spaced =
            !self.language.spaced || self.before().is_none_or(|byte| byte.is_ascii_whitespace() || byte == b';');
        // `--[[` and `#=` are block comments of languages whose line comments are `--` and `#`.
        let of_line = |open: &str| self.language.line.iter().any(|line| open.starts_with(line.as_str()));
        let block =
            self.language.block.iter().any(|(open, _)| of_line(open) && self.rest().starts_with(open.as_bytes()));
        if !begins || !spaced || block {
            return false;
        }
        let end = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |length| self.at + length);
        self.push(end, Region::Comment);
        true
    }

    fn block_comment(&mut self) -> bool {
        let language = self.language;
        // An opening that begins with a line feed matches at the beginning of a line; the first line has no line feed
        // before it.
        let length = |open: &str| {
            let first = open.strip_prefix('\n').filter(|_| self.at == 0);
            let begins = |open: &&str| self.rest().starts_with(open.as_bytes());
            Some(open).filter(begins).or(first.filter(begins)).map(str::len)
        };
        let found = language.block.iter().find_map(|(open, close)| Some((open, length(open)?, close)));
        let Some((open, length, close)) = found else { return false };
        let end = if language.nested { self.nested_end(open, close) } else { self.end_after(length, close) };
        // One that is not closed may be none: an operator, or a glob in a string that was not seen as one.
        match end {
            Some(end) => self.push(end, Region::Comment),
            None => self.push(self.text.len(), Region::Comment),
        }
        true
    }

    fn end_after(&self, skip: usize, close: &str) -> Option<usize> {
        let rest = self.rest().get(skip..)?;
        memchr::memmem::find(rest, close.as_bytes()).map(|at| self.at + skip + at + close.len())
    }

    fn nested_end(&self, open: &str, close: &str) -> Option<usize> {
        let (mut depth, mut at) = (1usize, self.at + open.len());
        let bytes = self.text.as_bytes();
        let (first_open, first_close) = (*open.as_bytes().first()?, *close.as_bytes().first()?);
        loop {
            at += memchr::memchr2(first_open, first_close, bytes.get(at..)?)?;
            let rest = bytes.get(at..)?;
            if rest.starts_with(close.as_bytes()) {
                depth -= 1;
                at += close.len();
                if depth == 0 {
                    return Some(at);
                }
            } else if rest.starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
    }

    fn string(&mut self) -> bool {
        let language = self.language;
        language.strings.iter().any(|rule| {
            let end = match rule.kind {
                StringKind::Plain => self.plain(rule),
                StringKind::Char => self.character(),
                StringKind::Hashes => self.hashes(),
                StringKind::Delimited => self.delimited(),
            };
            let Some(end) = end else { return false };
            let region = if self.documents(rule) { Region::Doc } else { Region::String };
            self.push(end, region);
            true
        })
    }

    fn documents(&self, rule: &StringRule) -> bool {
        if !self.language.doc_strings || self.depth > 0 || !rule.multiline {
            return false;
        }
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().all(|c| c.is_whitespace() || matches!(c, 'r' | 'R' | 'u' | 'U'))
    }

    fn plain(&self, rule: &StringRule) -> Option<usize> {
        let rest = self.rest();
        if !rest.starts_with(rule.open.as_bytes()) {
            return None;
        }
        let begins = |byte: u8| byte.is_ascii_whitespace() || b"[{(,:=-!|<>".contains(&byte);
        if rule.spaced && !self.before().is_none_or(begins) {
            return None;
        }
        let (close, mut at) = (rule.close.as_bytes(), rule.open.len());
        let escape = rule.escape.and_then(|c| u8::try_from(c).ok());
        let first = *close.first()?;
        loop {
            let from = rest.get(at..)?;
            let next = from.iter().position(|&b| b == first || Some(b) == escape || (b == b'\n' && !rule.multiline));
            let Some(skip) = next else { return Some(self.text.len()) };
            at += skip;
            let here = rest.get(at..)?;
            if here.starts_with(close) {
                let behind = at + close.len();
                if rule.doubled && rest.get(behind..).is_some_and(|more| more.starts_with(close)) {
                    at = behind + close.len();
                    continue;
                }
                return Some(self.at + behind);
            }
            match here.first() {
                Some(&byte) if Some(byte) == escape => at += 2,
                // A string of one line that does not close ends with its line.
                Some(b'\n') if !rule.multiline => return Some(self.at + at),
                _ => at += 1,
            }
            if at >= rest.len() {
                return Some(self.text.len());
            }
        }
    }

    /// `'a'`, `'\n'`, `'\u{1F600}'`; not `'a` of a lifetime, not `1'000`.
    fn character(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?.strip_prefix('\'')?;
        if self.before().is_some_and(|byte| byte.is_ascii_alphanumeric())
            && !matches!(self.before(), Some(b'L' | b'u' | b'U' | b'b' | b'c'))
        {
            return None;
        }
        let first = rest.chars().next()?;
        let length = if first == '\\' {
            // The escaped character first, which may be the quotation mark itself.
            let escaped = rest.chars().nth(1)?.len_utf8();
            let window: usize = 12;
            let more = rest.as_bytes().get(1 + escaped..)?;
            1 + escaped + more.iter().take(window).position(|&byte| byte == b'\'')?
        } else {
            first.len_utf8()
        };
        rest.get(length..)?.starts_with('\'').then_some(self.at + 1 + length + 1)
    }

    /// `r"…"`, `r#"…"#`, `br#"…"#`.
    fn hashes(&self) -> Option<usize> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let before_prefix =
            |back: usize| self.at.checked_sub(back).and_then(|at| self.text.as_bytes().get(at)).copied();
        let within_name = match self.before() {
            Some(b'b' | b'c') => before_prefix(2).is_some_and(is_name),
            Some(byte) => is_name(byte),
            None => false,
        };
        let rest = self.rest().strip_prefix(b"r")?;
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        if within_name || rest.get(hashes) != Some(&b'"') {
            return None;
        }
        let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
        let found = memchr::memmem::find(rest.get(hashes + 1..)?, &close);
        Some(found.map_or(self.text.len(), |at| self.at + 1 + hashes + 1 + at + close.len()))
    }

    /// `R"delimiter(…)delimiter"`.
    fn delimited(&self) -> Option<usize> {
        /// The longest delimiter that the standard allows.
        const LONGEST: usize = 16;
        let rest = self.rest().strip_prefix(b"R\"")?;
        let length = rest.iter().take(LONGEST + 1).position(|&byte| byte == b'(')?;
        let delimiter = rest.get(..length)?;
        if delimiter.iter().any(|byte| byte.is_ascii_whitespace() || b")\\\"".contains(byte)) {
            return None;
        }
        let close = [b")", delimiter, b"\""].concat();
        let found = memchr::memmem::find(rest.get(length..)?, &close);
        Some(found.map_or(self.text.len(), |at| self.at + 2 + length + at + close.len()))
    }
}

/// Prose with fenced blocks and spans of code. Source: CommonMark 0.31, 4.5 and 6.1.
fn markdown(text: &str) -> Regions {
    let (mut regions, mut at, mut fence) = (Vec::new(), 0, None::<(u8, usize)>);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = trimmed.bytes().next().unwrap_or_default();
        let run = trimmed.bytes().take_while(|&byte| byte == mark).count();
        let is_fence = matches!(mark, b'`' | b'~') && run >= 3;
        let whole = at..at + line.len();
        match fence {
            Some((open, length)) => {
                regions.push((whole, Region::Example));
                if is_fence && mark == open && run >= length && trimmed.trim_end().len() == run {
                    fence = None;
                }
            }
            None if is_fence => {
                fence = Some((mark, run));
                regions.push((whole, Region::Example));
            }
            None => spans(line, at, &mut regions),
        }
        at += line.len();
    }
    Regions(regions)
}

fn spans(line: &str, start: usize, regions: &mut Vec<(Range<usize>, Region)>) {
    let bytes = line.as_bytes();
    let run_at = |at: usize| bytes.get(at..).unwrap_or_default().iter().take_while(|&&byte| byte == b'`').count();
    let (mut from, mut at) = (0, 0);
    // A run that nothing closes is looked for once and no more, so that a line of them stays linear.
    let mut unclosed = [false; 8];
    while let Some(skip) = memchr::memchr(b'`', bytes.get(at..).unwrap_or_default()) {
        let open = at + skip;
        let run = run_at(open);
        at = open + run;
        if unclosed.get(run).copied().unwrap_or(true) {
            continue;
        }
        let mut end = at;
        let close = loop {
            let Some(skip) = memchr::memchr(b'`', bytes.get(end..).unwrap_or_default()) else { break None };
            let length = run_at(end + skip);
            end += skip + length;
            if length == run {
                break Some(end);
            }
        };
        match close {
            Some(close) => {
                if open > from {
                    regions.push((start + from..start + open, Region::Prose));
                }
                regions.push((start + open..start + close, Region::String));
                (from, at) = (close, close);
            }
            None => {
                if let Some(slot) = unclosed.get_mut(run) {
                    *slot = true;
                }
            }
        }
    }
    if from < line.len() {
        regions.push((start + from..start + line.len(), Region::Prose));
    }
}

/// The longest tag that is read, in bytes: no text makes this slow.
const LONGEST_TAG: usize = 4096;

/// Where each name of an element is closed last.
fn closing_tags(text: &str) -> HashMap<&str, usize> {
    text.match_indices("</").map(|(at, open)| (tag_name(text.get(at + open.len()..).unwrap_or_default()), at)).collect()
}

fn tag_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '$');
    text.split(|c| !is_part(c)).next().unwrap_or_default()
}

/// The length of the tag that begins here: to its `>` outside of quotation marks and braces.
fn tag_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quote, mut types) = (0_usize, None, 0_usize);
    for (at, &byte) in text.iter().enumerate().take(LONGEST_TAG).skip(1) {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => depth = depth.saturating_sub(1),
            (None, b'>') if types > 0 => types -= 1,
            (None, b'>') if depth == 0 => return Some(at + 1),
            // `<List<string>>`
            (None, b'<')
                if types > 0 || text.get(1..at).is_some_and(|name| name.iter().all(u8::is_ascii_alphanumeric)) =>
            {
                types += 1;
            }
            // Another tag begins, so this was a comparison.
            (None, b'<') if depth == 0 => return None,
            (None, _) => {}
        }
    }
    None
}

/// Markup, in which what is between `<?` and `?>` is code.
fn template(text: &str, language: &Language) -> Regions {
    let (mut regions, mut at) = (Vec::new(), 0);
    let mut shifted = |from: usize, within: Regions| {
        regions.extend(within.0.into_iter().map(|(range, region)| (range.start + from..range.end + from, region)));
    };
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let open = rest.find("<?").map_or(text.len(), |skip| at + skip);
        shifted(at, component(text.get(at..open).unwrap_or_default()));
        let code = text.get(open..).unwrap_or_default();
        let end = code.find("?>").map_or(text.len(), |skip| open + skip + 2);
        shifted(open, Lexer::new(text.get(open..end).unwrap_or_default(), language).run());
        at = end;
    }
    Regions(regions)
}

/// Markup, in which what is between `<script>` and `</script>` is JavaScript, and between `<style>` and `</style>` a style
/// sheet. Tags hold expressions, and are code as there.
fn component(text: &str) -> Regions {
    let lower = text.to_ascii_lowercase();
    let (mut regions, mut at) = (Vec::new(), 0);
    let mut shifted = |from: usize, within: Regions| {
        regions.extend(within.0.into_iter().map(|(range, region)| (range.start + from..range.end + from, region)));
    };
    while let Some((begin, content, tag, name)) = part(lower.as_bytes(), at) {
        let rest = lower.as_bytes().get(content..).unwrap_or_default();
        let end = memchr::memmem::find(rest, format!("</{tag}").as_bytes());
        let end = end.map_or(text.len(), |length| content + length);
        shifted(at, markup(text.get(at..begin).unwrap_or_default()));
        if let Some(language) = language::named(name) {
            let text = text.get(content..end).unwrap_or_default();
            shifted(content, Lexer::new(text, language).run());
        }
        at = end;
    }
    shifted(at, markup(text.get(at..).unwrap_or_default()));
    Regions(regions)
}

/// The next part of another language, outside of comments: where its tag begins, where its content does, the tag and the
/// language.
fn part(lower: &[u8], from: usize) -> Option<(usize, usize, &'static str, &'static str)> {
    const PARTS: [(&str, &str); 2] = [("script", "javascript"), ("style", "scss")];
    let mut at = from;
    loop {
        at += memchr::memchr(b'<', lower.get(at..)?)?;
        let rest = lower.get(at..)?;
        if rest.starts_with(b"<!--") {
            at += memchr::memmem::find(rest, b"-->")? + 3;
            continue;
        }
        let begins = |tag: &str| {
            let behind = rest.get(1..)?.strip_prefix(tag.as_bytes())?.first()?;
            (behind.is_ascii_whitespace() || *behind == b'>').then_some(())
        };
        if let Some((tag, language)) = PARTS.iter().find(|(tag, _)| begins(tag).is_some()) {
            return Some((at, at + memchr::memchr(b'>', rest)? + 1, tag, language));
        }
        at += 1;
    }
}

/// Text between tags is prose, `<!-- -->` a comment, tags are code.
fn markup(text: &str) -> Regions {
    let (mut regions, mut at) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let next = memchr::memchr(b'<', rest).map_or(bytes.len(), |skip| at + skip);
        if next > at {
            regions.push((at..next, Region::Prose));
            at = next;
            continue;
        }
        let (end, region) = if rest.starts_with(b"<!--") {
            let close = memchr::memmem::find(rest.get(4..).unwrap_or_default(), b"-->");
            (close.map_or(bytes.len(), |length| at + 4 + length + 3), Some(Region::Comment))
        } else if rest.starts_with(b"<![CDATA[") {
            let close = memchr::memmem::find(rest, b"]]>");
            (close.map_or(bytes.len(), |length| at + length + 3), Some(Region::Prose))
        } else if rest.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || b"/?!".contains(byte)) {
            let close = memchr::memchr(b'>', rest);
            (close.map_or(bytes.len(), |length| at + length + 1), None)
        } else {
            (at + 1, Some(Region::Prose))
        };
        if let Some(region) = region {
            regions.push((at..end, region));
        }
        at = end;
    }
    Regions(regions)
}
