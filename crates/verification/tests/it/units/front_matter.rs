//! The front matter of a hook's file.

use candor_verification::POST_VERIFY;
use candor_verification::script::{FrontMatter, HookProgram};
use proptest::prelude::*;

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
    let file =
        "\u{feff}---\r\n# first of all\r\nevent: \"delegation.post_verify\"\r\n\r\npriority: '-3'\r\n---\r\nx = 1\r\n";
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
