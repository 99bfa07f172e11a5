//! The weaknesses of the settings by themselves.

use candor_check::review::{RecordReview, Review, Shape, Weakness, WeaknessKind};

use crate::content::ROWS;
use crate::format::Format;
use crate::settings::Settings;

pub(crate) fn review(settings: &Settings) -> Review {
    let any_size = settings.size.is_some_and(|size| size.min.is_none_or(|min| min == 0) && size.max.is_none());
    let review = RecordReview {
        one: "file",
        member: "fields",
        fields: &settings.fields,
        rules: settings.rules,
        selected: !settings.glob.matches_all() || !settings.exclude.is_empty(),
        select_by: "path",
        beside: settings.asserts_beside_fields() || settings.size.is_some() && !any_size,
        whole: settings.unique.is_some() || !settings.none.is_empty(),
    };
    let format = settings.format.or_else(|| Format::of_path(settings.glob.as_str()).ok());
    let mut review = review.review_shaped(&[], &|inside, path| shape(format, inside, path));
    let message = "every file has 0 bytes or more; write how many it must have at least";
    review.weaknesses.extend(any_size.then(|| Weakness::new(WeaknessKind::AlwaysHolds, "min_bytes", message)));
    review
}

fn shape(format: Option<Format>, inside: &[&str], path: &str) -> Shape {
    let rows = matches!(format, Some(Format::Csv | Format::Fixed | Format::Ndjson));
    match format {
        Some(Format::Hl7 | Format::X12) => Shape::of_segments(path),
        _ if path.starts_with('$') => Shape::of_json_path(path),
        // A column of a row that is named is bound to it.
        _ if rows
            && inside.is_empty()
            && !path.starts_with("row[")
            && !path.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Shape { every: vec![ROWS.to_owned()], ..Shape::default() }
        }
        _ => Shape::default(),
    }
}
