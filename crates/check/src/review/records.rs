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

#[cfg(test)]
mod tests {
    use candor_json::{Value, json};

    use super::*;
    use crate::field::Field;
    use crate::json_path::DottedPath;
    use crate::settings::Cardinality;

    fn found(fields: Value, count: Option<Value>, selected: bool, beside: bool) -> Vec<(WeaknessKind, String)> {
        let fields: Vec<Field<DottedPath>> = candor_json::from_value(fields).unwrap();
        let count = count.map(|count| Cardinality::from_value(&count).unwrap());
        let rules = RecordRules { count, ..RecordRules::default() };
        let review = RecordReview {
            one: "row",
            member: "fields",
            fields: &fields,
            rules,
            selected,
            select_by: "search",
            beside,
            whole: false,
        };
        review.review().weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect()
    }

    /// Of fields, the first of which may be weak.
    fn of_fields(fields: Value) -> Vec<(WeaknessKind, String)> {
        found(fields, None, true, false)
    }

    #[test]
    fn what_asserts_nothing_is_told_from_what_asserts_existence() {
        use WeaknessKind::{AlwaysHolds, AssertsNothing, PassesOnAbsence};
        let at = |kind, place: &str| vec![(kind, place.to_owned())];
        assert_eq!(found(json!([]), None, false, false), at(AssertsNothing, ""));
        assert_eq!(found(json!([]), Some(json!({"min": 1})), false, false), at(AssertsNothing, ""));
        assert_eq!(found(json!([]), Some(json!({"min": 0})), true, false), at(AlwaysHolds, "count"));
        let field = json!([{"path": "a", "expected": 1}]);
        assert_eq!(found(field.clone(), Some(json!({"max": 1})), true, false), at(PassesOnAbsence, "count"));
        assert_eq!(found(json!([]), Some(json!(0)), true, true), at(PassesOnAbsence, "count"));
        for (fields, count, selected, beside) in [
            (json!([]), None, true, false),
            (json!([]), None, false, true),
            (json!([]), Some(json!(2)), false, false),
            (json!([]), Some(json!(0)), true, false),
            (json!([]), Some(json!({"max": 1})), true, false),
            (json!([]), Some(json!({"min": 2})), false, false),
            (field.clone(), None, false, false),
            (field, Some(json!({"min": 1, "max": 1})), true, false),
        ] {
            assert_eq!(found(fields.clone(), count.clone(), selected, beside), [], "{fields} {count:?}");
        }
    }

    #[test]
    fn what_passes_where_nothing_is_there_needs_something_beside_it() {
        let negative = json!({"path": "a", "op": "notEquals", "expected": 1, "absent": "pass"});
        let positive = json!({"path": "b", "expected": 2});
        let weak = vec![(WeaknessKind::PassesOnAbsence, "fields".to_owned())];
        assert_eq!(of_fields(json!([negative])), weak);
        assert_eq!(of_fields(json!([negative, {"path": "c", "op": "empty"}])), weak);
        assert_eq!(found(json!([{"path": "c", "expected": null}]), None, false, false), weak);
        for green in [
            json!([negative, positive]),
            json!([{"path": "a", "op": "notEquals", "expected": 1}]),
            json!([{"path": "c", "op": "empty"}]),
            json!([{"path": "c", "op": "count", "expected": 0}]),
        ] {
            assert_eq!(of_fields(green.clone()), [], "{green}");
        }
        assert_eq!(found(json!([negative]), None, true, true), []);
    }

    #[test]
    fn comparisons_that_tell_nothing_stand_beside_ones_that_do() {
        let field = |op: &str, expected: Value, more: Value| {
            let mut field = json!({"path": "a", "op": op, "expected": expected});
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            of_fields(json!([field]))
        };
        let at = |kind| vec![(kind, "fields[0].expected".to_owned())];
        let (always, never) = (at(WeaknessKind::AlwaysHolds), at(WeaknessKind::NeverHolds));
        for (op, weak, sound) in [
            ("matches", json!(".*"), json!(".*x")),
            ("contains", json!(""), json!("x")),
            ("notIn", json!([]), json!(["x"])),
            ("count", json!({"min": 0}), json!({"min": 1})),
        ] {
            assert_eq!(field(op, weak, json!({})), always, "{op}");
            assert_eq!(field(op, sound, json!({})), [], "{op}");
        }
        assert_eq!(field("contains", json!("-"), json!({"using": ["punctuation"]})), always);
        assert_eq!(field("contains", json!("-1"), json!({"using": ["punctuation"]})), []);
        for (op, weak, sound) in [
            ("in", json!([]), json!([1])),
            ("notContains", json!(""), json!("x")),
            ("between", json!([2, 1]), json!([1, 1])),
            ("between", json!(["2026-11-21", "2026-11-20"]), json!(["2026-11", "2026-11-20"])),
        ] {
            assert_eq!(field(op, weak.clone(), json!({})), never, "{op}");
            assert_eq!(field(op, weak, json!({"quantifier": "none"})), always, "{op}");
            assert_eq!(field(op, sound, json!({})), [], "{op}");
        }
        assert_eq!(field("between", json!(["2026-11-21", "2026-11-20"]), json!({"as": "date"})), never);
        assert_eq!(field("matches", json!(".+"), json!({"quantifier": "none"})), never);
        // That there is exactly one value is something.
        assert_eq!(field("matches", json!(".+"), json!({"quantifier": "exactly_one"})), []);
    }

    #[test]
    fn weights_of_fields_count_for_something() {
        let fields = |weights: [u8; 2]| json!([{"path": "a", "expected": 1, "weight": weights[0]}, {"path": "b", "expected": 1, "weight": weights[1]}]);
        assert_eq!(of_fields(fields([0, 1])), [(WeaknessKind::DeadField, "fields[0].weight".to_owned())]);
        assert_eq!(of_fields(fields([0, 0])), [(WeaknessKind::NoFieldWeight, "fields".to_owned())]);
        assert_eq!(of_fields(fields([2, 1])), []);
    }
}
