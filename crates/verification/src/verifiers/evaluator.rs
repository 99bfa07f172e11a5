//! A verifier that decides by the answer of a second delegate, the evaluator.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::verifier::{Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// Reads an evaluator's answer by two patterns. Where both match it fails; where neither does, too: the default is fail.
/// The reason is what the failing pattern captures (its group `reason`, else its first group, else the lines in which it matches).
#[derive(Debug)]
pub struct EvaluatorResponse {
    pass: Regex,
    fail: Regex,
}

impl EvaluatorResponse {
    /// A verifier over two patterns.
    ///
    /// # Errors
    /// When one is not a regular expression, or the one that passes also matches an empty answer.
    pub fn new(pass_pattern: &str, fail_pattern: &str) -> Result<Self, VerifierError> {
        let compiled = |name: &str, pattern: &str| {
            RegexBuilder::new(pattern)
                .multi_line(true)
                .size_limit(1 << 20)
                .build()
                .map_err(|error| VerifierError::new(format!("`{name}` is not a regular expression: {error}")))
        };
        let (pass, fail) = (compiled("pass_pattern", pass_pattern)?, compiled("fail_pattern", fail_pattern)?);
        if pass.is_match("") {
            return Err(VerifierError::new("`pass_pattern` matches an answer that says nothing"));
        }
        Ok(Self { pass, fail })
    }
}

/// The whole lines that a match lies in: a pattern without a group matches a verdict, and its line has the reason.
fn lines_around(answer: &str, found: Range<usize>) -> &str {
    let start = answer.get(..found.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = answer.get(found.end..).unwrap_or_default();
    let end = found.end + rest.find('\n').unwrap_or(rest.len());
    answer.get(start..end).unwrap_or_default()
}

impl Verifier for EvaluatorResponse {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let failed = |reason: &str| VerifierVerdict::Failed { reason: reason.to_owned() };
        let Some(answer) = &input.eval_result else {
            return Err(VerifierError::new("there is no evaluator whose answer could be read"));
        };
        let answer = answer.response.as_str();
        if let Some(found) = self.fail.captures(answer) {
            let named = found.name("reason").or_else(|| found.get(1)).map(|reason| reason.as_str());
            let reason = named.or_else(|| Some(lines_around(answer, found.get(0)?.range())));
            let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
            return Ok(failed(reason.unwrap_or("the evaluator says that the work is not done")));
        }
        Ok(match self.pass.is_match(answer) {
            true => VerifierVerdict::Passed,
            false => failed("the evaluator's answer says neither that the work is done nor that it is not"),
        })
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }

    fn reads_workspace(&self) -> bool {
        false
    }
}
