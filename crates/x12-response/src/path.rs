//! X12 paths as field assertions use them.

use std::borrow::Cow;

use candor_check::compare::{DateForm, Datum, References};
use candor_check::field::{
    Among, Expected, Field, FieldPath, FieldReason, FieldResult, Found, PathProblem, Quantifier, ReadFrom, Selection,
};
use candor_json::{Value, json};
use candor_x12::path::{ItemPath, LoopStep, PathError};
use candor_x12::{Excerpt, Path, SegmentId, SetView};
use candor_x12_guides::{Guide, Part};

#[derive(Clone, Debug)]
pub(crate) enum SetPath {
    Values(Path),
    Items(ItemPath),
}

fn problem(error: PathError) -> PathProblem {
    let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
    PathProblem { offset: error.at, message: format!("{}{meant}", error.kind) }
}

impl FieldPath for SetPath {
    const DATES: &'static [DateForm] = &[DateForm::X12];

    fn parse(text: &str) -> Result<Self, PathProblem> {
        Path::parse(text).map(Self::Values).map_err(problem)
    }

    fn parse_item(text: &str, within: &[Self]) -> Result<Self, PathProblem> {
        ItemPath::parse_in(text, within.last().and_then(Self::item)).map(Self::Items).map_err(problem)
    }

    fn parse_inside(text: &str, within: &[Self]) -> Result<Self, PathProblem> {
        match within.last().and_then(Self::item) {
            Some(outer) => outer.path_inside(text).map(Self::Values).map_err(problem),
            None => Self::parse(text),
        }
    }
}

impl SetPath {
    const fn item(&self) -> Option<&ItemPath> {
        match self {
            Self::Items(item) => Some(item),
            Self::Values(_) => None,
        }
    }

    /// The path itself; nothing of a selector of loops.
    pub(crate) const fn path(&self) -> Option<&Path> {
        match self {
            Self::Values(path) | Self::Items(ItemPath::Segments(path)) => Some(path),
            Self::Items(ItemPath::Loops(_)) => None,
        }
    }

    pub(crate) fn segment(&self) -> Option<SegmentId> {
        self.path().map(Path::segment)
    }

    /// The loops that it goes through, the outermost first.
    pub(crate) fn loops(&self) -> &[LoopStep] {
        match self {
            Self::Values(path) => path.loops(),
            Self::Items(item) => item.loops(),
        }
    }
}

pub(crate) struct ReadSet<'a> {
    pub(crate) read: candor_x12_guides::ReadSet<'a>,
    located: bool,
    /// Where the first of its segments begins that has no id.
    damaged_at: Option<u64>,
}

impl<'a> std::ops::Deref for ReadSet<'a> {
    type Target = candor_x12_guides::ReadSet<'a>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl<'a> ReadSet<'a> {
    pub(crate) fn new(view: SetView<'a>, located: bool) -> Self {
        Self { read: candor_x12_guides::ReadSet::new(view), located, damaged_at: None }
    }

    /// The same where one of its segments has no id, the first of them at this byte.
    pub(crate) fn damaged_at(self, damaged_at: Option<u64>) -> Self {
        Self { damaged_at, ..self }
    }

    /// Why nothing is known of the set as a whole, if a segment of it has no id: it may have been any segment.
    pub(crate) fn damage(&self) -> Option<String> {
        self.damaged_at.map(|at| format!("in a set whose segment at byte {at} has no id"))
    }

    /// The set up to the first segment without an id.
    fn before_damage(&self, at: u64) -> Self {
        let view = *self.view();
        let len = usize::try_from(at.saturating_sub(view.body.offset)).unwrap_or(usize::MAX);
        let bytes = view.body.bytes.get(..len).unwrap_or(view.body.bytes);
        Self::new(SetView { body: Excerpt { bytes, ..view.body }, ..view }, self.located)
    }

    pub(crate) fn is_located(&self) -> bool {
        self.located
    }

    /// Returns `true` if its loops are known; they are not looked for yet.
    pub(crate) fn has_known_loops(&self) -> bool {
        Guide::of(&self.transaction(), &self.guide()).is_some()
    }

    /// The values that a path selects in the set; nothing where it goes through loops and these are not known.
    pub(crate) fn values(&self, path: &Path) -> Option<Vec<candor_x12::Value<'a>>> {
        self.read.values(Part::Set, path)
    }

    pub(crate) fn values_in(&self, part: Part, path: &Path) -> Option<Vec<candor_x12::Value<'a>>> {
        self.read.values(part, path)
    }

    /// Judges a field. A path through loops of a guide that is not known decides nothing.
    pub(crate) fn evaluate(&self, field: &Field<SetPath>, reading: ReadFrom<'_>) -> FieldResult {
        match self.damaged_at {
            Some(at) => self.evaluate_damaged(at, field, reading),
            None => self.evaluate_in(Part::Set, field, reading),
        }
    }

    /// Says whether [`ReadSet::evaluate`] passes, without a result: `None` where it is undecidable. `values` are those of
    /// [`ReadSet::values_of`].
    pub(crate) fn decides<'v>(
        &self,
        field: &Field<SetPath>,
        values: impl FnOnce() -> Option<&'v [candor_x12::Value<'v>]>,
    ) -> Option<bool> {
        let references = References::default();
        if self.damaged_at.is_some() {
            let result = self.evaluate(field, ReadFrom { locator: "", span: None, references: &references });
            return (!result.is_undecidable()).then_some(result.passed);
        }
        field.decides(values()?.iter().map(|value| Datum::Text(Cow::Borrowed(&value.text))), &references)
    }

    /// The values that a field reads; nothing where it goes through loops and these are not known.
    pub(crate) fn values_of(&self, field: &Field<SetPath>) -> Option<Vec<candor_x12::Value<'a>>> {
        field.path.path().map_or_else(|| Some(Vec::new()), |path| self.values(path))
    }

    /// Reads the part before a segment without an id. The result is certain if no later segment can change it: if the
    /// path reads one segment, or if one value is enough and is there.
    fn evaluate_damaged(&self, at: u64, field: &Field<SetPath>, reading: ReadFrom<'_>) -> FieldResult {
        let before = self.before_damage(at);
        let path = field.path.path();
        let result = before.evaluate_in(Part::Set, field, reading);
        let is_envelope = path.is_some_and(|path| matches!(path.segment().as_str(), "ISA" | "GS"));
        let is_read = path.is_some_and(|path| {
            path.reads_one_segment() && before.values(path).is_some_and(|values| !values.is_empty())
        });
        let is_enough = result.passed
            && field.quantifier == Quantifier::Any
            && !matches!(
                field.expected,
                Expected::Empty
                    | Expected::Count(_)
                    | Expected::Equals(Value::Null | Value::Array(_))
                    | Expected::NotEquals(Value::Array(_))
            )
            && !field.absent_passes;
        if is_envelope || is_read || is_enough || result.is_undecidable() {
            return result;
        }
        FieldResult { actual: json!(self.damage()), passed: false, ..result }.because(FieldReason::Undecidable)
    }

    pub(crate) fn evaluate_in(&self, part: Part, field: &Field<SetPath>, reading: ReadFrom<'_>) -> FieldResult {
        let values = match field.path.path().map_or_else(|| Some(Vec::new()), |path| self.values_in(part, path)) {
            Some(values) => values,
            None => {
                let actual = json!(format!("in a set of guide {:?}, whose loops are not known", self.guide()));
                let result = FieldResult::constraint(&*field.path_text, field.expected_value.clone(), actual, false);
                let place = candor_check::field::Location { locator: reading.locator.to_owned(), span: reading.span };
                return result.because(FieldReason::Undecidable).at(place);
            }
        };
        let result = self.judge(field, values, reading);
        let among = field.path.path().filter(|_| result.is_of_one()).and_then(|path| self.among(part, path));
        FieldResult { among, ..result }
    }

    /// Of how many values a path takes the first.
    pub(crate) fn among(&self, part: Part, path: &Path) -> Option<Box<Among>> {
        let every = path.in_every_segment()?;
        Among::of(self.values_in(part, &every)?.len(), every.as_str())
    }

    pub(crate) fn judge(
        &self,
        field: &Field<SetPath>,
        values: Vec<candor_x12::Value<'a>>,
        reading: ReadFrom<'_>,
    ) -> FieldResult {
        let found = |value: candor_x12::Value<'a>| Found {
            datum: Datum::Text(value.text),
            span: self.located.then_some(value.offset..value.offset + value.len as u64),
        };
        field.evaluate(Selection::texts(values.into_iter().map(found).collect()), reading)
    }
}
