//! 820 (X218): does the premium payment balance.

use num_rational::BigRational;

use super::balance::Balance;
use super::scalar::Text;
use super::settings::written;
use super::tree::Tree;
use super::{Answer, Said, Verdict};

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    if let Some(Text(member)) = &answer.member_id {
        let on: Vec<usize> = tree.with_id("NM1").filter(|&name| tree.text(name, 9) == *member).collect();
        let (actual, verdict) = match on.is_empty() {
            true => (candor_json::Value::Null, Verdict::Fails),
            false => (member.clone().into(), Verdict::Holds),
        };
        said.push(Said::new("member_id", member.clone(), actual, verdict).on(on));
    }
    if let Some(expected) = answer.balanced {
        let Balance { faults, unknown } = balance(tree);
        let payment = tree.first(0, "BPR");
        said.push(match (faults.first(), unknown) {
            (Some((why, at)), _) => {
                let actual = if expected { candor_json::Value::from(why.as_str()) } else { false.into() };
                Said::new("balanced", expected, actual, !expected).on([*at])
            }
            (None, Some((why, at))) => Said::silent("balanced", expected, &why).on([at]),
            (None, None) => Said::new("balanced", expected, true, expected).on(payment),
        });
    }
    said
}

/// BPR02 is the sum of RMR04, and of ADX01 where there are adjustments.
pub(super) fn balance(tree: &Tree<'_>) -> Balance {
    let unknown = |why: &str, at| Balance { faults: Vec::new(), unknown: Some((why.to_owned(), at)) };
    let Some(bpr) = tree.first(0, "BPR") else { return unknown("there is no BPR", 0) };
    let sum = |id: &str, element| -> Option<BigRational> { tree.with_id(id).map(|at| tree.amount(at, element)).sum() };
    let (Some(total), Some(remitted), Some(adjusted)) = (tree.amount(bpr, 2), sum("RMR", 4), sum("ADX", 1)) else {
        return unknown("an amount of BPR, RMR or ADX is not a number", bpr);
    };
    if tree.with_id("RMR").next().is_none() {
        return unknown("there is no RMR", bpr);
    }
    let is_adjusted = tree.with_id("ADX").next().is_some();
    if &remitted + &adjusted == total {
        return Balance { faults: Vec::new(), unknown: None };
    }
    if is_adjusted && remitted == total {
        return unknown("BPR02 is the sum of RMR04, but not with the adjustments of ADX01", bpr);
    }
    let adjusted = if is_adjusted { format!(" and of ADX01 {}", written(&adjusted)) } else { String::new() };
    let fault = format!("BPR02 {} is not the sum of RMR04 {}{adjusted}", written(&total), written(&remitted));
    Balance { faults: vec![(fault, bpr)], unknown: None }
}
