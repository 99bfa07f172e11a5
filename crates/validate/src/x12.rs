//! X12: interchanges, groups and sets by SNIP type.

use candor_x12::{Group, Interchange, Item, ParseError, ParseErrorKind, Segment, Set, Walk};
use candor_x12_guides::{Guide, ReadSet, has_situations, validate, validate_by_dictionary, validate_situations};

use crate::lines::Lines;
use crate::{Finding, Report, Severity, Standard};

/// SNIP types: 1 the envelope, 2 the guide, 3 balancing, 4 situations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types([bool; 4]);

impl Default for Types {
    fn default() -> Self {
        Self([true; 4])
    }
}

impl Types {
    /// Reads `1,2,3`.
    ///
    /// # Errors
    /// The word that is not a type.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut types = [false; 4];
        for word in text.split(',') {
            let number = word.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            match number.and_then(|number| types.get_mut(number)) {
                Some(wanted) => *wanted = true,
                None => {
                    let known = "1 (envelope), 2 (guide), 3 (balancing), 4 (situations)";
                    return Err(format!("{word:?} is not a SNIP type; expected some of {known}, such as 1,2"));
                }
            }
        }
        Ok(Self(types))
    }

    fn has(self, number: usize) -> bool {
        number.checked_sub(1).and_then(|at| self.0.get(at)).copied().unwrap_or(false)
    }
}

/// A file that was validated, and what an acknowledgment says of it.
#[derive(Clone, Debug)]
pub struct Validated {
    /// The violations.
    pub report: Report,
    pub(crate) interchanges: Vec<SeenInterchange>,
}

#[derive(Clone, Debug)]
pub(crate) struct SeenInterchange {
    pub(crate) isa: Vec<String>,
    /// Codes of TA105.
    pub(crate) notes: Vec<String>,
    pub(crate) groups: Vec<SeenGroup>,
    index: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct SeenGroup {
    pub(crate) gs: Vec<String>,
    /// Codes of AK905.
    pub(crate) errors: Vec<String>,
    pub(crate) sets: Vec<SeenSet>,
    index: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct SeenSet {
    pub(crate) transaction: String,
    pub(crate) control: String,
    pub(crate) guide: String,
    pub(crate) faults: Vec<Fault>,
    /// Of an 837, what its acknowledgment by claim says.
    pub(crate) segments: Vec<Vec<String>>,
    offset: u64,
}

/// A finding as IK3, IK4 and IK5 say it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// `IK304:3`, `IK403:7`, `IK502:2`.
    pub(crate) code: String,
    pub(crate) segment: String,
    pub(crate) position: usize,
    /// The loop: `2300`.
    pub(crate) looped: String,
    pub(crate) element: Option<usize>,
    pub(crate) component: Option<usize>,
    pub(crate) found: Option<String>,
}

/// Validates a file.
#[must_use]
pub fn x12(file: &str, bytes: &[u8], types: Types) -> Validated {
    let mut reading = Reading {
        validated: Validated { report: Report::of(file, Standard::X12), interchanges: Vec::new() },
        lines: Lines::of(bytes),
        types,
        unit: String::new(),
    };
    let mut walk = Walk::from_slice(bytes);
    loop {
        let mut heads = Vec::new();
        let item = walk.next_item(&mut |head| {
            heads.push(head_of(head.interchange, head.group, &head.st));
            true
        });
        heads.into_iter().for_each(|head| reading.begun(head));
        match item {
            Ok(Some(item)) => reading.item(item),
            Ok(None) => break,
            // A slice reports no outage.
            Err(_) => break,
        }
    }
    if reading.validated.report.units.is_empty() && reading.validated.report.findings.is_empty() {
        reading.envelope("TA105:022", "ISA", "an interchange", Some("nothing that is X12"), 0);
    }
    reading.validated.report.findings.sort_by_key(|finding| finding.offset);
    reading.validated
}

struct Head {
    interchange: (u64, Vec<String>),
    group: Option<(u64, Vec<String>)>,
    set: SeenSet,
}

fn head_of(interchange: &Interchange, group: Option<&Group>, st: &Segment<'_>) -> Head {
    let separator = interchange.delimiters.element();
    let guide = match st.text(3) {
        guide if guide.is_empty() => group.map(|group| group.version().to_owned()).unwrap_or_default(),
        guide => guide.into_owned(),
    };
    Head {
        interchange: (interchange.index, elements(&interchange.header, separator)),
        group: group.map(|group| (group.index, elements(&group.header, separator))),
        set: SeenSet {
            transaction: st.text(1).into_owned(),
            control: st.text(2).into_owned(),
            guide,
            faults: Vec::new(),
            segments: Vec::new(),
            offset: st.offset(),
        },
    }
}

/// The elements of a header, its id at 0.
fn elements(header: &[u8], separator: u8) -> Vec<String> {
    header.split(|byte| *byte == separator).map(|text| String::from_utf8_lossy(text).trim().to_owned()).collect()
}

struct Reading {
    validated: Validated,
    lines: Lines,
    types: Types,
    unit: String,
}

impl Reading {
    fn begun(&mut self, Head { interchange: (index, isa), group, set }: Head) {
        let interchanges = &mut self.validated.interchanges;
        if interchanges.last().is_none_or(|last| last.index != index) {
            interchanges.push(SeenInterchange { isa, notes: Vec::new(), groups: Vec::new(), index });
        }
        self.unit = unit(&set);
        let Some(last) = interchanges.last_mut() else { return };
        let (index, gs) = group.unwrap_or_default();
        if last.groups.last().is_none_or(|group| group.index != index) {
            last.groups.push(SeenGroup { gs, errors: Vec::new(), sets: Vec::new(), index });
        }
        last.groups.iter_mut().next_back().into_iter().for_each(|group| group.sets.push(set.clone()));
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Set(set) => self.set(&set),
            Item::Ta1(ta1) => {
                let number = ta1.view().segment("TA1").map(|ta1| ta1.text(1).into_owned()).unwrap_or_default();
                self.validated.report.read(&format!("TA1 {number}"));
            }
            Item::GroupEnd { index, findings } => {
                for finding in findings {
                    self.envelope_finding(&finding);
                    let groups = self.validated.interchanges.iter_mut().flat_map(|seen| &mut seen.groups);
                    if let Some(group) = groups.filter(|group| group.index == index).last() {
                        group.errors.push(finding.code.to_owned());
                    }
                }
            }
            Item::InterchangeEnd { index, findings } => {
                for finding in findings {
                    self.envelope_finding(&finding);
                    if let Some(seen) = self.validated.interchanges.iter_mut().find(|seen| seen.index == index) {
                        seen.notes.push(finding.code.to_owned());
                    }
                }
            }
            Item::Fault(error) => self.fault(&error),
        }
    }

    fn fault(&mut self, error: &ParseError) {
        let code = error.kind.code().unwrap_or("limit");
        let what = error.kind.to_string();
        let set =
            self.validated.interchanges.iter_mut().flat_map(|seen| &mut seen.groups).flat_map(|group| &mut group.sets);
        let set = match error.kind {
            ParseErrorKind::SetCutOff { .. } => set.filter(|set| set.offset == error.offset).last(),
            _ => set.last(),
        };
        let in_set = code.starts_with("IK");
        let mut unit_of_set = String::new();
        if let Some(set) = set.filter(|_| in_set) {
            unit_of_set = unit(set);
            set.faults.push(Fault {
                code: code.to_owned(),
                segment: String::new(),
                position: 0,
                looped: String::new(),
                element: None,
                component: None,
                found: None,
            });
        } else if code.starts_with("TA1")
            && let Some(seen) = self.validated.interchanges.last_mut()
        {
            seen.notes.push(code.to_owned());
        }
        self.unit = unit_of_set;
        if self.types.has(1) {
            self.envelope(code, "$readable", "X12 that can be read", Some(&what), error.offset);
        }
    }

    fn envelope_finding(&mut self, finding: &candor_x12::Finding) {
        if self.types.has(1) {
            let (expected, found) = (finding.expected.as_str(), finding.found.as_deref());
            self.envelope(finding.code, finding.path, expected, found, finding.offset);
        }
    }

    fn envelope(&mut self, code: &str, path: &str, expected: &str, found: Option<&str>, offset: u64) {
        let finding = Finding {
            code: code.to_owned(),
            rule: "type 1".to_owned(),
            severity: Severity::Error,
            unit: self.unit.clone(),
            path: path.to_owned(),
            line: Some(self.lines.line(offset)),
            offset: Some(offset),
            expected: expected.to_owned(),
            found: found.map(str::to_owned),
        };
        self.validated.report.add(finding);
    }

    fn set(&mut self, set: &Set<'_>) {
        let view = set.view();
        let read = ReadSet::new(view);
        let (transaction, guide_id) = (read.transaction(), read.guide());
        let control = view.segment("ST").map(|st| st.text(2).into_owned()).unwrap_or_default();
        self.unit = format!("{transaction} {control}");
        self.validated.report.read(&self.unit.clone());
        let mut faults = Vec::new();
        for finding in &set.findings {
            self.envelope_finding(finding);
            let code = finding.code.to_owned();
            let (segment, looped) = (String::new(), String::new());
            faults.push(Fault { code, segment, position: 0, looped, element: None, component: None, found: None });
        }
        match (Guide::of(&transaction, &guide_id), read.loops()) {
            (Some(guide), Some(loops)) => {
                if self.types.has(2) {
                    let (findings, more) = validate(guide, &view);
                    self.guide_findings("type 2", findings, more, &mut faults);
                    let gaps = guide.gaps().in_words();
                    let report = &mut self.validated.report;
                    report.not_looked_at_in(&transaction, gaps.map(|gaps| format!("type 2, {gaps}")));
                    let outside =
                        "type 2, codes of lists outside of the guide: procedures, diagnoses, adjustment reasons";
                    report.leave_out(outside.to_owned());
                }
                if self.types.has(4) {
                    let (findings, more) = validate_situations(loops, read.segments());
                    self.guide_findings("type 4", findings, more, &mut faults);
                    if !has_situations(guide) {
                        let what = format!("type 4: there are no situational rules of {}", guide.id());
                        self.validated.report.leave_out(what);
                    }
                }
                if self.types.has(3) {
                    self.balance(&read, &mut faults);
                }
            }
            _ => {
                if self.types.has(2) {
                    let (findings, more) = validate_by_dictionary(read.segments());
                    self.guide_findings("type 2", findings, more, &mut faults);
                }
                let what = format!("whether a {transaction} fits its guide {guide_id:?}, of which there are no tables");
                self.validated.report.leave_out(what);
            }
        }
        let segments = match transaction.as_str() {
            "837" => read.segments().iter().map(|segment| texts(segment)).collect(),
            _ => Vec::new(),
        };
        let all =
            self.validated.interchanges.iter_mut().flat_map(|seen| &mut seen.groups).flat_map(|group| &mut group.sets);
        if let Some(seen) = all.filter(|seen| seen.offset == view.body.offset).last() {
            seen.faults.extend(faults);
            seen.segments = segments;
        }
    }

    fn guide_findings(
        &mut self,
        rule: &str,
        findings: Vec<candor_x12_guides::Finding>,
        more: usize,
        faults: &mut Vec<Fault>,
    ) {
        self.validated.report.more_findings += more;
        for finding in findings {
            let loops = if finding.loops.is_empty() { String::new() } else { format!("{}.", finding.loops) };
            let element = finding.element.map(|element| format!("{element:02}")).unwrap_or_default();
            let component = finding.component.map(|component| format!("-{component}")).unwrap_or_default();
            let line = self.lines.line(finding.offset);
            self.validated.report.add(Finding {
                code: finding.code.to_owned(),
                rule: rule.to_owned(),
                severity: Severity::Error,
                unit: self.unit.clone(),
                path: format!("{loops}{}{element}{component}", finding.segment),
                line: Some(line),
                offset: Some(finding.offset),
                expected: finding.expected,
                found: finding.found.clone(),
            });
            let last = finding.loops.rsplit('.').next().unwrap_or_default();
            faults.push(Fault {
                code: finding.code.to_owned(),
                segment: finding.segment,
                position: finding.position,
                looped: last.split('[').next().unwrap_or_default().to_owned(),
                element: finding.element,
                component: finding.component,
                found: finding.found,
            });
        }
    }

    #[cfg(feature = "balance")]
    fn balance(&mut self, read: &ReadSet<'_>, faults: &mut Vec<Fault>) {
        let Some(balancing) = candor_x12_response::form::balance(read) else { return };
        for (why, number) in balancing.faults {
            let segment = read.segments().get(number);
            let offset = segment.map_or(0, Segment::offset);
            let id = segment.map(|segment| segment.id().as_str().to_owned()).unwrap_or_default();
            // The total that does not agree: BPR02, CLM02, CLP04, SVC03.
            let element = match id.as_str() {
                "CLP" => 4,
                "SVC" => 3,
                _ => 2,
            };
            self.validated.report.add(Finding {
                code: BALANCE.to_owned(),
                rule: "type 3".to_owned(),
                severity: Severity::Error,
                unit: self.unit.clone(),
                path: format!("{id}{element:02}"),
                line: Some(self.lines.line(offset)),
                offset: Some(offset),
                expected: "a balance".to_owned(),
                found: Some(why),
            });
            let around = read.loops().and_then(|loops| loops.definition(loops.of_segment(number)?));
            let (position, looped) = (number + 1, around.map(|known| known.id().to_owned()).unwrap_or_default());
            let found = segment.map(|segment| segment.text(element).into_owned());
            let code = BALANCE.to_owned();
            faults.push(Fault { code, segment: id, position, looped, element: Some(element), component: None, found });
        }
        if let Some(why) = balancing.unknown {
            self.validated.report.leave_out(format!("type 3 of {}: {why}", self.unit));
        }
    }

    #[cfg(not(feature = "balance"))]
    fn balance(&mut self, _: &ReadSet<'_>, _: &mut Vec<Fault>) {
        self.validated.report.leave_out("type 3: this build has no balancing".to_owned());
    }
}

/// X12 reports what does not fit the rest of a set as a pattern that does not match (IK403 I12).
#[cfg(feature = "balance")]
const BALANCE: &str = "IK403:I12";

impl Report {
    fn not_looked_at_in(&mut self, transaction: &str, what: Option<String>) {
        if let Some(what) = what {
            self.leave_out(format!("{transaction}: {what}"));
        }
    }
}

fn unit(set: &SeenSet) -> String {
    format!("{} {}", set.transaction, set.control)
}

/// The elements of a segment, its id at 0.
fn texts(segment: &Segment<'_>) -> Vec<String> {
    let own = segment.elements().map(|element| element.text().into_owned());
    std::iter::once(segment.id().as_str().to_owned()).chain(own).collect()
}
