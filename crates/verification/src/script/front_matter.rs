//! The front matter of a hook's file: the lines between `---` and `---`.

use crate::hook::POST_VERIFY;

/// The settings at the top of a hook's file.
///
/// The program follows the front matter, or is a block in it:
///
/// ```
/// use candor_verification::script::FrontMatter;
/// let file = "---\nevent: delegation.post_verify\npriority: 10\n---\ndef handle(event, payload):\n    return allow()\n";
/// let (front, program) = FrontMatter::parse(file).unwrap();
/// assert_eq!(front.priority, 10);
/// assert_eq!(program.text.lines().nth(4), Some("def handle(event, payload):"), "lines keep their numbers");
///
/// let file = "---\nevent: delegation.post_verify\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n# Why\n";
/// let (_, program) = FrontMatter::parse(file).unwrap();
/// assert_eq!(program.text, "\n\n\ndef handle(event, payload):\n    return allow()\n");
/// assert_eq!(program.indent, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The event it is called for: [`POST_VERIFY`].
    pub event: String,
    /// Hooks of a lower number come first; 0 by default.
    pub priority: i64,
}

/// The program of a hook's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookProgram {
    /// The program. Empty lines take the place of what is before it, so that its lines have their numbers of the file.
    pub text: String,
    /// How many columns further to the right the file holds it.
    pub indent: usize,
}

type Wrong = (usize, String);

impl FrontMatter {
    /// Reads a hook's file.
    ///
    /// A line of the front matter is `key: value`, blank, or a comment after `#`; a value may have quotation marks. The
    /// program is a block `script: |`, and what follows the front matter is then its description; without that block, what
    /// follows is the program.
    ///
    /// # Errors
    /// The number of the first line that is wrong, and what is wrong with it.
    pub fn parse(file: &str) -> Result<(Self, HookProgram), Wrong> {
        let text = file.strip_prefix('\u{feff}').unwrap_or(file);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.first().map(|line| line.trim_end()) != Some("---") {
            return Err((1, "a hook's file begins with a line of `---` and its event".to_owned()));
        }
        let end = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1);
        let unclosed = || (lines.len(), "the front matter has no end; close it with a line of `---`".to_owned());
        let front = lines.get(..end.unwrap_or(lines.len())).unwrap_or_default();
        let mut members = Members::default();
        let mut at = 1;
        while let Some(line) = front.get(at) {
            let line = line.trim_end();
            at += 1;
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match members.take(line).map_err(|wrong| (at, wrong))? {
                Member::Line => {}
                Member::Block => {
                    let (program, lines) = block(front.get(at..).unwrap_or_default(), at)?;
                    members.script = Some(program);
                    at += lines;
                }
            }
        }
        let end = end.ok_or_else(unclosed)?;
        let no_event = || (end + 1, format!("the front matter names no event; add `event: {POST_VERIFY}`"));
        let front = Self { event: members.event.ok_or_else(no_event)?, priority: members.priority.unwrap_or_default() };
        let body = lines.get(end + 1..).unwrap_or_default();
        let program = match members.script {
            None => HookProgram { text: "\n".repeat(end + 1) + &body.concat(), indent: 0 },
            Some(program) => match body.iter().position(|line| line.starts_with("def handle")) {
                Some(second) => {
                    let what = "a second `handle`: the program is the block `script` already";
                    return Err((end + 2 + second, what.to_owned()));
                }
                None => program,
            },
        };
        Ok((front, program))
    }
}

#[derive(Default)]
struct Members {
    event: Option<String>,
    priority: Option<i64>,
    script: Option<HookProgram>,
}

enum Member {
    Line,
    Block,
}

impl Members {
    fn take(&mut self, line: &str) -> Result<Member, String> {
        let (key, value) = line.split_once(':').ok_or("it is not of the form `key: value`")?;
        let value = scalar(value);
        let twice = || Err(format!("`{key}` is given twice"));
        match key {
            "event" if self.event.is_some() => twice(),
            "priority" if self.priority.is_some() => twice(),
            "script" if self.script.is_some() => twice(),
            "event" if value == POST_VERIFY => {
                self.event = Some(value.to_owned());
                Ok(Member::Line)
            }
            "event" => Err(format!("there is no event `{value}`; expected `{POST_VERIFY}`")),
            "priority" => {
                let wrong = |_| format!("the priority `{value}` is not a whole number");
                self.priority = Some(value.parse().map_err(wrong)?);
                Ok(Member::Line)
            }
            "script" if matches!(value, "|" | "|-" | "|+") => Ok(Member::Block),
            "script" => Err("`script` is not a block; write `script: |` and indent the program below it".to_owned()),
            other => Err(format!("there is no `{other}` here; expected `event`, `priority` or `script`")),
        }
    }
}

/// A value on one line, without its quotation marks, or without a comment after it.
/// Source: YAML 1.2.2, 6.6: a comment is separated from other tokens by white space.
fn scalar(value: &str) -> &str {
    let value = value.trim();
    for mark in ['"', '\''] {
        if let Some((inner, rest)) = value.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) {
            let rest = rest.trim_start();
            return if rest.is_empty() || rest.starts_with('#') { inner } else { value };
        }
    }
    match value.find(" #").or_else(|| value.find("\t#")) {
        Some(comment) => value.get(..comment).unwrap_or(value).trim_end(),
        None => value,
    }
}

/// The block that begins with these lines of a front matter, the first of which is line `before + 1` of the file: the
/// program, and the number of its lines.
/// Source: YAML 1.2.2, 8.1: the first line that is not blank sets the indentation, and a line with less of it ends the block.
fn block(lines: &[&str], before: usize) -> Result<(HookProgram, usize), Wrong> {
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_blank = |line: &str| line.trim().is_empty();
    let empty = || (before, "the block `script` has no program; indent it below `script: |`".to_owned());
    let first = lines.iter().position(|line| !is_blank(line)).ok_or_else(empty)?;
    let indent = lines.get(first).map(|line| spaces(line)).unwrap_or_default();
    if lines.get(first).is_some_and(|line| line.starts_with('\t')) {
        return Err((before + first + 1, "it is indented with a tab; indent the program with spaces".to_owned()));
    }
    if indent == 0 {
        return Err(empty());
    }
    let mut text = "\n".repeat(before);
    let mut taken = 0;
    for line in lines {
        match spaces(line) {
            _ if is_blank(line) => text.push('\n'),
            0 if !line.starts_with('\t') => break,
            found if found < indent => {
                let what = format!("it is indented by {found}, less than the program above it, which is by {indent}");
                return Err((before + taken + 1, what));
            }
            _ => text.push_str(line.get(indent..).unwrap_or_default()),
        }
        taken += 1;
    }
    Ok((HookProgram { text, indent }, taken))
}
