//! Paths: `SEG[n].field[rep].component.subcomponent`.

mod error;
mod parse;
mod select;

pub use error::{PathError, PathErrorKind};
pub(crate) use select::text_of;
pub use select::{Value, Values};

/// A checked path to values of a message.
///
/// - `PID.5.1`, `PID-5-1`, `PID-5.1`: segment, field, component, subcomponent, all counted from 1. Without
///   an index the first segment with that id and the first repetition are meant.
/// - `OBX[3].5`, `PID.3[2].4.2`: the third OBX; the second repetition. `[*]` takes all.
/// - `OBX[3.1=2345-7].5`: every segment whose OBX-3.1 is `2345-7` in any repetition. Several conditions
///   must all hold: `OBX[3.1=2345-7][11=F].5`. The text up to the `]` is compared as it is written.
/// - `PID.3[5=MR].1`: of the field's repetitions each whose component 5 is `MR`; also `[4.2=…]`.
/// - `PV1`: the segment's text. `MSH.1` is the field separator, `MSH.2` the encoding characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    text: Box<str>,
    segment: [u8; 3],
    segments: Segments,
    field: Option<FieldStep>,
    repetitions: Box<[Condition]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segments {
    First,
    /// Counted from 1.
    Nth(u32),
    All,
    Where(Box<[Condition]>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Condition {
    field: FieldStep,
    value: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FieldStep {
    number: u32,
    repetition: Repetition,
    component: Option<u32>,
    subcomponent: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repetition {
    /// Nothing is written: the first, and any of them in a condition.
    First,
    /// Counted from 1.
    Nth(u32),
    All,
}

impl Path {
    /// The path as its author wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The id of the segments it selects from.
    pub fn segment_id(&self) -> &str {
        self.text.get(..3).unwrap_or_default()
    }

    /// True if it leads to segments as a whole.
    pub fn is_segment(&self) -> bool {
        self.field.is_none()
    }

    /// True if it leads to a field as a whole, so that each repetition is an item.
    pub fn is_field(&self) -> bool {
        self.field.is_some_and(|step| step.component.is_none())
    }

    /// True if nothing selects among the segments with its id.
    pub fn takes_first_segment(&self) -> bool {
        self.segments == Segments::First
    }

    /// The number of its field.
    pub fn field_number(&self) -> Option<u32> {
        self.field.map(|step| step.number)
    }

    /// The same path in one repetition of its field, from 1.
    #[must_use]
    pub fn at_repetition(&self, number: u32) -> Self {
        let field = self.field.map(|step| FieldStep { repetition: Repetition::Nth(number), ..step });
        Self { field, repetitions: Box::default(), ..self.clone() }
    }

    /// The paths that select what this one takes the first of: in every segment, and in every repetition of the field.
    ///
    /// ```
    /// use candor_hl7v2::Path;
    /// let every = |text: &str| Path::parse(text).unwrap().of_every().iter().map(ToString::to_string).collect::<Vec<_>>();
    /// assert_eq!(every("OBX.5.1"), ["OBX[*].5.1", "OBX.5[*].1"]);
    /// assert_eq!(every("OBX[2].5"), ["OBX[2].5[*]"]);
    /// assert_eq!(every("PID.3[5=MR].1"), ["PID[*].3[5=MR].1"]);
    /// ```
    #[must_use]
    pub fn of_every(&self) -> Vec<Self> {
        let Some(step) = self.field else { return Vec::new() };
        let number = step.number.to_string();
        let id = self.segment_id();
        let with = |at: usize| {
            let (before, rest) = self.text.split_at_checked(at)?;
            Self::parse(&format!("{before}[*]{rest}")).ok()
        };
        let in_segments = self.takes_first_segment().then(|| with(id.len())).flatten();
        // The field is written behind what chooses the segment.
        let chosen = self.text.find(']').filter(|_| !self.takes_first_segment()).map_or(id.len(), |at| at + 1);
        let field = self.text.get(chosen..).and_then(|rest| rest.find(&number)).map(|at| chosen + at + number.len());
        let is_first = step.repetition == Repetition::First && self.repetitions.is_empty();
        let in_repetitions = field.filter(|_| is_first).and_then(with);
        in_segments.into_iter().chain(in_repetitions).collect()
    }

    /// The field, component and subcomponent that it leads to, and those that its conditions look at, each with the value
    /// that the condition names.
    pub fn elements(&self) -> impl Iterator<Item = (Element, Option<&str>)> {
        let conditions: &[Condition] = match &self.segments {
            Segments::Where(conditions) => conditions,
            Segments::First | Segments::Nth(_) | Segments::All => &[],
        };
        let of = |step: &FieldStep| (step.number, step.component, step.subcomponent);
        let conditions = conditions.iter().chain(&self.repetitions);
        let conditions = conditions.map(move |condition| (of(&condition.field), Some(&*condition.value)));
        self.field.iter().map(move |step| (of(step), None)).chain(conditions)
    }
}

/// Numbers of a field, a component and a subcomponent.
pub type Element = (u32, Option<u32>, Option<u32>);

impl std::str::FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
