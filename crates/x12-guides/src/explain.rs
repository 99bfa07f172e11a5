//! X12 files explained: a tree of loops for people, a list of transaction sets for programs.

use std::io::{self, Read, Write};

use candor_json::{Value, json};
use candor_x12::{Finding, Item, ParseError, Segment, SetView, Walk};

use crate::summary::summary;
use crate::{Guide, Loop, Loops, meaning, segment_name};

/// How an explanation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tree for people.
    Text,
    /// A JSON list, an entry for each transaction set.
    Json,
}

/// The result of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// True if there was an interchange to explain, or a part of one.
    pub any: bool,
    /// How many places could not be read, or disagree with the envelope.
    pub findings: usize,
}

/// Explains the interchanges of a file, one transaction set after the other: a file of any size takes little memory.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
///
/// ```
/// use candor_x12_guides::explain::{Form, explain};
///
/// let mut out = Vec::new();
/// let explained = explain("not X12".as_bytes(), Form::Json, &mut out)?;
/// assert!(out.starts_with(b"["));
/// assert_eq!(explained.findings, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn explain(input: impl Read, form: Form, out: &mut impl Write) -> io::Result<Explained> {
    let mut explaining = Explaining { interchange: None, findings: 0, entries: 0 };
    explaining.read(input, form == Form::Text, out)?;
    if form == Form::Json {
        writeln!(out, "{}", if explaining.entries == 0 { "[]" } else { "\n]" })?;
    }
    let findings = explaining.findings;
    Ok(Explained { any: explaining.interchange.is_some() || findings > 0, findings })
}

struct Explaining {
    /// The offset of the ISA that was shown last.
    interchange: Option<u64>,
    findings: usize,
    /// Of the list that JSON is, how many were written.
    entries: usize,
}

impl Explaining {
    fn read(&mut self, input: impl Read, as_text: bool, out: &mut impl Write) -> io::Result<()> {
        let mut walk = Walk::from_read(input, candor_x12::Limits::default());
        while let Some(item) = walk.next_item(&mut |_| true)? {
            match item {
                Item::Set(set) => {
                    let view = set.view();
                    let explained = ExplainedSet::of(&view);
                    if as_text {
                        self.header(&view, out)?;
                        explained.text(out)?;
                        self.found(&set.findings, "    ", out)?;
                    } else {
                        self.interchange = Some(view.isa.offset);
                        self.findings += set.findings.len();
                        self.entry(&explained.json(&set.findings), out)?;
                    }
                }
                Item::Ta1(ta1) => {
                    let view = ta1.view();
                    if as_text {
                        self.header(&view, out)?;
                    }
                    self.interchange = Some(view.isa.offset);
                    for segment in view.segments() {
                        let answer = summary("TA1", std::iter::once(segment));
                        if as_text {
                            writeln!(out, "  {}", line(&segment))?;
                            answer.iter().try_for_each(|answer| writeln!(out, "    = {answer}"))?;
                        } else {
                            let segments = [described(&segment)];
                            let entry = json!({"transaction": "TA1", "summary": answer, "segments": segments});
                            self.entry(&entry, out)?;
                        }
                    }
                }
                Item::GroupEnd { findings, .. } | Item::InterchangeEnd { findings, .. } => {
                    self.trailer(&findings, as_text, out)?;
                }
                Item::Fault(error) => self.fault(&error, as_text, out)?,
            }
        }
        Ok(())
    }

    /// Writes the next entry of the JSON list at once: a file of any size is explained in little memory.
    fn entry(&mut self, entry: &Value, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.entries == 0 { b"[\n" } else { b",\n" })?;
        self.entries += 1;
        candor_json::to_writer_pretty(out, entry)?;
        Ok(())
    }

    /// ISA and GS, where they are others than those before.
    fn header(&mut self, view: &SetView<'_>, out: &mut impl Write) -> io::Result<()> {
        if self.interchange == Some(view.isa.offset) {
            return Ok(());
        }
        self.interchange = Some(view.isa.offset);
        let text = |id: &str, element| view.segment(id).map(|s| s.text(element).trim().to_owned()).unwrap_or_default();
        writeln!(
            out,
            "ISA {}  from {} to {}, {} {}, version {}",
            text("ISA", 13),
            text("ISA", 6),
            text("ISA", 8),
            text("ISA", 9),
            text("ISA", 10),
            text("ISA", 12)
        )?;
        if view.gs.is_some() {
            writeln!(out, "  GS {} {}  {}", text("GS", 1), text("GS", 6), text("GS", 8))?;
        }
        Ok(())
    }

    fn found(&mut self, findings: &[Finding], indent: &str, out: &mut impl Write) -> io::Result<()> {
        self.findings += findings.len();
        for Finding { code, path, expected, found, offset, .. } in findings {
            let found = found.as_deref().unwrap_or("nothing");
            writeln!(out, "{indent}! {code} {path} is {found}, expected {expected} (byte {offset})")?;
        }
        Ok(())
    }

    fn trailer(&mut self, findings: &[Finding], as_text: bool, out: &mut impl Write) -> io::Result<()> {
        if as_text {
            return self.found(findings, "  ", out);
        }
        self.findings += findings.len();
        if !findings.is_empty() {
            self.entry(&json!({"findings": findings.iter().map(shown).collect::<Vec<_>>()}), out)?;
        }
        Ok(())
    }

    fn fault(&mut self, error: &ParseError, as_text: bool, out: &mut impl Write) -> io::Result<()> {
        self.findings += 1;
        if as_text {
            return writeln!(out, "! {error}");
        }
        self.entry(&json!({"fault": error.to_string(), "offset": error.offset}), out)?;
        Ok(())
    }
}

struct ExplainedSet<'a> {
    view: &'a SetView<'a>,
    guide: String,
    known: Option<&'static Guide>,
    loops: Option<Loops>,
}

impl<'a> ExplainedSet<'a> {
    fn of(view: &'a SetView<'a>) -> Self {
        let text = |id: &str, element| view.segment(id).map(|s| s.text(element).into_owned()).unwrap_or_default();
        let guide = match text("ST", 3) {
            guide if guide.is_empty() => text("GS", 8),
            guide => guide,
        };
        let known = Guide::of(&text("ST", 1), &guide);
        Self { view, guide, known, loops: known.map(|known| Loops::of(known, view)) }
    }

    fn title(&self) -> String {
        match self.known {
            Some(known) => format!("{} ({})", known.title(), self.guide),
            None => format!("guide {}, whose loops are not known", self.guide),
        }
    }

    fn summary(&self) -> Vec<String> {
        let st = self.view.segment("ST").map(|st| st.text(1).into_owned()).unwrap_or_default();
        summary(&st, self.view.segments())
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let mut shown = Some(0);
        let st = self.view.segment("ST");
        let st = |element| st.map(|st| st.text(element).into_owned()).unwrap_or_default();
        writeln!(out, "    ST {} {}  {}", st(1), st(2), self.title())?;
        self.summary().iter().try_for_each(|answer| writeln!(out, "      = {answer}"))?;
        for (number, segment) in self.view.segments().enumerate().filter(|(_, segment)| !segment.id().is("ST")) {
            let occurrence = self.loops.as_ref().and_then(|loops| loops.of_segment(number));
            let depth = occurrence.map_or(0, |occurrence| self.depth(occurrence));
            if let (Some(loops), Some(occurrence)) = (&self.loops, occurrence)
                && shown != Some(occurrence)
                && loops.occurrences().get(occurrence).is_some_and(|this| this.first == number)
            {
                let (id, name) = loops.definition(occurrence).map_or(("", ""), |known| (known.id(), known.name()));
                writeln!(out, "      {}{id} {name}", "  ".repeat(depth.saturating_sub(1)))?;
            }
            shown = occurrence;
            writeln!(out, "      {}{}", "  ".repeat(depth), line(&segment))?;
        }
        Ok(())
    }

    fn depth(&self, occurrence: usize) -> usize {
        let Some(loops) = &self.loops else { return 0 };
        let up = |&at: &usize| loops.occurrences().get(at)?.parent;
        std::iter::successors(Some(occurrence), up).count() - 1
    }

    fn json(&self, findings: &[Finding]) -> Value {
        let segments: Vec<Value> = self
            .view
            .segments()
            .enumerate()
            .map(|(number, segment)| {
                let mut described = described(&segment);
                let occurrence = self.loops.as_ref().and_then(|loops| Some((loops, loops.of_segment(number)?)));
                if let (Some((loops, occurrence)), Some(members)) = (occurrence, described.as_object_mut()) {
                    let name = loops.definition(occurrence).map_or("", Loop::name);
                    members.insert("loop".to_owned(), json!(loops.trail(occurrence)));
                    members.insert("loopName".to_owned(), json!(if occurrence == 0 { "" } else { name }));
                }
                described
            })
            .collect();
        let text = |id: &str, element| self.view.segment(id).map(|s| s.text(element).trim().to_owned());
        json!({
            "interchange": text("ISA", 13), "sender": text("ISA", 6), "receiver": text("ISA", 8),
            "group": text("GS", 6), "transaction": text("ST", 1), "set": text("ST", 2), "guide": self.guide,
            "title": self.known.map(Guide::title), "summary": self.summary(), "segments": segments,
            "findings": findings.iter().map(shown).collect::<Vec<_>>(),
        })
    }
}

fn shown(finding: &Finding) -> Value {
    json!({
        "code": finding.code, "path": finding.path, "expected": finding.expected, "found": finding.found,
        "offset": finding.offset,
    })
}

fn meanings(segment: &Segment<'_>) -> Vec<(usize, String)> {
    let delimiters = segment.delimiters();
    let id = segment.id();
    let of = |(element, piece): (usize, candor_x12::Piece<'_>)| {
        let first = piece.components(delimiters).next()?;
        Some((element, meaning(id.as_str(), element, &first.text())?.to_owned()))
    };
    (1..).zip(segment.elements()).filter_map(of).collect()
}

/// A segment on one line: its name, its text, and the meanings of its codes.
fn line(segment: &Segment<'_>) -> String {
    let id = segment.id();
    let name = segment_name(id.as_str()).unwrap_or("");
    let meanings: Vec<String> = meanings(segment).into_iter().map(|(_, meaning)| meaning).collect();
    let meanings = if meanings.is_empty() { String::new() } else { format!("  [{}]", meanings.join("; ")) };
    // Control characters would do something to a terminal.
    let text: String = segment.whole().text().chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    format!("{text}  {name}{meanings}").trim_end().to_owned()
}

fn described(segment: &Segment<'_>) -> Value {
    let id = segment.id();
    let meanings: candor_json::Map<String, Value> = meanings(segment)
        .into_iter()
        .map(|(element, meaning)| (format!("{}{element:02}", id.as_str()), json!(meaning)))
        .collect();
    json!({
        "id": id.as_str(), "name": segment_name(id.as_str()), "text": segment.whole().text(), "offset": segment.offset(),
        "means": meanings,
    })
}
