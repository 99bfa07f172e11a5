//! The common parts of record-shaped checks: a selection, fields, `count`.

use super::{Claim, Review, Reviewed, Said, Shape, Weakness, WeaknessKind, lists};
use crate::records::RecordRules;

/// The settings of a record-shaped check, to be reviewed.
///
/// ```
/// use candor_check::field::Field;
/// use candor_check::json_path::DottedPath;
/// use candor_check::records::RecordRules;
/// use candor_check::review::{RecordReview, WeaknessKind};
/// let fields: Vec<Field<DottedPath>> = Vec::new();
/// let review = RecordReview {
///     one: "Patient", member: "fields", fields: &fields, rules: RecordRules::default(),
///     selected: false, select_by: "search", beside: false, whole: false,
/// };
/// assert_eq!(review.review().weaknesses[0].kind, WeaknessKind::AssertsNothing);
/// assert_eq!(RecordReview { selected: true, ..review }.review().weaknesses, []);
/// ```
#[derive(Debug)]
pub struct RecordReview<'a, F> {
    /// The name of a candidate: `message`.
    pub one: &'a str,
    /// The member that holds the fields: `fields`.
    pub member: &'a str,
    /// The fields.
    pub fields: &'a [F],
    /// `match` and `count`.
    pub rules: RecordRules,
    /// True if anything but its kind is asked of a candidate, so that there may be none.
    pub selected: bool,
    /// The member that would ask it: `correlate_by`.
    pub select_by: &'a str,
    /// True if an assertion other than those of its fields is made of a candidate, and can fail.
    pub beside: bool,
    /// True if anything is asserted of all candidates together: that no two are alike, that none of another kind is there.
    pub whole: bool,
}

impl<F: Reviewed> RecordReview<'_, F> {
    /// The weaknesses of the settings.
    #[must_use]
    pub fn review(&self) -> Review {
        let mut weaknesses: Vec<Weakness> = self.existence().into_iter().collect();
        weaknesses.extend(self.absence());
        for (index, field) in self.fields.iter().enumerate() {
            weaknesses.extend(field.weaknesses(&format!("{}[{index}]", self.member)));
        }
        weaknesses.extend(self.weights());
        let passes_on_nothing = self.rules.count.is_some_and(|count| count.allows(0)) && !self.whole;
        Review { weaknesses, passes_on_nothing, ..Review::default() }
    }

    /// As [`RecordReview::review`], with what fields are worth next to each other and next to the selection's `conditions`.
    /// `shapes` says what a path selects: the items in which it begins, the outermost first, and the path.
    #[must_use]
    pub fn review_shaped(&self, conditions: &[Claim], shapes: &dyn Fn(&[&str], &str) -> Shape) -> Review {
        let mut review = self.review();
        let said = self.fields.iter().enumerate().map(|(at, field)| field.said(&format!("{}[{at}]", self.member)));
        let said: Vec<Said> = said.collect();
        review.weaknesses.extend(lists::against(conditions, &said, shapes));
        review.weaknesses.extend(lists::weaknesses(&said, &[], shapes));
        let claim = |said: Said| match said {
            Said::Field(claim) => {
                let single = shapes(&[], &claim.path).single;
                Some(claim.known(single))
            }
            Said::Group { .. } => None,
        };
        review.claims = said.into_iter().filter_map(claim).collect();
        review
    }

    fn compares(&self) -> bool {
        !self.fields.is_empty() || self.beside
    }

    fn existence(&self) -> Option<Weakness> {
        let (one, count) = (self.one, self.rules.count);
        let zero = count.is_some_and(|count| count.allows(0));
        let unbounded = count.is_none_or(|count| count.allows(u64::MAX));
        if zero && !self.compares() {
            let message = "any number of candidates is right; write `count: {min: 1}`, or how many there must be";
            let any = unbounded && !self.whole;
            return any.then(|| Weakness::new(WeaknessKind::AlwaysHolds, "count", message));
        }
        if zero {
            let message = format!(
                "`count` allows 0, and where there is no {one} nothing is compared: it passes; write `min: 1`, or assert the absence in a criterion of its own"
            );
            return Some(Weakness::new(WeaknessKind::PassesOnAbsence, "count", message));
        }
        let some = unbounded && count.is_none_or(|count| count.allows(1));
        let nothing = some && !self.selected && !self.compares() && !self.whole;
        let message = format!(
            "any {one} at all makes it pass; say which one is meant in `{}`, or what it must hold in `{}`",
            self.select_by, self.member
        );
        nothing.then(|| Weakness::new(WeaknessKind::AssertsNothing, "", message))
    }

    /// Fields that all pass where what they name is not there.
    fn absence(&self) -> Option<Weakness> {
        let excused = self.fields.iter().any(Reviewed::excuses_absence);
        let absent = !self.fields.is_empty() && self.fields.iter().all(Reviewed::passes_on_absence);
        if self.beside || self.whole || !absent || self.selected && !excused {
            return None;
        }
        let message = format!(
            "every field passes where what it names is absent, so that one without any of it passes; assert one thing that must be there{}",
            if excused { ", or leave out `absent: pass`" } else { "" }
        );
        Some(Weakness::new(WeaknessKind::PassesOnAbsence, self.member, message))
    }

    fn weights(&self) -> Vec<Weakness> {
        if !self.fields.is_empty()
            && self.fields.iter().all(Reviewed::is_dead)
            && !self.beside
            && !self.whole
            && self.rules.count.is_none()
        {
            let message =
                "every field has weight 0, so work that is done in part scores as none; leave the weights out";
            return vec![Weakness::new(WeaknessKind::NoFieldWeight, self.member, message)];
        }
        let weakness = |(index, field): (usize, &F)| {
            let message = format!("`{}` has weight 0: it fails, and the score stays as it is", field.path_text());
            Weakness::new(WeaknessKind::DeadField, format!("{}[{index}].weight", self.member), message)
        };
        self.fields.iter().enumerate().filter(|(_, field)| field.is_dead()).map(weakness).collect()
    }
}
