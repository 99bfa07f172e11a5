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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (file, line, what) in [
            ("", 1, "begins with"),
            ("def handle(event, payload): pass", 1, "begins with"),
            (" ---\n", 1, "begins with"),
            ("---", 1, "no end"),
            ("---\nevent: delegation.post_verify\n", 2, "no end"),
            ("---\n---\n", 2, "no event"),
            ("---\npriority: 1\n---\n", 3, "no event"),
            ("---\nevent: delegation.pre_verify\n---\n", 2, "no event `delegation.pre_verify`"),
            ("---\nevent:\n---\n", 2, "no event ``"),
            ("---\nevent: delegation.post_verify\npriority: high\n---\n", 3, "`high` is not a whole number"),
            ("---\nevent: delegation.post_verify\npriority: 1.5\n---\n", 3, "not a whole number"),
            ("---\nevent: delegation.post_verify\npriority:\n---\n", 3, "not a whole number"),
            ("---\nevent: delegation.post_verify\npriority: 99999999999999999999\n---\n", 3, "not a whole number"),
            ("---\nevent: delegation.post_verify\nname: x\n---\n", 3, "no `name`"),
            ("---\nevent: delegation.post_verify\n priority: 1\n---\n", 3, "no ` priority`"),
            ("---\nevent: delegation.post_verify\nevent: delegation.post_verify\n---\n", 3, "twice"),
            ("---\nevent\n---\n", 2, "key: value"),
            ("---\nevent: delegation.post_verify\nwhen: 'True'\n---\n", 3, "no `when`"),
            ("---\nevent: \"delegation.post_verify\" x\n---\n", 2, "no event"),
            ("---\nevent: delegation.post_verify\nscript: x = 1\n---\n", 3, "not a block"),
            ("---\nevent: delegation.post_verify\nscript: >\n  x = 1\n---\n", 3, "not a block"),
            ("---\nevent: delegation.post_verify\nscript: |\n---\n", 3, "no program"),
            ("---\nevent: delegation.post_verify\nscript: |\nx = 1\n---\n", 3, "no program"),
            ("---\nevent: delegation.post_verify\nscript: |\n\tx = 1\n---\n", 4, "a tab"),
            ("---\nevent: delegation.post_verify\nscript: |\n    x = 1\n  y = 1\n---\n", 5, "indented by 2"),
            ("---\nevent: delegation.post_verify\nscript: |\n  x = 1\nscript: |\n  x = 1\n---\n", 5, "twice"),
            ("---\nevent: delegation.post_verify\nscript: |\n  x = 1\nname: x\n---\n", 5, "no `name`"),
            ("---\nevent: delegation.post_verify\nscript: |\n  x = 1\n", 4, "no end"),
            ("---\nscript: |\n  x = 1\n---\ndef handle(e, p): pass", 4, "no event"),
            ("---\nevent: delegation.post_verify\nscript: |\n  x = 1\n---\n\ndef handle(e, p): pass", 7, "a second"),
        ] {
            let (at, why) = FrontMatter::parse(file).unwrap_err();
            assert_eq!(at, line, "{file:?}: {why}");
            assert!(why.contains(what), "{file:?}: {why}");
        }
    }

    #[test]
    fn ends_of_lines_marks_and_comments_are_let_pass() {
        let file = "\u{feff}---\r\n# first of all\r\nevent: \"delegation.post_verify\"\r\n\r\npriority: '-3'\r\n---\r\nx = 1\r\n";
        let (front, program) = FrontMatter::parse(file).unwrap();
        assert_eq!(front.priority, -3);
        assert_eq!(program, HookProgram { text: "\n\n\n\n\n\nx = 1\r\n".to_owned(), indent: 0 });
    }

    #[test]
    fn a_block_is_the_program_and_what_follows_describes_it() {
        let file = "---\nscript: |-  # the program\n\n   def handle(event, payload):\n\n       return allow() # ---\n\n\
                    event: delegation.post_verify # after the child\npriority: 10 # first\n---\n\n# Why\n\n    def handle\n";
        let (front, program) = FrontMatter::parse(file).unwrap();
        assert_eq!(front, FrontMatter { event: POST_VERIFY.to_owned(), priority: 10 });
        let text = "\n\n\ndef handle(event, payload):\n\n    return allow() # ---\n\n".to_owned();
        assert_eq!(program, HookProgram { text, indent: 3 });
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

        #[test]
        fn a_line_of_the_program_keeps_its_number(priority: i64, program in "[ -~\n]{0,80}", comments in 0usize..4) {
            let front = format!("---\n{}event: delegation.post_verify\npriority: {priority}\n---\n", "#\n".repeat(comments));
            let file = format!("{front}{program}");
            let (read, rest) = FrontMatter::parse(&file).unwrap();
            prop_assert_eq!(read.priority, priority);
            prop_assert_eq!(file.split('\n').count(), rest.text.split('\n').count());
            prop_assert!(rest.text.ends_with(&program));
        }

        #[test]
        fn a_program_is_the_same_as_a_block(program in "[a-z][ -~]{0,20}(\n[ -~]{0,20}){0,5}\n", indent in 1usize..9) {
            let lines = program.lines().map(|line| format!("{}{line}\n", " ".repeat(indent)));
            let file = format!("---\nevent: {POST_VERIFY}\nscript: |\n{}---\n", lines.collect::<String>());
            let (_, read) = FrontMatter::parse(&file).unwrap();
            let expected: Vec<&str> = program.lines().map(|line| if line.trim().is_empty() { "" } else { line }).collect();
            prop_assert_eq!(read.text.lines().skip(3).collect::<Vec<_>>(), expected);
            prop_assert_eq!(read.indent, indent);
        }

        #[test]
        fn a_wrong_line_is_one_of_the_file(file in "(---\n)?[a-z:# \n-]{0,60}") {
            if let Err((line, _)) = FrontMatter::parse(&file) {
                prop_assert!(line >= 1 && line <= file.lines().count().max(1));
            }
        }
    }
}
