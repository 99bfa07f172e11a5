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
    let trailers = |sets: &[usize]| sets.iter().filter_map(|&set| trailer(set)).collect::<Vec<_>>();
    let of_named: Vec<usize> = match answer.set {
        Some(_) => trailers(&named.iter().map(|(set, _)| *set).collect::<Vec<_>>()),
        None => Vec::new(),
    };
    let is_whole = |ak9: usize| matches!(&*tree.text(ak9, 1), "A" | "R");
    let deciding: Vec<usize> = match of_named.is_empty() {
        false => of_named,
        true => group.filter(|&ak9| answer.set.is_none() || is_whole(ak9)).into_iter().collect(),
    };
    if deciding.is_empty() {
        let why = match group {
            Some(ak9) => format!("AK901 {}, and no AK2 names the set", tree.text(ak9, 1)),
            None => "neither AK9 nor IK5 is there".to_owned(),
        };
        said.push(Said::silent("accepted", expected, &why).on(group));
        return said;
    }
    said.push(decided(tree, expected, &deciding, group, &trailers(&sets)));
    said
}

/// Judges `accepted` by the deciding segments, which must all agree. A group cannot be accepted with a set that was
/// rejected, nor rejected with one that was accepted.
fn decided(tree: &Tree<'_>, expected: bool, deciding: &[usize], group: Option<usize>, all: &[usize]) -> Said {
    let says = |number: usize| accepted(&tree.text(number, 1));
    let named = |number: usize| {
        let id = tree.segment(number).map(|segment| segment.id().as_str().to_owned()).unwrap_or_default();
        format!("{id}01 {}", tree.text(number, 1))
    };
    let is_of_group = group.is_some_and(|ak9| deciding == [ak9]);
    let others: Vec<usize> = if is_of_group { all.to_vec() } else { group.into_iter().collect() };
    let Some(said) = deciding.first().and_then(|&first| says(first)) else {
        let shown = deciding.first().map(|&first| named(first)).unwrap_or_default();
        return Said::silent("accepted", expected, &shown).on(deciding.iter().copied());
    };
    let contrary = deciding.iter().chain(&others).find(|&&number| says(number) == Some(!said));
    // A group is accepted with all of its sets, or it would be so in part: AK904 of AK902.
    let short = group.filter(|&ak9| says(ak9) == Some(true)).filter(|&ak9| {
        let (all, accepted) = (tree.amount(ak9, 2), tree.amount(ak9, 4));
        all.is_some() && accepted.is_some() && all != accepted
    });
    let on = deciding.iter().copied();
    if let Some(&contrary) = contrary {
        let first = deciding.first().map(|&first| named(first)).unwrap_or_default();
        let why = format!("{first} and {}", named(contrary));
        return Said::silent("accepted", expected, &why).on(on.chain([contrary]));
    }
    if let Some(ak9) = short {
        let why = format!("{} with AK904 {} of AK902 {}", named(ak9), tree.text(ak9, 4), tree.text(ak9, 2));
        return Said::silent("accepted", expected, &why).on(on.chain([ak9]));
    }
    // What was found wrong, where that is what was answered.
    let faulty = all.iter().copied().filter(|ik5| !said && tree.text(*ik5, 1) != "A" && !deciding.contains(ik5));
    Said::new("accepted", expected, said, said == expected).on(on.chain(faulty))
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
