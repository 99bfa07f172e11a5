//! A transaction set that paths are read in.

use std::cell::OnceCell;

use candor_x12::path::ItemPath;
use candor_x12::{Path, Segment, SetView, Value};

use crate::guide::Guide;
use crate::loops::Loops;
use crate::part::{Part, PartItem, segment_items};

/// A transaction set, split once for all that is asked of it; its loops are found when a path asks for them.
///
/// ```
/// use candor_x12::{Item, Path, Walk};
/// use candor_x12_guides::{Part, ReadSet};
/// let file = b"ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000001*0*T*:~\
///     GS*HB*A*B*20261120*0915*1*X*005010X279A1~ST*271*0001*005010X279A1~HL*1**20*1~NM1*PR*2*ACME~SE*4*0001~GE*1*1~IEA*1*000000001~";
/// let mut walk = Walk::from_slice(file);
/// while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
///     let Item::Set(set) = item else { continue };
///     let set = ReadSet::new(set.view());
///     let values = set.values(Part::Set, &Path::parse("2100A.NM1.3").unwrap()).unwrap();
///     assert_eq!(values[0].text, "ACME");
/// }
/// ```
#[derive(Debug)]
pub struct ReadSet<'a> {
    view: SetView<'a>,
    segments: OnceCell<Vec<Segment<'a>>>,
    loops: OnceCell<Option<Loops>>,
}

impl<'a> ReadSet<'a> {
    /// A transaction set, or a TA1.
    #[must_use]
    pub const fn new(view: SetView<'a>) -> Self {
        Self { view, segments: OnceCell::new(), loops: OnceCell::new() }
    }

    /// The set as the caller gave it.
    #[must_use]
    pub const fn view(&self) -> &SetView<'a> {
        &self.view
    }

    /// The identifier of its guide: ST03, or GS08 where that is absent.
    #[must_use]
    pub fn guide(&self) -> String {
        let text =
            |id: &str, position| self.view.segment(id).map(|s| s.text(position).into_owned()).unwrap_or_default();
        match text("ST", 3) {
            guide if guide.is_empty() => text("GS", 8),
            guide => guide,
        }
    }

    /// ST01, or `TA1`.
    #[must_use]
    pub fn transaction(&self) -> String {
        match self.view.segment("ST") {
            Some(st) => st.text(1).into_owned(),
            None if self.view.segment("TA1").is_some() => "TA1".to_owned(),
            None => String::new(),
        }
    }

    /// Its segments from ST on.
    #[must_use]
    pub fn segments(&self) -> &[Segment<'a>] {
        self.segments.get_or_init(|| self.view.read())
    }

    /// Its loops, where its guide is known.
    #[must_use]
    pub fn loops(&self) -> Option<&Loops> {
        let read = || {
            let guide = Guide::of(&self.transaction(), &self.guide())?;
            Some(Loops::of_segments(guide, self.segments()))
        };
        self.loops.get_or_init(read).as_ref()
    }

    /// The values that a path selects where it begins in a part of the set; nothing where it goes through loops and these
    /// are not known.
    #[must_use]
    pub fn values(&self, part: Part, path: &Path) -> Option<Vec<Value<'a>>> {
        let segments = || self.segments().iter().copied();
        match (part, path.loops()) {
            (Part::Set, []) if matches!(path.segment().as_str(), "ISA" | "GS") => Some(path.select(&self.view)),
            (Part::Set, []) => Some(path.select_among(segments())),
            (Part::Segment(number), []) => Some(path.select_among(segments().nth(number).into_iter())),
            _ => self.loops().map(|loops| loops.select_in(part, path, self.segments())),
        }
    }

    /// The items that a selector selects in a part of the set, in order; nothing where that takes loops and these are not
    /// known.
    #[must_use]
    pub fn items(&self, part: Part, item: &ItemPath) -> Option<Vec<PartItem>> {
        match item {
            ItemPath::Segments(path) if part == Part::Set && path.loops().is_empty() => {
                Some(segment_items(path, self.segments()))
            }
            item => self.loops().map(|loops| loops.items(part, item, self.segments())),
        }
    }
}
