//! X12 paths as field assertions use them.

use candor_check::{DateForm, Datum, FieldPath, Found, PathProblem, Selection};
use candor_x12::{Path, SegmentId, SetView};

/// A path into a transaction set.
#[derive(Clone, Debug)]
pub(crate) struct SetPath(Path);

impl FieldPath for SetPath {
    const DATES: &'static [DateForm] = &[DateForm::X12];

    fn parse(text: &str) -> Result<Self, PathProblem> {
        Path::parse(text).map(Self).map_err(|error| {
            let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
            PathProblem { offset: error.at, message: format!("{}{meant}", error.kind) }
        })
    }
}

impl SetPath {
    /// The segment that the path reads.
    pub(crate) fn segment(&self) -> SegmentId {
        self.0.segment()
    }

    /// Evaluates the path. `located`: offsets are those of the file that the candidate names.
    pub(crate) fn select<'a>(&self, set: &SetView<'a>, located: bool) -> Selection<'a> {
        let found = |value: candor_x12::Value<'a>| Found {
            datum: Datum::Text(value.text),
            span: located.then_some(value.offset..value.offset + value.len as u64),
        };
        Selection::texts(self.0.select(set).into_iter().map(found).collect())
    }
}
