//! The body of the workspace fuzz target: any text as a file of any language.

use candor_workspace_checks::{Rules, Scanner};

const PATHS: [&str; 16] = [
    "a.rs", "a.py", "a.ts", "a.java", "a.kt", "a.cpp", "a.cs", "a.go", "a.rb", "a.sh", "a.sql", "a.yaml", "a.toml",
    "a.html", "a.md", "a",
];

/// Searches for placeholders in a text: they are at their spans, in order, and do not overlap.
///
/// # Panics
/// When one of these does not hold.
pub fn placeholders(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let scanner = Scanner::new(&Rules { extra: vec!["HACK".to_owned()] }).expect("a scanner");
    for path in PATHS {
        let mut end = 0;
        for finding in scanner.scan(path, &text) {
            let (from, to) = finding.span;
            assert!(end <= from && from < to, "{path}: a placeholder stands within another");
            assert!(text.get(from..to).is_some(), "{path}: a placeholder stands nowhere");
            let before = &text[..from];
            assert_eq!(finding.line, before.matches('\n').count() + 1, "{path}: another line");
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            assert_eq!(finding.column, column, "{path}: another column");
            end = to;
        }
    }
}
