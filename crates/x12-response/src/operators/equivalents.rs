//! Changes that leave the meaning unchanged.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, edited};

use super::{Delimiters, counted, delimiters, element, group_count, named, segments};

/// The file without line ends between its segments. Nothing where a line end is the terminator, or where a binary element may
/// hold one.
fn on_one_line(target: &Target<'_>, marks: &Delimiters) -> Option<String> {
    let file = target.file()?;
    let has_binary = ["BIN", "BDS"].iter().any(|id| file.contains(&format!("{id}{}", marks.element)));
    let is_plain = !marks.segment.is_whitespace() && !has_binary && file.is_ascii();
    is_plain.then(|| file.replace(['\r', '\n'], ""))
}

fn whole(target: &Target<'_>, with: String, what: &str) -> Vec<Change> {
    let Some(file) = target.file().filter(|file| *file != with) else { return Vec::new() };
    vec![target.change_file([Edit { span: 0..file.len(), with }], format!("{} {what}.", target.place.locator))]
}

/// A line for each segment; where each has one, all on one line.
pub(super) fn newline_terminators(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let Some(line) = on_one_line(target, &marks) else { return Vec::new() };
    if target.file().is_some_and(|file| file.contains('\n')) {
        return whole(target, line, "has all segments on one line");
    }
    whole(target, line.replace(marks.segment, &format!("{}\n", marks.segment)), "has each segment on a line of its own")
}

pub(super) fn columns(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let Some(line) = on_one_line(target, &marks) else { return Vec::new() };
    let lines: Vec<&str> = line.as_bytes().chunks(80).filter_map(|part| std::str::from_utf8(part).ok()).collect();
    whole(target, lines.join("\n") + "\n", "is wrapped at 80 columns")
}

pub(super) fn other_delimiters(target: &Target<'_>) -> Vec<Change> {
    let (Some(marks), Some(file)) = (delimiters(target), target.file()) else { return Vec::new() };
    let declared = [Some(marks.component), file.chars().nth(82)];
    let is_taken = file.contains(['|', '!']) || declared.iter().flatten().any(|mark| matches!(mark, '|' | '!'));
    if is_taken || marks.segment.is_whitespace() || file.matches("ISA").count() > 1 {
        return Vec::new();
    }
    whole(target, file.replace(marks.element, "|").replace(marks.segment, "!"), "has other delimiters")
}

/// The headers around the set: those of its interchange and of its group, with their terminators.
fn headers<'a>(target: &Target<'a>, marks: &Delimiters) -> Option<(&'a str, &'a str)> {
    let before = target.file()?.get(..target.start())?;
    let isa = before.rfind("ISA").and_then(|at| before.get(at..at + 106))?;
    let gs = before.rfind(&format!("GS{}", marks.element))?;
    let gs = before.get(gs..)?;
    let end = gs.find(marks.segment)? + marks.segment.len_utf8();
    Some((isa, gs.get(..end)?))
}

/// Moves the set out of a group with others, into an interchange and a file of its own.
pub(super) fn own_interchange(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let change = || {
        let set = target.record().filter(|set| set.starts_with("ST"))?;
        let (count, sets) = group_count(target, &marks).filter(|(_, sets)| *sets > 1)?;
        let (isa, gs) = headers(target, &marks)?;
        let star = marks.element;
        let number =
            |header: &str, at: usize| header.trim_end_matches(marks.segment).split(star).nth(at).map(str::to_owned);
        let (group, interchange) = (number(gs, 6)?, number(isa, 13)?);
        let end = marks.segment;
        let set = set.trim_end_matches(|c: char| c == end || c.is_whitespace());
        let alone = format!("{isa}{gs}{set}{end}GE{star}1{star}{group}{end}IEA{star}1{star}{interchange}{end}");
        let start = target.start();
        let edits = [
            Edit { span: start..start + target.record()?.len(), with: String::new() },
            Edit { span: count, with: (sets - 1).to_string() },
        ];
        let (stem, ending) = target.place.locator.rsplit_once('.').unwrap_or((&target.place.locator, "edi"));
        let to = format!("{stem}-zz-audit.{ending}");
        let sentence = format!("The set at byte {start} of {} is moved to {to}, alone.", target.place.locator);
        Some(target.change_file(edits, sentence).with_file(to, Some(alone.into_bytes().into())))
    };
    change().into_iter().collect()
}

/// Elements that say which answer, claim or person a set is about.
const NUMBERS: [(&str, usize); 8] =
    [("TRN", 2), ("BHT", 3), ("NM1", 3), ("NM1", 9), ("CLM", 1), ("CLP", 1), ("CLP", 7), ("REF", 2)];

/// The set of somebody else behind this one: each number and name another one.
pub(super) fn beside_others(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let change = || {
        let set = target.record().filter(|set| set.starts_with("ST"))?;
        let (count, sets) = group_count(target, &marks)?;
        let mut edits = Vec::new();
        for segment in segments(target, &marks) {
            for (_, number) in NUMBERS.iter().filter(|(name, _)| segment.1.split(marks.element).next() == Some(name)) {
                edits.extend(
                    element(segment, &marks, *number)
                        .filter(|(_, was)| was.len() > 1)
                        .map(|(span, was)| Edit { span, with: other(was) }),
                );
            }
        }
        // Without a number of its own it would be this set again.
        if edits.is_empty() {
            return None;
        }
        for (name, at) in [("ST", 2), ("SE", 2)] {
            let (span, was) =
                named(target, &marks, name, None).into_iter().next_back().and_then(|one| element(one, &marks, at))?;
            edits.push(Edit { span, with: was.chars().map(|c| if c.is_ascii_digit() { '8' } else { c }).collect() });
        }
        let end = target.start() + set.len();
        let copy = edited(set.as_bytes(), &edits);
        let mut again = String::from_utf8_lossy(&copy).into_owned();
        if !set.trim_end().ends_with(marks.segment) {
            again.insert(0, marks.segment);
        }
        let edits = [Edit { span: end..end, with: again }, Edit { span: count, with: (sets + 1).to_string() }];
        Some(target.change_file(edits, format!("The set of another person is added to {}.", target.place.locator)))
    };
    change().into_iter().collect()
}

fn other(text: &str) -> String {
    let turned = |c: char| match c {
        '0'..='8' => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        '9' => '1',
        'A'..='Y' => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        'Z' => 'A',
        other => other,
    };
    text.chars().map(turned).collect()
}

/// A message, a note or a number more, where the guide of the transaction has one.
pub(super) fn optional_segment(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let all = segments(target, &marks);
    let id = |segment: &(usize, &str)| segment.1.split(marks.element).next().unwrap_or_default().to_owned();
    let kind = all.first().and_then(|first| element(*first, &marks, 1)).map(|(_, kind)| kind.to_owned());
    let star = marks.element;
    let (at, segment) = match kind.as_deref() {
        Some("271" | "278") => {
            let last = all.len().checked_sub(2).and_then(|at| all.get(at));
            let takes_message =
                last.is_some_and(|last| ["EB", "DTP", "MSG", "HSD", "HCR", "HI"].contains(&id(last).as_str()));
            (takes_message.then(|| all.last()).flatten(), format!("MSG{star}FOR INFORMATION ONLY"))
        }
        Some("835") => (
            all.iter().find(|one| id(one) == "TRN").and_then(|trn| all.iter().find(|one| one.0 > trn.0)),
            format!("REF{star}EV{star}AUDIT"),
        ),
        Some("837") => (all.iter().find(|one| id(one) == "HI"), format!("NTE{star}ADD{star}FOR INFORMATION ONLY")),
        _ => (None, String::new()),
    };
    let (Some((at, _)), Some(count)) = (at, counted(target, &marks, 1)) else { return Vec::new() };
    let put_in = Edit { span: *at..*at, with: format!("{segment}{}", marks.segment) };
    vec![target.change([put_in, count], format!("An optional segment {segment} is added to the set."))]
}
