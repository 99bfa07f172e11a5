//! A transaction set against its guide: SNIP type 2, required segments, elements, lengths, types, codes.

use std::collections::HashMap;

use candor_x12::{Piece, Segment, SetView};

use crate::dictionary;
use crate::elements::{ELEMENTS, Kind};
use crate::guide::{ElementRule, Entry, Guide, Loop, SegmentRule, Usage};
use crate::loops::Loops;
use crate::place::{Fit, Occurrence, Placed};
use crate::syntax::{Broken, Present};

/// The most findings that are listed of one set; the others are counted.
pub const MOST_FINDINGS: usize = 200;

/// Something that a guide does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// X12's own code: `IK304:3`, `IK403:7`.
    pub code: &'static str,
    /// The loops around it, each with its number in the one around it: `2000A.2000B[2].2300`. Empty outside of any.
    pub loops: String,
    /// The segment's id.
    pub segment: String,
    /// Its position in the set, ST being 1; of a missing segment, that of the segment in its place.
    pub position: usize,
    /// The element, where one is wrong.
    pub element: Option<usize>,
    /// The component of it, where one is.
    pub component: Option<usize>,
    /// The expected value or segment, in words.
    pub expected: String,
    /// The text found; `None` if it is missing.
    pub found: Option<String>,
    /// The offset of its first byte.
    pub offset: u64,
    /// How many bytes it takes.
    pub length: usize,
}

/// Validates a set; gives the findings in its order, and how many more there are than [`MOST_FINDINGS`].
#[must_use]
pub fn validate(guide: &'static Guide, set: &SetView<'_>) -> (Vec<Finding>, usize) {
    let segments = set.read();
    let mut all_placed = Vec::with_capacity(segments.len());
    let loops = Loops::placing(guide, &segments, |placed| all_placed.push(placed));
    let mut report = Report { loops, findings: Vec::new(), more: 0 };
    // By occurrence, the uses of each rule; and the number of each loop in it.
    let mut used: Vec<HashMap<*const SegmentRule, u32>> = vec![HashMap::new()];
    let mut held: Vec<HashMap<usize, u32>> = vec![HashMap::new()];
    let mut last: Vec<(usize, u64)> = vec![(0, 0)];
    let mut level = 0;
    for (number, (segment, placed)) in segments.iter().zip(&all_placed).enumerate() {
        while used.len() <= placed.occurrence {
            used.push(HashMap::new());
            held.push(HashMap::new());
            last.push((number, segment.offset()));
            report.begun(used.len() - 1, segment, number, &mut held);
        }
        if let Some(last) = last.get_mut(placed.occurrence) {
            *last = (number + 1, segment.offset() + segment.raw().len() as u64);
        }
        report.segment(segment, number, placed, used.get_mut(placed.occurrence));
        if segment.id().is("HL") {
            level += 1;
            if segment.text(1) != level.to_string() {
                let found = segment.text(1).into_owned();
                let expected = format!("{level}, one more than the HL before it");
                report.element(segment, number, placed.occurrence, ("IK403:7", 1, None), expected, Some(found));
            }
        }
    }
    for (occurrence, used) in used.iter().enumerate() {
        let at = last.get(occurrence).copied().unwrap_or_default();
        report.missing(occurrence, used, held.get(occurrence), at);
    }
    let Report { mut findings, more, .. } = report;
    findings.sort_by_key(|finding| finding.position);
    (findings, more)
}

/// Validates the elements of a set by the base standard alone, where there are no tables of its guide: mandatory elements, types,
/// lengths, number of elements, syntax notes. Gives the findings, and how many more there are than [`MOST_FINDINGS`].
#[must_use]
pub fn validate_by_dictionary(segments: &[Segment<'_>]) -> (Vec<Finding>, usize) {
    let Some(any) = Guide::all().next() else { return (Vec::new(), 0) };
    let rules: HashMap<&str, SegmentRule> = dictionary::segments().map(|id| (id, SegmentRule::of_base(id))).collect();
    // No segment is placed, so a finding has no loop.
    let mut report = Report { loops: Loops::placing(any, &[], |_| {}), findings: Vec::new(), more: 0 };
    for (number, segment) in segments.iter().enumerate() {
        let Some(rule) = rules.get(segment.id().as_str()) else { continue };
        report.elements(segment, number, 0, rule);
        report.notes(segment, number, 0, rule);
    }
    (report.findings, report.more)
}

struct Report {
    loops: Loops,
    findings: Vec<Finding>,
    more: usize,
}

impl Report {
    fn push(&mut self, finding: impl FnOnce(&Loops) -> Finding) {
        if self.findings.len() < MOST_FINDINGS {
            let finding = finding(&self.loops);
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }

    fn definition(&self, occurrence: usize) -> Option<&'static Loop> {
        self.loops.definition(occurrence)
    }

    /// Reports a loop that occurs too often in the one around it.
    fn begun(&mut self, occurrence: usize, segment: &Segment<'_>, number: usize, held: &mut [HashMap<usize, u32>]) {
        let Some(&Occurrence { definition, parent: Some(parent), .. }) = self.loops.occurrences().get(occurrence)
        else {
            return;
        };
        let count = held.get_mut(parent).map(|held| held.entry(definition).or_default());
        let Some(count) = count else { return };
        *count += 1;
        let count = *count;
        let Some(this) = self.definition(occurrence) else { return };
        if this.most().is_some_and(|most| count > most) {
            let most = this.most().unwrap_or_default();
            let expected = format!("loop {} no more than {}", this.id(), times(most));
            self.whole("IK304:4", segment, number, occurrence, expected);
        }
    }

    fn whole(&mut self, code: &'static str, segment: &Segment<'_>, number: usize, occurrence: usize, expected: String) {
        self.push(|loops| Finding {
            code,
            loops: loops.trail(occurrence),
            segment: segment.id().as_str().to_owned(),
            position: number + 1,
            element: None,
            component: None,
            expected,
            found: Some(cut(&segment.whole().text())),
            offset: segment.offset(),
            length: segment.raw().len(),
        });
    }

    fn segment(
        &mut self,
        segment: &Segment<'_>,
        number: usize,
        placed: &Placed,
        used: Option<&mut HashMap<*const SegmentRule, u32>>,
    ) {
        let Placed { occurrence, rule, fit } = *placed;
        let Some(rule) = rule.and_then(|rule| self.loops.guide().rule(rule)) else {
            let id = segment.id();
            let known = self.loops.guide().loops().iter().flat_map(Loop::segments).any(|rule| rule.id() == id.as_str());
            let (code, expected) = match known {
                true => ("IK304:2", format!("no {id} here", id = id.as_str())),
                false => ("IK304:6", format!("a segment that {} has", self.loops.guide().id())),
            };
            return self.whole(code, segment, number, occurrence, expected);
        };
        if fit == Fit::ById {
            // The segment is there with another code: report that fault only once.
            used.into_iter().for_each(|used| *used.entry(std::ptr::from_ref(rule)).or_default() += 1);
            return self.other_code(segment, number, occurrence, rule);
        }
        if fit == Fit::Qualified {
            let (code, expected) = match segment.id().is("HL") {
                true => ("IK304:2", "an HL02 that names a level which may contain it".to_owned()),
                false => ("IK304:7", "this segment earlier in its loop".to_owned()),
            };
            self.whole(code, segment, number, occurrence, expected);
        }
        if let Some(used) = used {
            let count = used.entry(std::ptr::from_ref(rule)).or_default();
            *count += 1;
            if rule.most().is_some_and(|most| *count > most) {
                let expected = format!("{} no more than {}", rule.id(), times(rule.most().unwrap_or_default()));
                self.whole("IK304:5", segment, number, occurrence, expected);
            }
        }
        self.elements(segment, number, occurrence, rule);
        self.notes(segment, number, occurrence, rule);
        if segment.id().is("N4") {
            self.zip_code(segment, number, occurrence);
        }
    }

    /// The billing provider's ZIP code has nine digits (X222, X223, X224: 2010AA N403), where N404 names no other country.
    fn zip_code(&mut self, segment: &Segment<'_>, number: usize, occurrence: usize) {
        let is_billing = self.definition(occurrence).is_some_and(|known| known.id() == "2010AA");
        let (zip, country) = (segment.text(3), segment.text(4));
        let is_whole = zip.len() == 9 && zip.bytes().all(|byte| byte.is_ascii_digit());
        if is_billing && matches!(&*country, "" | "US") && !zip.is_empty() && !is_whole {
            let expected = "the nine digits of a billing provider's ZIP code".to_owned();
            self.element(segment, number, occurrence, ("IK403:I12", 3, None), expected, Some(cut(&zip)));
        }
    }

    /// Reports breaches of the syntax notes of X12.22.
    fn notes(&mut self, segment: &Segment<'_>, number: usize, occurrence: usize, rule: &SegmentRule) {
        if rule.notes.is_empty() {
            return;
        }
        let present = Present::of(segment);
        for note in rule.notes {
            let Some(Broken { code, element, expected }) = note.broken(rule.id(), present) else { continue };
            // What the guide requires was named.
            let usage = rule.elements().nth(element.saturating_sub(1)).map(|rule| rule.usage);
            if code != "IK403:2" || usage != Some(Usage::Required) {
                let found = (code == "IK403:10").then(|| cut(&segment.text(element)));
                self.element(segment, number, occurrence, (code, element, None), expected, found);
            }
        }
    }

    /// Reports a segment whose qualifier the guide does not have at this place.
    fn other_code(&mut self, segment: &Segment<'_>, number: usize, occurrence: usize, rule: &SegmentRule) {
        let (position, _) = rule.qualifier();
        let definition = self.definition(occurrence);
        let same = definition.into_iter().flat_map(Loop::segments).filter(|other| other.id() == rule.id());
        let mut codes: Vec<String> =
            same.flat_map(|rule| rule.qualifier().1).map(|code| code.replace('_', " ")).collect();
        codes.dedup();
        let found = segment.text(position);
        let (code, found) = if found.is_empty() { ("IK403:1", None) } else { ("IK403:7", Some(cut(&found))) };
        let expected = format!("one of {}", codes.join(", "));
        self.element(segment, number, occurrence, (code, position, None), expected, found);
    }

    fn missing(
        &mut self,
        occurrence: usize,
        used: &HashMap<*const SegmentRule, u32>,
        held: Option<&HashMap<usize, u32>>,
        (position, offset): (usize, u64),
    ) {
        let Some(definition) = self.definition(occurrence) else { return };
        let guide = self.loops.guide();
        for entry in &definition.items {
            let (id, expected) = match entry {
                Entry::Segment(rule) if rule.is_required() && !used.contains_key(&std::ptr::from_ref(rule)) => {
                    (rule.id(), format!("{} (required)", rule.described()))
                }
                Entry::Loop(child) => {
                    let Some(inner) = guide.loops().get(*child) else { continue };
                    let is_there = held.is_some_and(|held| held.contains_key(child));
                    if !inner.is_required() || is_there {
                        continue;
                    }
                    let first = inner.first().map_or("", SegmentRule::id);
                    (first, format!("loop {}, {}, beginning with {first} (required)", inner.id(), inner.name()))
                }
                Entry::Segment(_) => continue,
            };
            self.push(|loops| Finding {
                code: "IK304:3",
                loops: loops.trail(occurrence),
                segment: id.to_owned(),
                position,
                element: None,
                component: None,
                expected,
                found: None,
                offset,
                length: 0,
            });
        }
    }

    fn elements(&mut self, segment: &Segment<'_>, number: usize, occurrence: usize, rule: &SegmentRule) {
        let (mut rules, has_others, by_base) = (rule.elements(), rule.has_others(), rule.is_by_base());
        let delimiters = *segment.delimiters();
        let mut elements = segment.elements();
        let mut position = 0;
        loop {
            let (rule, element) = (rules.next(), elements.next());
            position += 1;
            let (rule, element) = match (rule, element) {
                (None, None) => return,
                (Some(rule), element) => (rule, element.filter(|element| !element.is_empty(&delimiters))),
                (None, Some(element)) if has_others || element.is_empty(&delimiters) => continue,
                (None, Some(element)) if by_base => {
                    let found = Some(cut(&element.text()));
                    let expected = format!("no more than {} elements", position - 1);
                    return self.element(segment, number, occurrence, ("IK403:3", position, None), expected, found);
                }
                (None, Some(element)) => {
                    let found = Some(cut(&element.text()));
                    let expected = "nothing, as the guide does not use it".to_owned();
                    self.element(segment, number, occurrence, ("IK403:I10", position, None), expected, found);
                    continue;
                }
            };
            let Some(element) = element else {
                if rule.usage == Usage::Required {
                    let expected = format!("{}{position:02} (required)", segment.id().as_str());
                    self.element(segment, number, occurrence, ("IK403:1", position, None), expected, None);
                }
                continue;
            };
            if rule.usage == Usage::NotUsed {
                let expected = "nothing, as the guide does not use it".to_owned();
                let found = Some(cut(&element.text()));
                self.element(segment, number, occurrence, ("IK403:I10", position, None), expected, found);
                continue;
            }
            let count = element.repetitions(&delimiters).filter(|one| !one.is_empty(&delimiters)).count();
            if count > rule.most {
                let expected = format!("no more than {} of it", rule.most);
                let found = Some(cut(&String::from_utf8_lossy(element.raw())));
                self.element(segment, number, occurrence, ("IK403:12", position, None), expected, found);
            }
            for repetition in element.repetitions(&delimiters) {
                if rule.is_composite() {
                    self.components(segment, number, occurrence, &rule, position, repetition);
                } else {
                    self.value(segment, number, occurrence, &rule, (position, None), repetition);
                }
            }
        }
    }

    fn components(
        &mut self,
        segment: &Segment<'_>,
        number: usize,
        occurrence: usize,
        rule: &ElementRule,
        position: usize,
        repetition: Piece<'_>,
    ) {
        let delimiters = *segment.delimiters();
        let mut components = repetition.components(&delimiters);
        for (at, rule) in (1..).zip(rule.components()) {
            match components.next().filter(|component| !component.is_empty(&delimiters)) {
                None if rule.usage == Usage::Required => {
                    let expected = format!("{}{position:02}-{at} (required)", segment.id().as_str());
                    self.element(segment, number, occurrence, ("IK403:1", position, Some(at)), expected, None);
                }
                Some(component) if rule.usage != Usage::NotUsed => {
                    self.value(segment, number, occurrence, &rule, (position, Some(at)), component);
                }
                Some(component) => {
                    let expected = "nothing, as the guide does not use it".to_owned();
                    let found = Some(cut(&component.text()));
                    self.element(segment, number, occurrence, ("IK403:I10", position, Some(at)), expected, found);
                }
                None => {}
            }
        }
        if components.any(|component| !component.is_empty(&delimiters)) {
            let most = rule.components().count();
            let expected = format!("no more than {most} components");
            let found = Some(cut(&String::from_utf8_lossy(repetition.raw())));
            self.element(segment, number, occurrence, ("IK403:13", position, None), expected, found);
        }
    }

    fn value(
        &mut self,
        segment: &Segment<'_>,
        number: usize,
        occurrence: usize,
        rule: &ElementRule,
        (position, component): (usize, Option<usize>),
        piece: Piece<'_>,
    ) {
        let text = piece.text();
        let wrong = if !rule.allows(&text) {
            Some(("IK403:7", format!("one of {}", rule.codes())))
        } else {
            // The qualifier before a date in free form gives its form.
            let form = (rule.data == "1251" && component.is_none())
                .then(|| segment.text(position.saturating_sub(1)))
                .filter(|form| matches!(&**form, "D8" | "RD8" | "DT" | "TM"));
            match form {
                Some(form) => wrong_form(&form, &text),
                None => ELEMENTS.get(rule.data).and_then(|kind| wrong_kind(kind, &text)),
            }
        };
        if let Some((code, expected)) = wrong {
            self.element(segment, number, occurrence, (code, position, component), expected, Some(cut(&text)));
        }
    }

    fn element(
        &mut self,
        segment: &Segment<'_>,
        number: usize,
        occurrence: usize,
        (code, element, component): (&'static str, usize, Option<usize>),
        expected: String,
        found: Option<String>,
    ) {
        let piece = segment.element(element);
        self.push(|loops| Finding {
            code,
            loops: loops.trail(occurrence),
            segment: segment.id().as_str().to_owned(),
            position: number + 1,
            element: Some(element),
            component,
            expected,
            found,
            offset: piece.map_or(segment.offset() + segment.raw().len() as u64, |piece| piece.offset()),
            length: piece.map_or(0, |piece| piece.raw().len()),
        });
    }
}

/// A limit in words: `once`, `3 times`.
fn times(most: u32) -> String {
    if most == 1 { "once".to_owned() } else { format!("{most} times") }
}

/// The fault in a value by the dictionary's type (X12.6, 3.5.1): too short, too long, or of other characters.
fn wrong_kind(kind: &Kind, text: &str) -> Option<(&'static str, String)> {
    let number = text.strip_prefix('-').unwrap_or(text);
    let (counted, is_kind, what) = match kind.data_type {
        "R" => {
            let digits = number.chars().filter(|c| *c != '.').count();
            let parts = number.split('.').count() <= 2 && number.bytes().any(|byte| byte.is_ascii_digit());
            let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            (digits, parts && plain, "a decimal number")
        }
        kind if kind.starts_with('N') => {
            (number.chars().count(), number.bytes().all(|byte| byte.is_ascii_digit()), "a whole number")
        }
        "DT" => {
            let whole = matches!(text.len(), 6 | 8) && is_date(text);
            return (!whole).then(|| ("IK403:8", "a date CCYYMMDD".to_owned()));
        }
        "TM" => return (!is_time(text)).then(|| ("IK403:9", "a time HHMM[SS[DD]]".to_owned())),
        _ => (text.chars().count(), true, ""),
    };
    if !is_kind {
        Some(("IK403:6", what.to_owned()))
    } else if counted < kind.least {
        Some(("IK403:4", format!("{} characters or more", kind.least)))
    } else if counted > kind.most {
        Some(("IK403:5", format!("no more than {} characters", kind.most)))
    } else {
        None
    }
}

/// DTP03 and its like, by the qualifier before them.
fn wrong_form(form: &str, text: &str) -> Option<(&'static str, String)> {
    let (holds, code, expected) = match form {
        "D8" => (text.len() == 8 && is_date(text), "IK403:8", "a date CCYYMMDD"),
        "RD8" => {
            let range = text.split_once('-');
            let both = range.is_some_and(|(from, to)| {
                from.len() == 8 && to.len() == 8 && is_date(from) && is_date(to) && from <= to
            });
            (both, "IK403:8", "two dates CCYYMMDD-CCYYMMDD, the earlier first")
        }
        "DT" => {
            let parts = text.split_at_checked(8);
            (
                parts.is_some_and(|(date, time)| is_date(date) && is_time(time)),
                "IK403:8",
                "a date and time CCYYMMDDHHMM",
            )
        }
        _ => (is_time(text), "IK403:9", "a time HHMM[SS[DD]]"),
    };
    (!holds).then(|| (code, expected.to_owned()))
}

fn is_date(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |range: std::ops::RangeFrom<usize>, width: usize| {
        text.get(range).and_then(|rest| rest.get(..width)).and_then(|digits| digits.parse::<u32>().ok())
    };
    let year = text.len().saturating_sub(4);
    let (month, day) = (part(year.., 2), part(year + 2.., 2));
    let years = text.get(..year).and_then(|digits| digits.parse::<u32>().ok()).unwrap_or_default();
    let leap = years.is_multiple_of(4) && (!years.is_multiple_of(100) || years.is_multiple_of(400) || year == 2);
    let last = match month {
        Some(2) if leap => 29,
        Some(2) => 28,
        Some(4 | 6 | 9 | 11) => 30,
        Some(1..=12) => 31,
        _ => 0,
    };
    digits && day.is_some_and(|day| (1..=last).contains(&day))
}

fn is_time(text: &str) -> bool {
    let pair = |at: usize| text.get(at..at + 2).and_then(|digits| digits.parse::<u32>().ok());
    let within = |at: usize, most: u32| pair(at).is_some_and(|value| value <= most);
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && matches!(text.len(), 4 | 6 | 7 | 8) && within(0, 23) && within(2, 59) && (text.len() < 6 || within(4, 59))
}

/// Text that a finding shows: no more than a line of it.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 80;
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
