//! Regular expressions: in time linear in the text, and of bounded size.

use regex::{Regex, RegexBuilder};

/// The memory that a compiled expression may take, in bytes.
const LARGEST: usize = 1 << 20;

/// Compiles an expression in single-line mode, as FHIRPath asks for; `whole` anchors it at both ends. `flags` are `i` (case),
/// `m` (lines). The error is the beginning of a sentence.
pub(crate) fn compile(text: &str, flags: &str, whole: bool) -> Result<Regex, String> {
    let mut builder = if whole { RegexBuilder::new(&format!("^(?:{text})$")) } else { RegexBuilder::new(text) };
    builder.size_limit(LARGEST).dfa_size_limit(LARGEST).nest_limit(50).dot_matches_new_line(true);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            _ => return Err("found flags other than `i` and `m`".to_owned()),
        };
    }
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
        _ => "the regular expression is not valid, or looks around or back, which is not supported".to_owned(),
    })
}
