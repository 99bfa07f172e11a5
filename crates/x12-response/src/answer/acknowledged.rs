//! 999 (X231), 997 and TA1: was it accepted.

use candor_x12::SetView;

use super::tree::Tree;
use super::{Answer, Said, Verdict};

/// AK901 and IK501 or AK501 (code lists 715, 717): A accepted, E accepted with errors noted; P part of the sets; everything
/// else (R, M, W, X) rejected.
fn accepted(code: &str) -> Option<bool> {
    match code {
        "A" | "E" => Some(true),
        "R" | "M" | "W" | "X" => Some(false),
        _ => None,
    }
}

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let group = tree.first(0, "AK9");
    let sets = tree.all(&["2000", "AK2"]);
    let own = |&set: &usize| {
        let ak2 = tree.first(set, "AK2")?;
        let wanted = answer.set.as_ref().is_none_or(|wanted| tree.text(ak2, 2) == wanted.0);
        wanted.then_some((set, ak2))
    };
    let named: Vec<(usize, usize)> = sets.iter().filter_map(own).collect();
    if let Some(wanted) = &answer.set
        && let Some((_, ak2)) = named.first()
    {
        said.push(Said::new("set", wanted.0.clone(), wanted.0.clone(), Verdict::Holds).on([*ak2]));
    } else if let Some(wanted) = &answer.set {
        // Sets that are all accepted, or all rejected with their group, need not be named.
        let whole = group.filter(|&ak9| matches!(&*tree.text(ak9, 1), "A" | "R"));
        said.push(match whole {
            Some(ak9) => {
                let actual = format!("answered with its group: AK901 {}", tree.text(ak9, 1));
                Said::new("set", wanted.0.clone(), actual, Verdict::Holds).on([ak9])
            }
            None => Said::silent("set", wanted.0.clone(), "no AK2 names it"),
        });
    }
    let Some(expected) = answer.accepted else { return said };
    let trailer = |set: usize| tree.first(set, "IK5").or_else(|| tree.first(set, "AK5"));
    let of_set = named.first().filter(|_| answer.set.is_some()).and_then(|(set, _)| trailer(*set));
    let is_named = answer.set.is_none() || !named.is_empty();
    let deciding = of_set.or(group.filter(|&ak9| is_named || matches!(&*tree.text(ak9, 1), "A" | "R")));
    let Some(deciding) = deciding else {
        said.push(Said::silent("accepted", expected, "neither AK9 nor IK5 is there"));
        return said;
    };
    let code = tree.text(deciding, 1).into_owned();
    let name = tree.segment(deciding).map(|segment| format!("{}01 {code}", segment.id().as_str())).unwrap_or_default();
    said.push(match accepted(&code) {
        Some(accepted) => {
            let mut on = vec![deciding];
            // What was found wrong, where that is what was answered.
            let faulty = sets.iter().filter_map(|&set| trailer(set)).filter(|&ik5| tree.text(ik5, 1) != "A");
            on.extend(faulty.filter(|&ik5| !accepted && ik5 != deciding));
            Said::new("accepted", expected, accepted, accepted == expected).on(on)
        }
        None => Said::silent("accepted", expected, &name).on([deciding]),
    });
    said
}

/// TA104: A accepted, E accepted with errors, R rejected.
pub(super) fn interchange(answer: &Answer, set: &SetView<'_>) -> Vec<Said> {
    let Some(expected) = answer.accepted else { return Vec::new() };
    let code = set.segment("TA1").map(|ta1| ta1.text(4).into_owned()).unwrap_or_default();
    vec![match code.as_str() {
        "A" | "E" => Said::new("accepted", expected, true, expected),
        "R" => Said::new("accepted", expected, false, !expected),
        code => Said::silent("accepted", expected, &format!("TA104 {code}")),
    }]
}
