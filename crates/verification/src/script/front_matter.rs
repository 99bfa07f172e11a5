//! The lines between `---` and `---` that a hook's file begins with.

use crate::hook::POST_VERIFY;

/// What a hook's file says of itself.
///
/// ```
/// use candor_verification::script::FrontMatter;
/// let file = "---\nevent: delegation.post_verify\npriority: 10\n---\ndef handle(event, payload):\n    return allow()\n";
/// let (front, program) = FrontMatter::parse(file).unwrap();
/// assert_eq!(front.priority, 10);
/// assert_eq!(program.lines().nth(4), Some("def handle(event, payload):"), "lines keep their numbers");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The event it is called for: [`POST_VERIFY`].
    pub event: String,
    /// Hooks of a lower number come first; 0 where nothing is said.
    pub priority: i64,
}

impl FrontMatter {
    /// Reads a hook's file: its front matter, and the program behind it with empty lines in the place of the front
    /// matter, so that places in it are places in the file.
    ///
    /// A line is `key: value`, blank, or a comment behind `#`; a value may stand in quotation marks.
    ///
    /// # Errors
    /// The number of the first line that is wrong, and what is wrong with it.
    pub fn parse(file: &str) -> Result<(Self, String), (usize, String)> {
        let text = file.strip_prefix('\u{feff}').unwrap_or(file);
        let mut lines = text.split_inclusive('\n');
        if lines.next().map(str::trim_end) != Some("---") {
            return Err((1, "a hook's file begins with a line of `---` and its event".to_owned()));
        }
        let (mut event, mut priority) = (None, None);
        let mut number = 1;
        loop {
            let Some(line) = lines.next() else {
                return Err((number, "the front matter has no end; close it with a line of `---`".to_owned()));
            };
            number += 1;
            let line = line.trim_end();
            if line == "---" {
                break;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            member(line, &mut event, &mut priority).map_err(|wrong| (number, wrong))?;
        }
        let event =
            event.ok_or_else(|| (number, format!("the front matter names no event; add `event: {POST_VERIFY}`")))?;
        let program = "\n".repeat(number) + &lines.collect::<String>();
        Ok((Self { event, priority: priority.unwrap_or_default() }, program))
    }
}

fn member(line: &str, event: &mut Option<String>, priority: &mut Option<i64>) -> Result<(), String> {
    let (key, value) = line.split_once(':').ok_or("it is not of the form `key: value`")?;
    let value = unquoted(value.trim());
    let twice = || Err(format!("`{key}` is given twice"));
    match key {
        "event" if event.is_some() => twice(),
        "priority" if priority.is_some() => twice(),
        "event" if value == POST_VERIFY => {
            *event = Some(value.to_owned());
            Ok(())
        }
        "event" => Err(format!("there is no event `{value}`; expected `{POST_VERIFY}`")),
        "priority" => {
            *priority = Some(value.parse().map_err(|_| format!("the priority `{value}` is no whole number"))?);
            Ok(())
        }
        other => Err(format!("there is no `{other}` here; expected `event` or `priority`")),
    }
}

fn unquoted(value: &str) -> &str {
    ['"', '\''].iter().find_map(|&mark| value.strip_prefix(mark)?.strip_suffix(mark)).unwrap_or(value)
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
            ("---\nevent: delegation.post_verify\npriority: high\n---\n", 3, "`high` is no whole number"),
            ("---\nevent: delegation.post_verify\npriority: 1.5\n---\n", 3, "no whole number"),
            ("---\nevent: delegation.post_verify\npriority:\n---\n", 3, "no whole number"),
            ("---\nevent: delegation.post_verify\npriority: 99999999999999999999\n---\n", 3, "no whole number"),
            ("---\nevent: delegation.post_verify\nname: x\n---\n", 3, "no `name`"),
            ("---\nevent: delegation.post_verify\n priority: 1\n---\n", 3, "no ` priority`"),
            ("---\nevent: delegation.post_verify\nevent: delegation.post_verify\n---\n", 3, "twice"),
            ("---\nevent\n---\n", 2, "key: value"),
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
        assert_eq!(program, "\n\n\n\n\n\nx = 1\r\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

        #[test]
        fn a_line_of_the_program_keeps_its_number(priority: i64, program in "[ -~\n]{0,80}", comments in 0usize..4) {
            let front = format!("---\n{}event: delegation.post_verify\npriority: {priority}\n---\n", "#\n".repeat(comments));
            let file = format!("{front}{program}");
            let (read, rest) = FrontMatter::parse(&file).unwrap();
            prop_assert_eq!(read.priority, priority);
            prop_assert_eq!(file.split('\n').count(), rest.split('\n').count());
            prop_assert!(rest.ends_with(&program));
        }

        #[test]
        fn a_wrong_line_is_one_of_the_file(file in "(---\n)?[a-z:# \n-]{0,60}") {
            if let Err((line, _)) = FrontMatter::parse(&file) {
                prop_assert!(line >= 1 && line <= file.lines().count().max(1));
            }
        }
    }
}
