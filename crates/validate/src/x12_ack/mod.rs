//! Responses of a gateway to an interchange: TA1, 999, 277CA. Codes are those of the findings.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Validated;
use crate::x12::{Fault, SeenGroup, SeenInterchange, SeenSet};

mod amounts;
mod claims;

/// Which acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgment {
    /// Of the interchange.
    Ta1,
    /// Of its groups and sets (X231).
    Implementation,
    /// Of the claims of an 837 (X214).
    Claims,
}

/// When an acknowledgment is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// CCYYMMDD.
    pub date: String,
    /// HHMM.
    pub time: String,
}

/// Writes the acknowledgment of every interchange of a file.
///
/// # Errors
/// When there is nothing that can be answered: no ISA that can be read, or no claims.
///
/// ```
/// use candor_validate::{Acknowledgment, Stamp, Types, acknowledge, x12};
/// let file = b"ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000007*0*T*:~\
///     GS*FA*A*B*20261120*0915*7*X*005010X230~ST*997*0001~AK1*HC*1~AK9*A*1*1*1~SE*4*0001~GE*1*7~IEA*1*000000007~";
/// let stamp = Stamp { date: "20261121".to_owned(), time: "0900".to_owned() };
/// let text = acknowledge(Acknowledgment::Ta1, &x12("a.x12", file, Types::default()), &stamp).unwrap();
/// assert!(text.contains("TA1*000000007*261120*0915*A*000~"));
/// ```
pub fn acknowledge(kind: Acknowledgment, validated: &Validated, stamp: &Stamp) -> Result<String, String> {
    let Validated { report, interchanges } = validated;
    if interchanges.is_empty() {
        return Err(format!("{}: there is no interchange with a transaction set that could be answered", report.file));
    }
    let mut text = String::new();
    for interchange in interchanges {
        match kind {
            Acknowledgment::Ta1 => ta1(interchange, stamp, &mut text),
            Acknowledgment::Implementation => implementation(interchange, stamp, &mut text),
            Acknowledgment::Claims => claims::write(interchange, stamp, &mut text),
        }
    }
    if text.is_empty() {
        return Err(format!("{}: there are no claims (837) that a 277CA could answer", report.file));
    }
    Ok(text)
}

/// Text without anything that delimits or that X12's characters do not have.
pub(crate) fn plain(text: &str) -> String {
    let keep = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '*' | ':' | '~' | '^');
    text.chars().filter(|c| keep(*c)).collect::<String>().trim_end().to_owned()
}

fn at(elements: &[String], position: usize) -> String {
    elements.get(position).map(|text| plain(text)).unwrap_or_default()
}

/// Writes a segment; empty elements at its end are left out.
pub(crate) fn segment(text: &mut String, elements: &[&str]) {
    let used = elements.iter().rposition(|element| !element.is_empty()).map_or(0, |last| last + 1);
    let line = elements.get(..used).unwrap_or_default().join("*");
    let _ = writeln!(text, "{}~", line.trim_end_matches(':'));
}

/// The header of the answer: sender and receiver are those of the interchange the other way round.
fn header(interchange: &SeenInterchange, stamp: &Stamp, text: &mut String) -> String {
    let isa = |position| at(&interchange.isa, position);
    let control = format!("{:0>9}", isa(13).chars().filter(char::is_ascii_digit).take(9).collect::<String>());
    let usage = if isa(15).is_empty() { "P".to_owned() } else { isa(15) };
    let _ = writeln!(
        text,
        "ISA*00*{:10}*00*{:10}*{:2}*{:15}*{:2}*{:15}*{}*{}*^*00501*{control}*0*{usage}*:~",
        "",
        "",
        isa(7),
        isa(8),
        isa(5),
        isa(6),
        stamp.date.get(2..).unwrap_or_default(),
        stamp.time,
    );
    control
}

fn ta1(interchange: &SeenInterchange, stamp: &Stamp, text: &mut String) {
    let control = header(interchange, stamp, text);
    let note = interchange.notes.first().and_then(|code| code.split_once(':')).map(|(_, code)| code);
    let accepted = if note.is_none() { "A" } else { "R" };
    let isa = |position| at(&interchange.isa, position);
    segment(text, &["TA1", &isa(13), &isa(9), &isa(10), accepted, note.unwrap_or("000")]);
    segment(text, &["IEA", "0", &control]);
}

fn is_accepted(set: &SeenSet) -> bool {
    set.faults.is_empty()
}

fn group(
    interchange: &SeenInterchange,
    stamp: &Stamp,
    (kind, guide): (&str, &str),
    text: &mut String,
    sets: &[String],
) {
    let control = header(interchange, stamp, text);
    let gs = interchange.groups.iter().map(|group| &group.gs).find(|gs| !gs.is_empty());
    let party = |position, isa| match gs.map(|gs| at(gs, position)).filter(|text| !text.is_empty()) {
        Some(text) => text,
        None => at(&interchange.isa, isa),
    };
    let own = control.trim_start_matches('0');
    let own = if own.is_empty() { "1" } else { own };
    segment(text, &["GS", kind, &party(3, 8), &party(2, 6), &stamp.date, &stamp.time, own, "X", guide]);
    for set in sets {
        text.push_str(set);
    }
    segment(text, &["GE", &sets.len().to_string(), own]);
    segment(text, &["IEA", "1", &control]);
}

fn set(number: usize, (transaction, guide): (&str, &str), body: &str) -> String {
    let control = format!("{number:04}");
    let mut text = String::new();
    segment(&mut text, &["ST", transaction, &control, guide]);
    text.push_str(body);
    segment(&mut text, &["SE", &(body.lines().count() + 2).to_string(), &control]);
    text
}

fn implementation(interchange: &SeenInterchange, stamp: &Stamp, text: &mut String) {
    const GUIDE: &str = "005010X231A1";
    let sets: Vec<String> =
        (1..).zip(&interchange.groups).map(|(number, group)| set(number, ("999", GUIDE), &of_group(group))).collect();
    group(interchange, stamp, ("FA", GUIDE), text, &sets);
}

fn of_group(group: &SeenGroup) -> String {
    let mut text = String::new();
    let gs = |position| at(&group.gs, position);
    segment(&mut text, &["AK1", &gs(1), &gs(6), &gs(8)]);
    for set in &group.sets {
        segment(&mut text, &["AK2", &plain(&set.transaction), &plain(&set.control), &plain(&set.guide)]);
        let mut errors = segments(set, &mut text);
        errors.truncate(5);
        let mut trailer = vec!["IK5", if is_accepted(set) { "A" } else { "R" }];
        trailer.extend(errors.iter().map(String::as_str));
        segment(&mut text, &trailer);
    }
    let (all, accepted) = (group.sets.len(), group.sets.iter().filter(|set| is_accepted(set)).count());
    let (code, accepted) = match (group.errors.is_empty(), accepted) {
        (false, _) | (true, 0) => ("R", 0),
        (true, accepted) if accepted == all => ("A", accepted),
        (true, accepted) => ("P", accepted),
    };
    let (all, accepted) = (all.to_string(), accepted.to_string());
    let mut trailer = vec!["AK9", code, &all, &all, &accepted];
    let mut errors: Vec<&str> = group.errors.iter().filter_map(|code| Some(code.split_once(':')?.1)).collect();
    errors.dedup();
    trailer.extend(errors.into_iter().take(5));
    segment(&mut text, &trailer);
    text
}

/// IK3 and IK4 of a set; gives the codes of IK5.
fn segments(set: &SeenSet, text: &mut String) -> Vec<String> {
    let mut by_place: BTreeMap<(usize, &str, &str), Vec<&Fault>> = BTreeMap::new();
    let mut codes: Vec<String> = Vec::new();
    let mut add = |code: &str| {
        if !codes.iter().any(|known| known == code) {
            codes.push(code.to_owned());
        }
    };
    for fault in &set.faults {
        match fault.code.split_once(':') {
            Some(("IK502", code)) => add(code),
            Some(("IK304" | "IK403", _)) => {
                add("5");
                if !fault.segment.is_empty() {
                    by_place.entry((fault.position, &fault.segment, &fault.looped)).or_default().push(fault);
                }
            }
            // A disagreement with the envelope is reported for the envelope.
            _ => add("5"),
        }
    }
    for ((position, id, looped), faults) in by_place {
        let looped: String = looped.chars().take(4).collect();
        let position = position.to_string();
        let code = |fault: &Fault, of: &str| {
            fault.code.split_once(':').filter(|(kind, _)| *kind == of).map(|(_, c)| c.to_owned())
        };
        for whole in faults.iter().filter_map(|fault| code(fault, "IK304")) {
            segment(text, &["IK3", id, &position, &looped, &whole]);
        }
        let elements: Vec<(&Fault, String)> =
            faults.iter().filter_map(|fault| Some((*fault, code(fault, "IK403")?))).collect();
        if elements.is_empty() {
            continue;
        }
        segment(text, &["IK3", id, &position, &looped, "8"]);
        for (fault, code) in elements {
            let element = fault.element.unwrap_or(1).to_string();
            let element = fault.component.map_or(element.clone(), |component| format!("{element}:{component}"));
            let found: String = plain(fault.found.as_deref().unwrap_or_default()).chars().take(99).collect();
            segment(text, &["IK4", &element, "", &code, &found]);
        }
    }
    codes
}
