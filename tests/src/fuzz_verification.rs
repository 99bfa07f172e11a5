//! The bodies of the fuzz targets of verification.

use candor_verification::script::FrontMatter;

/// Reads a text as a hook's file: a program keeps the numbers of its lines, and a wrong line is one of the file.
///
/// # Panics
/// When one of these does not hold.
pub fn hook_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match FrontMatter::parse(text) {
        Ok((front, program)) => {
            assert_eq!(front.event, candor_verification::POST_VERIFY);
            let lines: Vec<&str> = text.split('\n').collect();
            if program.indent == 0 {
                assert_eq!(lines.len(), program.text.split('\n').count(), "a line is lost");
                assert!(text.ends_with(program.text.trim_start_matches('\n')), "the program is another one");
            }
            for (line, of_file) in program.text.split('\n').zip(&lines) {
                assert!(of_file.ends_with(line), "a line has another number");
            }
        }
        Err((line, _)) => assert!(line >= 1 && line <= text.lines().count().max(1), "there is no line {line}"),
    }
}

/// Reads a text as a command and as a URL of a service: what was read is written and read back as the same.
///
/// # Panics
/// When it is not the same.
pub fn loop_settings(data: &[u8]) {
    use candor_verification::{CommandWords, Ready};
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(words) = CommandWords::parse(text) {
        assert_eq!(CommandWords::parse(&words.joined()), Ok(words), "other words");
    }
    if let Ok(ready) = Ready::parse(text) {
        assert_eq!(Ready::parse(&ready.to_string()), Ok(ready), "another URL");
    }
}
