//! The errors of a set by its guide, compared with those of pyx12: real sets, and the same with one thing changed.

use std::collections::BTreeSet;

use candor_x12::{Item, Walk};
use candor_x12_guides::{Guide, validate};

use crate::x12_peers::corpus::{corpus, in_python};

/// A set that was changed: which one, what was done to it, and the interchange.
struct Changed {
    name: String,
    what: String,
    text: String,
}

/// The codes that this project finds.
fn ours(text: &str) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut walk = Walk::from_slice(text.as_bytes());
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        let Item::Set(set) = item else { continue };
        let view = set.view();
        let said = view.segment("GS").unwrap().text(8).into_owned();
        let guide = Guide::of(&view.segment("ST").unwrap().text(1), &said).unwrap();
        codes.extend(validate(guide, &view).0.into_iter().map(|finding| finding.code.to_owned()));
    }
    codes
}

/// Sets in which every fourth segment is changed, each set with one change, in turn in one of eight ways.
fn changed(name: &str, text: &str) -> Vec<Changed> {
    let segments: Vec<&str> = text.trim_end_matches('~').split('~').collect();
    let first = segments.iter().position(|segment| segment.starts_with("ST*")).unwrap();
    let last = segments.iter().position(|segment| segment.starts_with("SE*")).unwrap();
    let mut all = Vec::new();
    for (turn, at) in (first + 1..last).step_by(4).enumerate() {
        let mut segments: Vec<String> = segments.iter().map(|segment| (*segment).to_owned()).collect();
        let old = segments[at].clone();
        let mut elements: Vec<String> = old.split('*').map(str::to_owned).collect();
        let element = 1 + (turn * 5 + at) % (elements.len() - 1).max(1);
        let is_there = elements.get(element).is_some_and(|element| !element.is_empty());
        let way = (turn + at + name.len()) % 8;
        match way {
            0 => drop(segments.remove(at)),
            1 => segments.insert(at, old.clone()),
            2 if at + 1 < last => segments.swap(at, at + 1),
            3 if is_there => elements[element].clear(),
            4 if is_there => elements[element] = "QQ".to_owned(),
            5 if is_there => elements[element].push_str(&"9".repeat(40)),
            6 => elements.push("X".to_owned()),
            7 if is_there => elements[element].truncate(1),
            _ => continue,
        }
        if way > 2 {
            segments[at] = elements.join("*");
        }
        let what = format!("{} {old}", ["remove", "repeat", "swap", "empty", "code", "long", "more", "short"][way]);
        let count = segments.iter().position(|segment| segment.starts_with("SE*")).unwrap();
        segments[count] = format!("SE*{}*{}", count - first + 1, segments[count].rsplit('*').next().unwrap());
        all.push(Changed { name: name.to_owned(), what, text: segments.join("~") + "~" });
    }
    all
}

fn theirs(texts: &[&str]) -> Vec<Option<BTreeSet<String>>> {
    in_python("x12_validate.py", texts).into_iter().map(|value| candor_json::from_value(value).unwrap()).collect()
}

/// Why one finds something and the other nothing: a heading of `x12_validation_differences.md`.
fn cause(what: &str, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> &'static str {
    let only = |codes: &BTreeSet<String>, known: &[&str]| codes.iter().all(|code| known.contains(&code.as_str()));
    let id = what.split([' ', '*']).nth(1).unwrap_or_default();
    match () {
        () if ours.is_empty() && only(theirs, &["IK403:7"]) => "codes-of-other-lists",
        () if ours.is_empty() => "unexplained",
        () if only(ours, &["IK403:I10"]) => "more-elements",
        () if only(ours, &["IK403:2", "IK403:10"]) => "syntax-notes",
        () if id == "HL" => "levels",
        () if what.starts_with("repeat") && only(ours, &["IK304:3"]) => "repeated-loop-without-its-segments",
        () if only(ours, &["IK403:1"]) => "empty-composite",
        () => "unexplained",
    }
}

/// The same with nine digits in ZIP codes of billing providers, which X222 to X224 ask for and pyx12 does not: a set of which that
/// is all that is wrong would not be compared any more.
fn with_long_zip_codes(text: &str) -> String {
    let mut is_billing = false;
    let segments = text.split('~').map(|segment| {
        match segment.split('*').next() {
            Some("NM1") => is_billing = segment.starts_with("NM1*85"),
            Some("N4") if is_billing => {
                let mut elements: Vec<String> = segment.split('*').map(str::to_owned).collect();
                if let Some(zip) = elements.get_mut(3).filter(|zip| zip.len() == 5) {
                    zip.push_str("0001");
                }
                return elements.join("*");
            }
            _ => {}
        }
        segment.to_owned()
    });
    segments.collect::<Vec<_>>().join("~")
}

/// `peers/x12_validation_differences.txt` has every set that is sound to one and not to the other, and
/// `peers/x12_validation_differences.md` says why this project is right.
#[test]
fn what_is_wrong_is_wrong_to_others_or_the_difference_is_explained() {
    // Their names for the addenda that pyx12 knows.
    let named = |text: String| text.replace("005010X222A2", "005010X222A1").replace("005010X223A3", "005010X223A2");
    let corpus: Vec<(String, String)> =
        corpus().into_iter().map(|(name, text, _)| (name, with_long_zip_codes(&named(text)))).collect();
    let texts: Vec<&str> = corpus.iter().map(|(_, text)| text.as_str()).collect();
    let sound = corpus
        .iter()
        .zip(theirs(&texts))
        .filter(|((_, text), theirs)| theirs.as_ref().is_some_and(BTreeSet::is_empty) && ours(text).is_empty());
    let cases: Vec<Changed> = sound.flat_map(|((name, text), _)| changed(name, text)).collect();
    assert!(cases.len() > 100, "{}", cases.len());
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let (mut found, mut agreed) = (Vec::new(), 0);
    for (Changed { name, what, text }, theirs) in cases.iter().zip(theirs(&texts)) {
        let (ours, Some(theirs)) = (ours(text), theirs) else { continue };
        if ours.is_empty() == theirs.is_empty() {
            agreed += 1;
        } else {
            let cause = cause(what, &ours, &theirs);
            let who = if ours.is_empty() { "pyx12" } else { "candor" };
            found.push(format!("{name} {who} {cause} {what}"));
        }
    }
    let explained: Vec<&str> = include_str!("../../../peers/x12_validation_differences.txt").lines().collect();
    let new: Vec<_> = found.iter().filter(|line| !explained.contains(&line.as_str())).collect();
    let gone: Vec<_> = explained.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in the list: {new:#?}\nno longer found: {gone:#?}");
    assert!(agreed > 80, "{agreed}");
    let causes: BTreeSet<&str> = explained.iter().filter_map(|line| line.split(' ').nth(2)).collect();
    let headings = include_str!("../../../peers/x12_validation_differences.md")
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
    assert_eq!(causes, headings.collect());
}
