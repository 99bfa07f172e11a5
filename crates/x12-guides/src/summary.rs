//! The answer of a transaction set in a few lines for people: coverage, statuses of claims, payments, acceptance.

use candor_x12::Segment;

use crate::meaning;

/// The most lines about one set.
const MOST_LINES: usize = 200;

/// The most characters of a line.
const MOST_CHARACTERS: usize = 500;

/// The lines about a 271, 277, 835, 997, 999 or TA1, one for each subject; none about other sets.
pub(crate) fn summary<'a>(transaction: &str, segments: impl Iterator<Item = Segment<'a>>) -> Vec<String> {
    let mut lines = Lines::default();
    match transaction {
        "271" => eligibility(segments, &mut lines),
        "277" => claims(segments, &mut lines),
        "835" => payment(segments, &mut lines),
        "997" | "999" => acknowledgment(segments, &mut lines),
        "TA1" => interchange(segments, &mut lines),
        _ => {}
    }
    if lines.more > 0 {
        let more = format!("{} more lines are not shown", lines.more);
        lines.all.push(more);
    }
    lines.all
}

#[derive(Default)]
struct Lines {
    all: Vec<String>,
    more: usize,
}

impl Lines {
    fn add(&mut self, line: &str) {
        if self.all.len() >= MOST_LINES {
            self.more += 1;
            return;
        }
        // Control characters would do something to a terminal.
        let plain = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
        let mut characters = line.chars().map(plain);
        let mut shown: String = characters.by_ref().take(MOST_CHARACTERS).collect();
        if characters.next().is_some() {
            shown.push('…');
        }
        self.all.push(shown);
    }
}

fn words(id: &str, element: usize, code: &str) -> String {
    meaning(id, element, code).map_or_else(|| "not a code that Candor knows".to_owned(), str::to_owned)
}

/// The first component of an element.
fn category(segment: &Segment<'_>, element: usize) -> String {
    let first = segment.element(element).and_then(|piece| piece.components(segment.delimiters()).next());
    first.map(|first| first.text().into_owned()).unwrap_or_default()
}

/// The level of a hierarchy that is being read, and the first name in it.
#[derive(Default)]
struct Level {
    code: String,
    name: String,
}

impl Level {
    fn of(hl: &Segment<'_>) -> Self {
        Self { code: hl.text(3).into_owned(), name: String::new() }
    }

    /// Takes the name of an NM1 for a level without a name.
    fn name(&mut self, nm1: &Segment<'_>) {
        if self.name.is_empty() {
            let (last, first, id) = (nm1.text(3), nm1.text(4), nm1.text(9));
            let name = format!("{} {}", first.trim(), last.trim());
            self.name = match (name.trim(), id.trim()) {
                (name, "") => name.to_owned(),
                ("", id) => id.to_owned(),
                (name, id) => format!("{name} ({id})"),
            };
        }
    }

    fn is_of_patient(&self) -> bool {
        matches!(self.code.as_str(), "22" | "23" | "PT")
    }

    fn named(&self) -> String {
        match (self.name.as_str(), meaning("HL", 3, &self.code)) {
            ("", Some(level)) => format!("the {level}"),
            ("", None) => "?".to_owned(),
            (name, _) => name.to_owned(),
        }
    }
}

/// 271: of each patient the service types by what EB01 says of coverage, and rejections.
fn eligibility<'a>(segments: impl Iterator<Item = Segment<'a>>, lines: &mut Lines) {
    let mut level = Level::default();
    let mut benefits: Vec<Benefit> = Vec::new();
    let mut is_silent = true;
    for segment in segments {
        match segment.id().as_str() {
            "HL" => {
                Benefit::all(&mut benefits, &level, lines);
                level = Level::of(&segment);
            }
            "NM1" => level.name(&segment),
            "AAA" => {
                is_silent = false;
                let code = segment.text(3);
                lines.add(&format!("{}: rejected, {} (AAA03 {code})", level.named(), words("AAA", 3, &code)));
            }
            "EB" if is_covered(&segment.text(1)).is_some() => {
                is_silent = false;
                Benefit::add(&mut benefits, &segment);
            }
            _ => {}
        }
    }
    Benefit::all(&mut benefits, &level, lines);
    if is_silent {
        lines.add("the answer says nothing about coverage");
    }
}

/// EB01: covered or not; nothing for codes that say something else.
fn is_covered(code: &str) -> Option<bool> {
    match code {
        "1" | "2" | "3" | "4" | "5" => Some(true),
        "6" | "7" | "8" | "I" => Some(false),
        _ => None,
    }
}

/// A code of EB01 that a patient has, and the services it is about.
struct Benefit {
    code: String,
    types: Vec<String>,
    procedures: Vec<String>,
}

impl Benefit {
    fn add(benefits: &mut Vec<Self>, eb: &Segment<'_>) {
        let code = eb.text(1);
        let at = benefits.iter().position(|benefit| benefit.code == code).unwrap_or(benefits.len());
        if at == benefits.len() {
            benefits.push(Self { code: code.into_owned(), types: Vec::new(), procedures: Vec::new() });
        }
        let Some(benefit) = benefits.get_mut(at) else { return };
        let pieces = eb.element(3).into_iter().flat_map(|types| types.repetitions(eb.delimiters()));
        let mut types: Vec<String> = pieces.map(|piece| piece.text().trim().to_owned()).collect();
        types.retain(|one| !one.is_empty());
        let procedure = eb.text(13);
        if types.is_empty() && !procedure.is_empty() {
            add_new(&mut benefit.procedures, procedure.into_owned());
        } else if types.is_empty() {
            // An EB without a service type is about the plan.
            add_new(&mut benefit.types, "30".to_owned());
        }
        types.into_iter().for_each(|one| add_new(&mut benefit.types, one));
    }

    fn all(benefits: &mut Vec<Self>, level: &Level, lines: &mut Lines) {
        for Self { code, types, procedures } in benefits.drain(..) {
            let listed = |name: &str, all: &[String]| match all {
                [] => None,
                [only] => Some(format!("{name} {only}")),
                several => Some(format!("{name}s {}", several.join(", "))),
            };
            let parts = [listed("service type", &types), listed("procedure", &procedures)];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let covered = if is_covered(&code) == Some(true) { "covered" } else { "not covered" };
            let means = words("EB", 1, &code);
            lines.add(&format!("{}: {covered} for {} (EB01 {code}: {means})", level.named(), parts.join(" and ")));
        }
    }
}

/// The most service types and procedures of a patient that are listed for one code.
const MOST_LISTED: usize = 200;

fn add_new(list: &mut Vec<String>, one: String) {
    if list.len() < MOST_LISTED && !list.contains(&one) {
        list.push(one);
    }
}

/// 277 and 277CA: of each claim its statuses, and of other levels those that they have.
fn claims<'a>(segments: impl Iterator<Item = Segment<'a>>, lines: &mut Lines) {
    let mut level = Level::default();
    let mut claim: Option<Claim> = None;
    for segment in segments {
        match segment.id().as_str() {
            "HL" => {
                Claim::end(&mut claim, &level, lines);
                level = Level::of(&segment);
            }
            "NM1" => level.name(&segment),
            "TRN" => {
                Claim::end(&mut claim, &level, lines);
                claim = Some(Claim { trace: segment.text(2).into_owned(), ..Claim::default() });
            }
            "STC" => claim.get_or_insert_default().status(&segment),
            "REF" if segment.text(1) == "1K" => claim.get_or_insert_default().number = segment.text(2).into_owned(),
            "SVC" => claim.get_or_insert_default().service = Some(segment.text(1).into_owned()),
            _ => {}
        }
    }
    Claim::end(&mut claim, &level, lines);
}

/// The most statuses of one claim that are listed.
const MOST_STATUSES: usize = 20;

#[derive(Default)]
struct Claim {
    /// TRN02.
    trace: String,
    /// REF*1K: the payer's own number.
    number: String,
    /// SVC01 of the service that is being read.
    service: Option<String>,
    statuses: Vec<String>,
}

impl Claim {
    fn status(&mut self, stc: &Segment<'_>) {
        if self.statuses.len() >= MOST_STATUSES {
            return;
        }
        let said = [1, 10, 11].map(|element| (category(stc, element), stc.text(element)));
        let said = said.iter().filter(|(category, _)| !category.is_empty());
        let said: Vec<String> =
            said.map(|(category, all)| format!("{} (STC {all})", words("STC", 1, category))).collect();
        let action = match &*stc.text(3) {
            "U" => ", action U: rejected",
            "WQ" => ", action WQ: accepted",
            _ => "",
        };
        let text = stc.text(12);
        let text = if text.is_empty() { String::new() } else { format!(", text {text:?}") };
        let service = self.service.as_ref().map(|service| format!("service {service}: ")).unwrap_or_default();
        self.statuses.push(format!("{service}{}{action}{text}", said.join(" and ")));
    }

    fn end(claim: &mut Option<Self>, level: &Level, lines: &mut Lines) {
        let Some(Self { trace, number, statuses, .. }) = claim.take() else { return };
        let subject = match level.is_of_patient() {
            true => {
                let number = if number.is_empty() { String::new() } else { format!(", payer's number {number}") };
                format!("claim {trace} of {}{number}", level.named())
            }
            // A level above the claims has a trace, and need not have a status.
            false if statuses.is_empty() => return,
            false => level.named(),
        };
        let said = if statuses.is_empty() { "no status is stated".to_owned() } else { statuses.join("; ") };
        lines.add(&format!("{subject}: {said}"));
    }
}

/// 835: the payment, and of each claim what was charged and paid.
fn payment<'a>(segments: impl Iterator<Item = Segment<'a>>, lines: &mut Lines) {
    for segment in segments {
        let text = |element| segment.text(element);
        match segment.id().as_str() {
            "BPR" => lines.add(&format!("payment of {} by {}, dated {}", or(&text(2)), or(&text(4)), or(&text(16)))),
            "CLP" => {
                let owed = text(5);
                let owed = if owed.is_empty() { String::new() } else { format!(", the patient owes {owed}") };
                let (claim, code) = (text(1), text(2));
                lines.add(&format!(
                    "claim {claim}: paid {} of {}{owed} (CLP02 {code}: {})",
                    or(&text(4)),
                    or(&text(3)),
                    words("CLP", 2, &code)
                ));
            }
            _ => {}
        }
    }
}

fn or(text: &str) -> &str {
    if text.is_empty() { "?" } else { text }
}

/// 999 and 997: of each set and of the group whether it was accepted.
fn acknowledgment<'a>(segments: impl Iterator<Item = Segment<'a>>, lines: &mut Lines) {
    let (mut group, mut set, mut errors) = (String::new(), String::new(), 0_usize);
    for segment in segments {
        let id = segment.id();
        match id.as_str() {
            "AK1" => group = format!("group {} {}", segment.text(1), segment.text(2)),
            "AK2" => (set, errors) = (format!("set {} {}", segment.text(1), segment.text(2)), 0),
            "IK3" | "AK3" => errors += 1,
            "IK5" | "AK5" => {
                let code = segment.text(1);
                let errors = match errors {
                    0 => String::new(),
                    1 => ", 1 segment in error".to_owned(),
                    several => format!(", {several} segments in error"),
                };
                let why = segment.text(2);
                let why = if why.is_empty() { String::new() } else { format!(", {}02 {why}", id.as_str()) };
                lines.add(&format!("{set}: {} ({}01 {code}{why}){errors}", words(id.as_str(), 1, &code), id.as_str()));
            }
            "AK9" => {
                let (code, received, accepted) = (segment.text(1), segment.text(3), segment.text(4));
                let means = words("AK9", 1, &code);
                lines.add(&format!(
                    "{group}: {means} (AK901 {code}), {} of {} sets accepted",
                    or(&accepted),
                    or(&received)
                ));
            }
            _ => {}
        }
    }
}

/// TA1: whether the interchange was accepted.
fn interchange<'a>(segments: impl Iterator<Item = Segment<'a>>, lines: &mut Lines) {
    for ta1 in segments.filter(|segment| segment.id().is("TA1")) {
        let (number, code, note) = (ta1.text(1), ta1.text(4), ta1.text(5));
        let note = if matches!(&*note, "" | "000") { String::new() } else { format!(", TA105 {note}") };
        lines.add(&format!("interchange {number}: {} (TA104 {code}{note})", words("TA1", 4, &code)));
    }
}
