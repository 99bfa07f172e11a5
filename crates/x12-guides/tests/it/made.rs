//! Transaction sets made from the tables, so that the loop of each segment is known before they are read.

use candor_x12::{Item, Walk};
use candor_x12_guides::{Loops, validate};
use proptest::prelude::*;

use crate::elements::ELEMENTS;
use crate::guide::{ElementRule, Entry, Guide, SegmentRule, Usage};

/// Most segments of a set; one that grows longer is closed as soon as the guide allows.
const MOST: usize = 300;

struct Making<'c> {
    guide: &'static Guide,
    choices: std::iter::Cycle<std::slice::Iter<'c, u8>>,
    segments: Vec<String>,
    /// By segment, the occurrence; by occurrence, its definition and its parent.
    of_segment: Vec<usize>,
    occurrences: Vec<(usize, Option<usize>)>,
    levels: usize,
}

impl<'c> Making<'c> {
    fn of(guide: &'static Guide, choices: &'c [u8]) -> Self {
        let mut making = Self {
            guide,
            choices: choices.iter().cycle(),
            segments: Vec::new(),
            of_segment: Vec::new(),
            occurrences: Vec::new(),
            levels: 0,
        };
        making.fill(0, None, None);
        making
    }

    fn choice(&mut self) -> u8 {
        self.choices.next().copied().unwrap_or_default()
    }

    fn times(&mut self, required: bool, most: Option<u32>) -> u32 {
        let wanted = if self.segments.len() > MOST { 0 } else { u32::from(self.choice() % 4).saturating_sub(1) };
        wanted.max(u32::from(required)).min(most.unwrap_or(u32::MAX))
    }

    fn fill(&mut self, definition: usize, parent: Option<usize>, above: Option<usize>) {
        let guide = self.guide;
        let occurrence = self.occurrences.len();
        self.occurrences.push((definition, parent));
        let Some(known) = guide.loops().get(definition) else { return };
        let mut level = above;
        // Loops enclosed by LS and LE occur only between them.
        let mut enclosed = None;
        for (number, item) in known.items.iter().enumerate() {
            match item {
                Entry::Segment(rule) => {
                    let begins = number == 0 && definition != 0;
                    let times = match rule.id() {
                        _ if begins => 1,
                        "LE" => enclosed.take().unwrap_or_default(),
                        _ => self.times(rule.is_required(), rule.most()),
                    };
                    if rule.id() == "LS" {
                        enclosed = Some(times);
                    }
                    for _ in 0..times {
                        self.of_segment.push(occurrence);
                        if rule.id() == "HL" {
                            self.levels += 1;
                            level = Some(self.levels);
                        }
                        let segment = self.segment(rule, above);
                        self.segments.push(segment);
                    }
                }
                Entry::Loop(inner) => {
                    let (required, most) =
                        guide.loops().get(*inner).map_or((false, None), |inner| (inner.is_required(), inner.most()));
                    let times = if enclosed == Some(0) { 0 } else { self.times(required, most) };
                    for _ in 0..times {
                        self.fill(*inner, Some(occurrence), level);
                    }
                }
            }
        }
    }

    /// A segment as a rule has it; of what is not required some is left out.
    fn segment(&mut self, rule: &SegmentRule, above: Option<usize>) -> String {
        let (qualifying, codes) = rule.qualifier();
        let chosen = usize::from(self.choice());
        let code = codes.get(chosen % codes.len().max(1)).map(|code| code.replace('_', " "));
        let mut values: Vec<String> = Vec::new();
        for (position, element) in (1..).zip(rule.elements()) {
            let form = values.last().map(String::as_str).unwrap_or_default().to_owned();
            let value = match (rule.id(), position) {
                // What a delimiter would be anywhere else.
                ("BIN", 1) => "5".to_owned(),
                ("BIN", 2) => "A~*:B".to_owned(),
                ("HL", 1) => self.levels.to_string(),
                ("HL", 2) => above.map(|above| above.to_string()).unwrap_or_default(),
                // Nine digits, as a billing provider's ZIP code has them.
                ("N4", 3) if self.is_given(element.usage) => "111111111".to_owned(),
                ("N4", 3) => String::new(),
                _ if element.is_composite() && self.is_given(element.usage) => {
                    let components: Vec<_> = element.components().collect();
                    let given = components.into_iter().map(|component| self.value(&component, ""));
                    given.collect::<Vec<_>>().join(":").trim_end_matches(':').to_owned()
                }
                _ if element.is_composite() => String::new(),
                _ => self.value(&element, &form),
            };
            values.push(match &code {
                Some(code) if position == qualifying => {
                    let rest = value.split_once(':').map(|(_, rest)| format!(":{rest}")).unwrap_or_default();
                    format!("{code}{rest}")
                }
                _ => value,
            });
        }
        format!("{}*{}", rule.id(), values.join("*")).trim_end_matches('*').to_owned()
    }

    fn is_given(&mut self, usage: Usage) -> bool {
        match usage {
            Usage::Required => true,
            Usage::Situational => self.choice().is_multiple_of(2),
            Usage::NotUsed => false,
        }
    }

    /// A value of an element, behind the one that may say its form.
    fn value(&mut self, rule: &ElementRule, form: &str) -> String {
        if !self.is_given(rule.usage) {
            return String::new();
        }
        let codes = rule.codes();
        let codes: Vec<&str> = codes.split(", ").filter(|code| !code.is_empty()).collect();
        let chosen = usize::from(self.choice());
        if let Some(code) = codes.get(chosen % codes.len().max(1)) {
            return (*code).to_owned();
        }
        if rule.data == "1251" {
            return match form {
                "D8" => "20240229",
                "RD8" => "20240229-20240229",
                "DT" => "202402292359",
                "TM" => "2359",
                _ => "1",
            }
            .to_owned();
        }
        let Some(kind) = ELEMENTS.get(rule.data) else { return "1".to_owned() };
        match kind.data_type {
            "DT" if kind.least == 6 => "240229".to_owned(),
            "DT" => "20240229".to_owned(),
            "TM" => "2359".to_owned(),
            _ => "1".repeat(if chosen.is_multiple_of(2) { kind.least } else { kind.most.min(90) }),
        }
    }

    fn interchange(&self) -> String {
        let isa =
            "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*1200*^*00501*000000001*0*P*:";
        format!(
            "{isa}~GS*HB*A*B*20261120*1200*1*X*{}~{}~GE*1*1~IEA*1*000000001~",
            self.guide.id(),
            self.segments.join("~")
        )
    }
}

proptest! {
    #[test]
    fn what_follows_a_guide_is_read_as_it_was_made(
        guide in 0..Guide::all().count(),
        choices in proptest::collection::vec(any::<u8>(), 1..200),
    ) {
        let made = Making::of(Guide::all().nth(guide).unwrap(), &choices);
        let guide = candor_x12_guides::Guide::all().nth(guide).unwrap();
        let text = made.interchange();
        let mut walk = Walk::from_slice(text.as_bytes());
        let mut read = 0;
        while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
            let Item::Set(set) = item else { continue };
            let view = set.view();
            let loops = Loops::of(guide, &view);
            for (number, (segment, &occurrence)) in made.segments.iter().zip(&made.of_segment).enumerate() {
                let is = loops.of_segment(number).and_then(|at| loops.occurrences().get(at));
                let is = is.map(|is| (is.definition, is.parent));
                let trail = loops.trail(loops.of_segment(number).unwrap());
                prop_assert_eq!(is, made.occurrences.get(occurrence).copied(), "{} {} is in {}\n{}", number, segment, trail, text);
            }
            let (mut findings, _) = validate(guide, &view);
            // What is left out is left out without regard to the syntax notes.
            findings.retain(|finding| !matches!(finding.code, "IK403:2" | "IK403:10"));
            prop_assert!(findings.is_empty(), "{:?}\n{}", findings, text);
            read += 1;
        }
        prop_assert_eq!(read, 1);
    }
}
