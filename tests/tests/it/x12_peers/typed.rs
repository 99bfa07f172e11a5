//! The typed sets of x12-types: the standard's loops, without the guides' levels.

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use candor_json::Value;
use x12_types::util::Parser as _;
use x12_types::v005010::{
    _270, _271, _276, _277, _278, _820, _824, _834, _835, _837, _999, FunctionalGroup, Transmission,
};

use crate::x12_peers::corpus::{Placed, corpus};

/// How many segments of an id there are in the loops with the same digits.
type Bag = BTreeMap<(String, String), usize>;

fn read(transaction: &str, text: &str) -> Result<(Value, bool), &'static str> {
    macro_rules! typed {
        ($($id:literal $set:ty)*) => {
            match transaction {
                $($id => catch_unwind(|| {
                    let (rest, read) = Transmission::<$set>::parse(text).map_err(|_| "refused")?;
                    let sets: Vec<&$set> =
                        read.functional_group.iter().flat_map(|FunctionalGroup { segments, .. }| segments).collect();
                    Ok((candor_json::to_value(sets).unwrap(), rest.trim().is_empty()))
                }).unwrap_or(Err("panics")),)*
                _ => Err("no-type"),
            }
        };
    }
    typed!("270" _270 "271" _271 "276" _276 "277" _277 "278" _278 "820" _820 "824" _824 "834" _834 "835" _835 "837" _837 "999" _999)
}

/// Counts the segments that a typed set holds, by the names of its members: `loop_2000`, `nm1`.
fn hold(value: &Value, name: &str, around: &str, bag: &mut Bag) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| hold(one, name, around, bag)),
        Value::Object(members) if members.contains_key("01") => {
            *bag.entry((around.to_owned(), name.to_ascii_uppercase())).or_default() += 1;
        }
        Value::Object(members) => {
            let digits: String = name.chars().filter(char::is_ascii_digit).take(4).collect();
            let around = if digits.is_empty() { around } else { &digits };
            members.iter().for_each(|(name, value)| hold(value, name, around, bag));
        }
        _ => {}
    }
}

fn ours(placed: &Placed) -> Bag {
    let mut bag = Bag::new();
    for (at, segment) in placed {
        let at: String = at.chars().filter(char::is_ascii_digit).take(4).collect();
        *bag.entry((at, segment.split('*').next().unwrap().to_owned())).or_default() += 1;
    }
    bag
}

/// `peers/x12_typed_differences.txt` has every difference, and `peers/x12_differences.md` says why.
#[test]
fn typed_sets_hold_the_same_or_the_difference_is_explained() {
    let explained: Vec<&str> = include_str!("../../../peers/x12_typed_differences.txt").lines().collect();
    let (mut found, mut agreed) = (Vec::new(), 0);
    for (name, text, placed) in corpus() {
        let transaction = placed[0].1.split('*').nth(1).unwrap().to_owned();
        match read(&transaction, &text) {
            Err(why) => found.push(format!("{name} {why}")),
            Ok((value, whole)) => {
                let mut theirs = Bag::new();
                hold(&value, "", "", &mut theirs);
                let ours = ours(&placed);
                let count = |bag: &Bag| bag.values().sum::<usize>();
                let elsewhere: usize =
                    ours.iter().map(|(key, n)| n.saturating_sub(theirs.get(key).copied().unwrap_or_default())).sum();
                match (whole, count(&ours) - count(&theirs).min(count(&ours)), elsewhere) {
                    (true, 0, 0) => agreed += 1,
                    (true, 0, elsewhere) => found.push(format!("{name} elsewhere {elsewhere}")),
                    (_, lost, _) => found.push(format!("{name} lost {lost}")),
                }
            }
        }
    }
    let new: Vec<_> = found.iter().filter(|line| !explained.contains(&line.as_str())).collect();
    let gone: Vec<_> = explained.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\nno longer found: {gone:#?}\nagreed: {agreed}");
    assert!(agreed > 10, "{agreed}");
}
