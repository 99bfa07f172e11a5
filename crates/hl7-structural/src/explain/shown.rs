//! A message for people: its header, its groups, and the fields of its segments.

use std::collections::HashMap;
use std::io::{self, Write};
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use candor_check::explain::on_one_line;
use candor_hl7v2::{Delimiters, Field, Message, Path};
use candor_hl7v2_structure::{Fit, Groups, Version, field_name, segment_name};
use serde::Serialize;

use crate::correlation::first;

/// The most segments and fields of one message that are shown.
const MOST_PARTS: usize = 200_000;

/// The most repetitions of one field that are shown.
const MOST_REPETITIONS: usize = 100;

/// The most characters of one value that are shown.
const MOST_CHARACTERS: usize = 300;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownMessage {
    message: usize,
    /// MSH-9.1 and MSH-9.2.
    #[serde(rename = "type")]
    code: String,
    trigger: String,
    control_id: String,
    version: String,
    sender: Party,
    receiver: Party,
    time: String,
    structure: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acknowledges: Option<Acknowledged>,
    segments: Vec<ShownSegment>,
    /// Sentences about what is not shown.
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Party {
    application: String,
    facility: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Acknowledged {
    control_id: String,
    code: String,
    means: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
}

#[derive(Debug, Serialize)]
struct ShownSegment {
    /// `PID`, `OBX[2]`.
    segment: String,
    name: Option<&'static str>,
    /// The groups that it is in: `PATIENT_RESULT[1].ORDER_OBSERVATION[2]`.
    groups: String,
    fields: Vec<ShownField>,
    #[serde(skip)]
    id: String,
    /// How many groups it is in, and the last of them, which begin with it.
    #[serde(skip)]
    depth: usize,
    #[serde(skip)]
    begun: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ShownField {
    field: u32,
    repetition: usize,
    name: Option<&'static str>,
    value: String,
}

impl ShownMessage {
    pub(super) fn of(number: usize, message: &Message<'_>) -> Self {
        let version = text(message, "MSH.12.1");
        let mut notes = Vec::new();
        let groups = match Groups::of(message) {
            Ok(groups) => Some(groups),
            Err(why) => {
                notes.push(without_groups(&why));
                None
            }
        };
        let (segments, is_cut) = segments(message, Version::named(&version), groups.as_ref());
        if is_cut {
            notes.push(format!(
                "No more than {MOST_PARTS} segments and fields of a message are shown, and {MOST_REPETITIONS} \
                 repetitions of a field."
            ));
        }
        let party = |application: &str, facility: &str| Party {
            application: text(message, application),
            facility: text(message, facility),
        };
        Self {
            message: number,
            code: text(message, "MSH.9.1"),
            trigger: text(message, "MSH.9.2"),
            control_id: text(message, "MSH.10"),
            sender: party("MSH.3.1", "MSH.4.1"),
            receiver: party("MSH.5.1", "MSH.6.1"),
            time: text(message, "MSH.7.1"),
            structure: groups.as_ref().map(Groups::structure),
            acknowledges: Acknowledged::of(message),
            version,
            segments,
            notes,
        }
    }

    pub(super) fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let kind = match (self.code.as_str(), self.trigger.as_str()) {
            ("", "") => "no message type".to_owned(),
            (code, "") => code.to_owned(),
            (code, trigger) => format!("{code}^{trigger}"),
        };
        let or = |text: &str, otherwise: &str| if text.is_empty() { otherwise.to_owned() } else { text.to_owned() };
        writeln!(
            out,
            "message {}: {kind}, control id {}, version {}, {} → {}, {}",
            self.message,
            or(&self.control_id, "missing"),
            or(&self.version, "missing"),
            self.sender.named(),
            self.receiver.named(),
            or(&self.time, "no time"),
        )?;
        if let Some(Acknowledged { control_id, code, means, error }) = &self.acknowledges {
            let error = if error.is_empty() { String::new() } else { format!("; error: {error}") };
            writeln!(out, "  = acknowledges message {}: {code}, {means}{error}", or(control_id, "without an id"))?;
        }
        if let Some(structure) = self.structure {
            writeln!(out, "  structure {structure}")?;
        }
        for note in &self.notes {
            writeln!(out, "  {note}")?;
        }
        self.segments.iter().try_for_each(|segment| segment.text(out))
    }
}

impl Party {
    fn named(&self) -> String {
        match (self.application.as_str(), self.facility.as_str()) {
            ("", "") => "?".to_owned(),
            (only, "") | ("", only) => only.to_owned(),
            (application, facility) => format!("{application} ({facility})"),
        }
    }
}

impl Acknowledged {
    fn of(message: &Message<'_>) -> Option<Self> {
        message.segments().find(|segment| segment.id() == *b"MSA")?;
        let code = text(message, "MSA.1");
        // ERR-1 until 2.4, ERR-3 from 2.5 on.
        let error = ["ERR.3", "ERR.1", "ERR.8", "MSA.3"].map(|path| text(message, path));
        Some(Self {
            control_id: text(message, "MSA.2"),
            means: meaning(&code),
            code: if code.is_empty() { "no code".to_owned() } else { code },
            error: error.into_iter().find(|error| !error.is_empty()).unwrap_or_default(),
        })
    }
}

/// The codes of MSA-1 (HL7 table 0008) in words.
fn meaning(code: &str) -> &'static str {
    match code {
        "AA" => "application accept: the receiver processed it",
        "AE" => "application error: the receiver found an error in it",
        "AR" => "application reject: the receiver refuses to process it",
        "CA" => "commit accept: the receiver stored it, and says nothing about processing",
        "CE" => "commit error: the receiver could not store it",
        "CR" => "commit reject: the receiver refuses to store it",
        _ => "a code that table 0008 does not have",
    }
}

fn without_groups(why: &Fit) -> String {
    match why {
        Fit::UnknownVersion(version) if version.is_empty() => {
            "MSH-12 names no version, so the segments are listed without groups.".to_owned()
        }
        Fit::UnknownVersion(version) => {
            let version = on_one_line(version, MOST_CHARACTERS);
            format!("There are no tables of version {version}, so the segments are listed without groups.")
        }
        Fit::UnknownStructure { version, name } if name.is_empty() => {
            format!("MSH-9 names no structure of version {version}, so the segments are listed without groups.")
        }
        Fit::UnknownStructure { version, name } => {
            let name = on_one_line(name, MOST_CHARACTERS);
            format!("Version {version} has no structure for {name}, so the segments are listed without groups.")
        }
        Fit::Checked(_) => "The structure is not known, so the segments are listed without groups.".to_owned(),
    }
}

/// The first value of a path, on one line.
fn text(message: &Message<'_>, path: &str) -> String {
    let found = Path::parse(path).ok().and_then(|path| first(&path, message));
    found.map(|text| on_one_line(text.trim(), MOST_CHARACTERS)).unwrap_or_default()
}

/// The segments of a message, and whether some of it was left out.
fn segments(
    message: &Message<'_>,
    version: Option<&'static Version>,
    groups: Option<&Groups>,
) -> (Vec<ShownSegment>, bool) {
    let mut nesting = Nesting::of(groups);
    let mut numbers: HashMap<[u8; 3], usize> = HashMap::new();
    let (mut shown, mut left, mut is_cut) = (Vec::new(), MOST_PARTS, false);
    for (line, segment) in message.segments().enumerate() {
        if left == 0 {
            return (shown, true);
        }
        left -= 1;
        let id = String::from_utf8_lossy(&segment.id()).into_owned();
        let number = *numbers.entry(segment.id()).and_modify(|number| *number += 1).or_insert(1);
        let around = nesting.step(line);
        let labels: Vec<&str> = nesting.open.iter().map(|group| group.label.as_str()).collect();
        let mut fields = Vec::new();
        for (field, value) in segment.filled() {
            if left == 0 {
                is_cut = true;
                break;
            }
            let name = version.and_then(|version| version.field_name(&id, field)).or_else(|| field_name(&id, field));
            let before = fields.len();
            is_cut |= values(&value, (field, name), message.delimiters(), &mut fields);
            left = left.saturating_sub(fields.len() - before);
        }
        shown.push(ShownSegment {
            segment: if number == 1 { id.clone() } else { format!("{id}[{number}]") },
            name: segment_name(&id),
            groups: labels.join("."),
            fields,
            depth: labels.len(),
            begun: labels.iter().skip(around).map(|label| (*label).to_owned()).collect(),
            id,
        });
    }
    (shown, is_cut)
}

/// Adds the repetitions of a field that have a value, and says whether some were left out.
fn values(
    field: &Field<'_>,
    (number, name): (u32, Option<&'static str>),
    delimiters: &Delimiters,
    shown: &mut Vec<ShownField>,
) -> bool {
    let is_delimiter = |byte: &u8| *byte == delimiters.component || Some(*byte) == delimiters.subcomponent;
    for (at, value) in field.values().enumerate() {
        if at >= MOST_REPETITIONS {
            return true;
        }
        if !field.is_opaque() && value.raw().iter().all(is_delimiter) {
            continue;
        }
        let value = on_one_line(&value.text().text, MOST_CHARACTERS);
        shown.push(ShownField { field: number, repetition: at + 1, name, value });
    }
    false
}

impl ShownSegment {
    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let around = self.depth.saturating_sub(self.begun.len());
        for (depth, label) in (around..).zip(&self.begun) {
            writeln!(out, "  {}{label}", "  ".repeat(depth))?;
        }
        let indent = "  ".repeat(self.depth);
        let name = match self.name {
            Some(name) => format!("  {name}"),
            None if self.id.starts_with('Z') => "  a local segment".to_owned(),
            None => String::new(),
        };
        writeln!(out, "  {indent}{}{name}", self.segment)?;
        for ShownField { field, repetition, name, value } in &self.fields {
            let repetition = if *repetition == 1 { String::new() } else { format!("[{repetition}]") };
            let name = name.map(|name| format!("  {name}")).unwrap_or_default();
            writeln!(out, "    {indent}{}-{field}{repetition}{name}: {value}", self.id)?;
        }
        Ok(())
    }
}

/// The groups around a segment, while the segments of a message are passed in order.
struct Nesting {
    open: Vec<OpenGroup>,
    numbers: Numbers,
    rest: Peekable<IntoIter<(&'static str, Range<usize>)>>,
}

struct OpenGroup {
    label: String,
    end: usize,
    /// Of the groups in it.
    numbers: Numbers,
}

/// How often each name came.
type Numbers = Vec<(&'static str, usize)>;

impl Nesting {
    fn of(groups: Option<&Groups>) -> Self {
        let all: Vec<_> = groups.map(|groups| groups.all().collect()).unwrap_or_default();
        Self { open: Vec::new(), numbers: Vec::new(), rest: all.into_iter().peekable() }
    }

    /// Passes on to a segment. Of the groups that are open then, so many were open before it.
    fn step(&mut self, line: usize) -> usize {
        while self.open.last().is_some_and(|group| group.end <= line) {
            self.open.pop();
        }
        let around = self.open.len();
        while let Some((name, segments)) = self.rest.next_if(|(_, segments)| segments.start <= line) {
            let numbers = match self.open.last_mut() {
                Some(group) => &mut group.numbers,
                None => &mut self.numbers,
            };
            let number = next_number(numbers, name);
            let label = format!("{name}[{number}]");
            self.open.push(OpenGroup { label, end: segments.end, numbers: Vec::new() });
        }
        around
    }
}

fn next_number(numbers: &mut Numbers, name: &'static str) -> usize {
    match numbers.iter_mut().find(|(known, _)| *known == name) {
        Some((_, number)) => {
            *number += 1;
            *number
        }
        None => {
            numbers.push((name, 1));
            1
        }
    }
}
