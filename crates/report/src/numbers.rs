//! Numbers as a person reads them.

use candor_scoring::Verdict;

use crate::model::{Failures, Invalid, TaskOutcome};

/// A score, to four decimals at most; what is not quite 0 or 1 never looks as if it were.
pub(crate) fn decimal(value: f64) -> String {
    let text = format!("{value:.4}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    match short {
        "1" if value < 1.0 => "0.9999".to_owned(),
        "0" | "-0" if value > 0.0 => "0.0001".to_owned(),
        short => short.to_owned(),
    }
}

/// A score for a person, to two decimals. It is cut, so that none looks better than it is; one above 0 never looks like 0.
pub(crate) fn score(value: f64) -> String {
    // Of a hundredth that has no binary form, such as 0.29, the product may lie just below it.
    const SLACK: f64 = 1e-9;
    let hundredths = (value * 100.0 + SLACK).floor();
    let shown = match hundredths {
        _ if value > 0.0 && hundredths < 1.0 => 0.01,
        _ if value < 1.0 && hundredths >= 100.0 => 0.99,
        hundredths => hundredths / 100.0,
    };
    let text = format!("{shown:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "" | "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

/// An interval, when it is one; `None` when its ends are the same.
pub(crate) fn interval(interval: (f64, f64)) -> Option<String> {
    ends(interval).map(|(low, high)| format!("[{low}, {high}]"))
}

#[expect(clippy::float_cmp, reason = "both ends are the same number where nothing is open")]
pub(crate) fn ends((low, high): (f64, f64)) -> Option<(String, String)> {
    (low != high).then(|| (score(low), score(high)))
}

/// The failures of a task run that passed: `1 of 11 criteria failed: mg-dose`. `shown` makes an id harmless.
pub(crate) fn failures(failures: &Failures, shown: impl Fn(&str) -> String) -> String {
    const NAMED: usize = 20;
    let Failures { criteria, failed, ids } = failures;
    let named: Vec<String> = ids.iter().take(NAMED).map(|id| shown(id)).collect();
    let more = match failed.saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let of = match (criteria, failed) {
        (Some(criteria), _) => format!(" of {criteria} criteria"),
        (None, 1) => " criterion".to_owned(),
        (None, _) => " criteria".to_owned(),
    };
    format!("{failed}{of} failed: {}{more}", named.join(", "))
}

pub(crate) fn headline(outcome: &TaskOutcome) -> &'static str {
    match &outcome.invalid {
        Some(_) => "TASK FILE IS WRONG",
        // Nothing is known of the work: that is not a failure.
        None if outcome.coverage == 0.0 && !outcome.conclusive => "NOT VERIFIED",
        None => verdict(outcome.verdict),
    }
}

/// The criteria of a task file that is wrong: `4 of 5 criteria: a, b, c, d`. `shown` makes an id harmless.
pub(crate) fn invalid(invalid: &Invalid, shown: impl Fn(&str) -> String) -> Option<String> {
    const NAMED: usize = 20;
    let number = invalid.ids.len();
    let named: Vec<String> = invalid.ids.iter().take(NAMED).map(|id| shown(id)).collect();
    let more = match number.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let of = invalid.criteria.map(|all| format!(" of {all}")).unwrap_or_default();
    let criteria = if number == 1 && of.is_empty() { "criterion" } else { "criteria" };
    (number > 0).then(|| format!("{number}{of} {criteria}: {}{more}", named.join(", ")))
}

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::Partial => "PARTIAL",
        Verdict::Fail => "FAIL",
    }
}
