//! 834 (X220): is the member enrolled, in which coverage, on which day.

use candor_check::compare::{DateValue, Ternary as Order};
use candor_json::{Value, json};

use super::scalar::Text;
use super::settings::{Day, Enrolled};
use super::tree::Tree;
use super::{Answer, Said, Verdict};

/// Reads a maintenance type (INS03, HD01), code list 875: 002 deletes, 024 cancels or terminates; 001, 021, 025, 026,
/// 030 state coverage.
fn maintained(code: &str) -> Option<Enrolled> {
    match code {
        "002" | "024" => Some(Enrolled::Terminated),
        "001" | "021" | "025" | "026" | "030" => Some(Enrolled::Active),
        _ => None,
    }
}

/// A line of coverage of a member, or the member as a whole where no HD is there.
struct Line {
    /// HD, else INS.
    segment: usize,
    /// HD01, else INS03.
    code: String,
    /// INS03 of the member terminates.
    member_ends: bool,
    /// DTP 348 or 356, and 349 or 357.
    begins: Vec<(usize, Option<DateValue>)>,
    ends: Vec<(usize, Option<DateValue>)>,
}

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let all = tree.all(&["2000"]);
    let is_meant = |member: &usize| {
        answer
            .member_id
            .as_ref()
            .is_none_or(|Text(wanted)| number(tree, *member).is_some_and(|(_, own)| own == *wanted))
    };
    let members: Vec<usize> = all.iter().copied().filter(is_meant).collect();
    if let Some(Text(wanted)) = &answer.member_id {
        let on: Vec<usize> = members.iter().filter_map(|&member| Some(number(tree, member)?.0)).collect();
        let (actual, verdict) = match members.is_empty() {
            true => (Value::Null, Verdict::Fails),
            false => (json!(wanted), Verdict::Holds),
        };
        said.push(Said::new("member_id", wanted.clone(), actual, verdict).on(on));
    }
    let of_members = members.iter().flat_map(|&member| of_member(answer, tree, member)).collect();
    let of_members = Said::together(of_members, "members and lines of coverage");
    let asked = answer.asserted().into_iter().filter(|(member, _)| *member != "member_id");
    for (member, expected) in asked {
        match of_members.iter().find(|said| said.member == member) {
            Some(found) => said.push(found.clone()),
            None => said.push(Said::silent(member, expected, "no member is there")),
        }
    }
    said
}

/// The number of a member: REF*0F, else NM109.
fn number(tree: &Tree<'_>, member: usize) -> Option<(usize, String)> {
    let reference = tree.own(member, "REF").into_iter().find(|&reference| tree.text(reference, 1) == "0F");
    if let Some(reference) = reference {
        return Some((reference, tree.text(reference, 2).into_owned()));
    }
    let name = tree.below(member, &["2100A"]).find_map(|name| tree.first(name, "NM1"))?;
    Some((name, tree.text(name, 9).into_owned())).filter(|(_, number)| !number.is_empty())
}

fn of_member(answer: &Answer, tree: &Tree<'_>, member: usize) -> Vec<Said> {
    let mut said = Vec::new();
    let lines: Vec<usize> = tree.below(member, &["2300"]).collect();
    let name = answer.coverage.as_ref().map(|coverage| coverage.name().to_owned());
    let is_wanted = |&line: &usize| match (&name, tree.first(line, "HD")) {
        (Some(name), Some(hd)) => tree.text(hd, 3) == *name,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    let meant: Vec<usize> = lines.iter().copied().filter(is_wanted).collect();
    if let Some(name) = &name {
        let of = |lines: &[usize]| lines.iter().filter_map(|&line| tree.first(line, "HD")).collect::<Vec<usize>>();
        said.push(match meant.is_empty() {
            false => Said::new("coverage", name.clone(), name.clone(), Verdict::Holds).on(of(&meant)),
            true => {
                let others: Vec<String> = of(&lines).into_iter().map(|hd| tree.text(hd, 3).into_owned()).collect();
                let actual = if others.is_empty() { Value::Null } else { json!(others.join(" and ")) };
                let on = of(&lines).into_iter().chain(tree.first(member, "INS"));
                Said::new("coverage", name.clone(), actual, Verdict::Fails).on(on)
            }
        });
    }
    let lines: Vec<Line> = match (meant.is_empty(), &name) {
        // What the set states about the member does not apply to a coverage that is missing.
        (true, Some(_)) => Vec::new(),
        (true, None) => whole(tree, member).into_iter().collect(),
        (false, _) => meant.iter().filter_map(|&at| line(tree, member, at)).collect(),
    };
    for line in &lines {
        said.extend(answer.enrolled.map(|expected| enrolled(tree, expected, answer.on.as_ref(), line)));
        said.extend(answer.on.as_ref().map(|day| on(tree, day, answer.enrolled, line)));
    }
    if lines.is_empty() {
        let asked = answer.asserted().into_iter().filter(|(member, _)| matches!(*member, "enrolled" | "on"));
        said.extend(asked.map(|(member, expected)| Said::silent(member, expected, "this coverage is not mentioned")));
    }
    said
}

/// The DTP segments of an occurrence with one of two qualifiers.
fn dates(tree: &Tree<'_>, occurrence: usize, qualifiers: [&str; 2]) -> Vec<(usize, Option<DateValue>)> {
    let own = tree.own(occurrence, "DTP").into_iter().filter(|&dtp| qualifiers.contains(&&*tree.text(dtp, 1)));
    own.map(|dtp| (dtp, tree.date(dtp, 3))).collect()
}

fn whole(tree: &Tree<'_>, member: usize) -> Option<Line> {
    let ins = tree.first(member, "INS")?;
    let code = tree.text(ins, 3).into_owned();
    let member_ends = maintained(&code) == Some(Enrolled::Terminated);
    let (begins, ends) = (dates(tree, member, ["356", "348"]), dates(tree, member, ["357", "349"]));
    Some(Line { segment: ins, code, member_ends, begins, ends })
}

fn line(tree: &Tree<'_>, member: usize, at: usize) -> Option<Line> {
    let hd = tree.first(at, "HD")?;
    let around = whole(tree, member);
    let (begins, ends) = (dates(tree, at, ["348", "348"]), dates(tree, at, ["349", "349"]));
    let outer = around.as_ref();
    // A bound that the coverage does not state is that of the member's eligibility.
    let begins = if begins.is_empty() { outer.map(|line| line.begins.clone()).unwrap_or_default() } else { begins };
    let ends = if ends.is_empty() { outer.map(|line| line.ends.clone()).unwrap_or_default() } else { ends };
    let member_ends = outer.is_some_and(|line| line.member_ends);
    Some(Line { segment: hd, code: tree.text(hd, 1).into_owned(), member_ends, begins, ends })
}

impl Line {
    fn segments(&self) -> Vec<usize> {
        let dates = self.begins.iter().chain(&self.ends).map(|(dtp, _)| *dtp);
        std::iter::once(self.segment).chain(dates).collect()
    }

    fn said(&self) -> Option<Enrolled> {
        match maintained(&self.code) {
            // A member who leaves keeps no coverage.
            Some(Enrolled::Active) if self.member_ends => None,
            said => said,
        }
    }

    /// Says if a day comes before the beginning, or after the end: yes, no, or not known. `None` if there is no such
    /// date.
    fn outside(&self, day: &Day) -> (Option<Order>, Option<Order>) {
        let of = |dates: &[(usize, Option<DateValue>)], is_out: &dyn Fn(&DateValue) -> Order| {
            let all: Vec<Order> =
                dates.iter().map(|(_, date)| date.as_ref().map_or(Order::Undecidable, is_out)).collect();
            let first = all.first().copied()?;
            Some(if all.iter().all(|one| *one == first) { first } else { Order::Undecidable })
        };
        let before = of(&self.begins, &|date| day.date.before(date.first()));
        let after = of(&self.ends, &|date| date.last().before(&day.date));
        (before, after)
    }
}

fn shown(tree: &Tree<'_>, line: &Line) -> String {
    let id = tree.segment(line.segment).map(|segment| segment.id().as_str().to_owned()).unwrap_or_default();
    let element = if id == "HD" { "HD01" } else { "INS03" };
    let dates = line.begins.iter().map(|(dtp, _)| ("from", dtp)).chain(line.ends.iter().map(|(dtp, _)| ("to", dtp)));
    let dates: Vec<String> = dates.map(|(word, &dtp)| format!("{word} {}", tree.text(dtp, 3))).collect();
    let ends = if line.member_ends && id == "HD" { "; INS03 024" } else { "" };
    format!("{element} {}{ends}{}{}", line.code, if dates.is_empty() { "" } else { ", " }, dates.join(" "))
}

/// Without a day, by the maintenance type: coverage that is stated with an end has that only on a day.
fn enrolled(tree: &Tree<'_>, expected: Enrolled, day: Option<&Day>, line: &Line) -> Said {
    let shown = shown(tree, line);
    let state = match (line.said(), day) {
        (None, _) => Err(shown.clone()),
        (Some(Enrolled::Terminated), None) => Ok(Enrolled::Terminated),
        (Some(Enrolled::Active), None) if line.ends.is_empty() => Ok(Enrolled::Active),
        (Some(Enrolled::Active), None) => Err(format!("{shown}: it ends; say `on` which day")),
        (Some(said), Some(day)) => match (said, line.outside(day)) {
            (_, (_, Some(Order::Yes))) => Ok(Enrolled::Terminated),
            (_, (_, Some(Order::Undecidable)) | (Some(Order::Undecidable), _)) => Err(shown.clone()),
            (Enrolled::Terminated, (_, None)) => Err(format!("{shown}: when it ended is not stated")),
            // Before its beginning, a coverage is neither active nor terminated.
            (_, (Some(Order::Yes), _)) => Err(format!("{shown}: it has not begun")),
            (_, (Some(Order::No), _)) | (Enrolled::Terminated, (None, Some(Order::No))) => Ok(Enrolled::Active),
            (Enrolled::Active, (None, _)) => Ok(Enrolled::Active),
        },
    };
    let said = match state {
        Ok(state) if state == expected => Said::new("enrolled", expected.name(), expected.name(), Verdict::Holds),
        Ok(state) => Said::new("enrolled", expected.name(), format!("{} ({shown})", state.name()), Verdict::Fails),
        // What has not begun is not active.
        Err(why) if expected == Enrolled::Active && why.ends_with("not begun") => {
            Said::new("enrolled", expected.name(), why, Verdict::Fails)
        }
        Err(why) => Said::silent("enrolled", expected.name(), &why),
    };
    said.on(line.segments())
}

/// Holds if the day lies within the stated dates; if a termination is asserted, after them.
fn on(tree: &Tree<'_>, day: &Day, expected: Option<Enrolled>, line: &Line) -> Said {
    let (before, after) = line.outside(day);
    let verdict = match (expected, before, after) {
        (_, None, None) => Verdict::Unknown,
        (Some(Enrolled::Terminated), _, Some(Order::Yes)) => Verdict::Holds,
        (Some(Enrolled::Terminated), _, Some(Order::No)) => Verdict::Fails,
        (Some(Enrolled::Terminated), ..) => Verdict::Unknown,
        (_, Some(Order::Yes), _) | (_, _, Some(Order::Yes)) => Verdict::Fails,
        (_, Some(Order::Undecidable), _) | (_, _, Some(Order::Undecidable)) => Verdict::Unknown,
        _ => Verdict::Holds,
    };
    let said = match verdict {
        Verdict::Unknown if line.begins.is_empty() && line.ends.is_empty() => {
            Said::silent("on", day.written.clone(), "no dates are stated")
        }
        verdict => Said::new("on", day.written.clone(), shown(tree, line), verdict),
    };
    said.on(line.segments())
}
