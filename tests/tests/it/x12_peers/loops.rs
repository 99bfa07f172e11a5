//! The loop of every segment, as pyx12 and linuxforhealth-x12 have it.

use std::collections::{BTreeMap, BTreeSet};

use crate::x12_peers::corpus::{Placed, corpus, in_python};

fn readers(value: candor_json::Value) -> BTreeMap<String, Result<Placed, String>> {
    let readers: BTreeMap<String, candor_json::Value> = candor_json::from_value(value).unwrap();
    let read = |value: candor_json::Value| match value.get("error") {
        Some(error) => Err(error.as_str().unwrap().to_owned()),
        None => Ok(candor_json::from_value(value["loops"].clone()).unwrap()),
    };
    readers.into_iter().map(|(name, value)| (name, read(value))).collect()
}

/// Loops and segments without the order: each by its id and its first element, as the others rewrite amounts.
fn sorted(placed: &Placed) -> Vec<(String, String)> {
    let short = |(at, segment): &(String, String)| {
        let mut elements = segment.split('*');
        let head = [elements.next(), elements.next()].map(Option::unwrap_or_default).join("*");
        (at.clone(), head.trim_end_matches('*').to_owned())
    };
    let mut sorted: Vec<_> = placed.iter().map(short).collect();
    sorted.sort();
    sorted
}

/// Why a reader refuses a set, or places a segment otherwise: a heading of `x12_differences.md`.
fn cause(reader: &str, error: Option<&str>, segments: &[&(String, String)]) -> &'static str {
    let starts = |ids: &[&str]| segments.iter().all(|(_, segment)| ids.iter().any(|id| segment.starts_with(id)));
    match (reader, error) {
        ("pyx12", Some(error)) if error.contains("Map not found") => "no-map",
        ("linuxforhealth", Some(error)) if error.contains("is not supported") => "no-map",
        ("linuxforhealth", Some(error)) if error.contains("alidation error") || error.contains("is not iterable") => {
            "values-first"
        }
        ("pyx12", None) if segments.iter().any(|(_, segment)| segment.contains("HC>")) => "unknown-codes",
        ("pyx12", None) if starts(&["AK2", "IK3", "IK4", "IK5", "CTX"]) => "unknown-codes",
        _ => "unexplained",
    }
}

/// A line for each set, reader and cause: how many segments are in another loop, or that the reader refuses the set.
fn differences(corpus: &[(String, String, Placed)]) -> (Vec<String>, usize) {
    let texts: Vec<&str> = corpus.iter().map(|(_, text, _)| text.as_str()).collect();
    let (mut lines, mut agreed) = (Vec::new(), 0);
    for ((name, _, ours), others) in corpus.iter().zip(in_python("x12_loops.py", &texts).into_iter().map(readers)) {
        assert_eq!(others.len(), 2);
        for (reader, theirs) in others {
            match theirs {
                Err(error) => match cause(&reader, Some(&error), &[]) {
                    "unexplained" => lines.push(format!("{name} {reader} unexplained {error}")),
                    cause => lines.push(format!("{name} {reader} {cause} refused")),
                },
                Ok(theirs) if sorted(&theirs) == sorted(ours) => agreed += 1,
                Ok(theirs) => {
                    let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) =
                        (sorted(ours).into_iter().collect(), sorted(&theirs).into_iter().collect());
                    let elsewhere: Vec<&(String, String)> = ours.difference(&theirs).collect();
                    match cause(&reader, None, &elsewhere) {
                        "unexplained" => lines.push(format!("{name} {reader} unexplained {elsewhere:?}")),
                        cause => lines.push(format!("{name} {reader} {cause} {}", elsewhere.len())),
                    }
                }
            }
        }
    }
    (lines, agreed)
}

/// `peers/x12_differences.txt` has every difference, and `peers/x12_differences.md` says why this reading is right.
#[test]
fn loops_are_those_of_the_others_or_the_difference_is_explained() {
    let explained: Vec<&str> = include_str!("../../../peers/x12_differences.txt").lines().collect();
    let corpus = corpus();
    assert!(corpus.len() > 60, "{}", corpus.len());
    let (found, agreed) = differences(&corpus);
    let new: Vec<_> = found.iter().filter(|line| !explained.contains(&line.as_str())).collect();
    let gone: Vec<_> = explained.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in x12_differences.txt: {new:#?}\nno longer found: {gone:#?}");
    assert!(agreed > 80, "{agreed}");
    let causes: BTreeSet<&str> = explained.iter().filter_map(|line| line.split(' ').nth(2)).collect();
    let headings =
        include_str!("../../../peers/x12_differences.md").lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(causes, headings.collect());
}
