//! Drawings on a page, which may be text that cannot be read: pictures, and outlines filled as letters are.

use super::matrix::{Matrix, determinant};

/// The share of the page that pictures may cover and still be taken for logos.
const LOGOS: f32 = 0.25;
/// How many pictures, and how many shapes of a letter's size with curves in them, are a logo's.
const MOST_PICTURES: usize = 50;
const MOST_LETTERS: usize = 50;
/// The height and width of a letter, in points.
const LETTER: std::ops::Range<f32> = 2.0..40.0;

pub(super) struct Shapes {
    page: f32,
    covered: f32,
    pictures: usize,
    letters: usize,
    drawings: bool,
    path: Vec<Outline>,
}

struct Outline {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    curved: bool,
}

/// The most subpaths of one path that are held.
const MOST_OUTLINES: usize = 10_000;

impl Shapes {
    /// Nothing is drawn on a page of that area.
    pub(super) fn new(page: f32) -> Self {
        Self { page, covered: 0.0, pictures: 0, letters: 0, drawings: false, path: Vec::new() }
    }

    /// A picture fills the unit square of its transformation.
    pub(super) fn picture(&mut self, transform: Matrix) {
        self.drawings = true;
        self.pictures += 1;
        self.covered += determinant(transform);
    }

    /// An operator that makes a path or paints it (ISO 32000-1, 8.5).
    pub(super) fn operator(&mut self, name: &str, numbers: &[f32], transform: Matrix) {
        match (name, numbers) {
            ("m", &[x, y, ..]) => {
                if self.path.len() < MOST_OUTLINES {
                    let nowhere = (f32::INFINITY, f32::NEG_INFINITY);
                    let ((left, right), (bottom, top)) = (nowhere, nowhere);
                    self.path.push(Outline { left, bottom, right, top, curved: false });
                }
                self.point(x, y, transform, false);
            }
            ("l", &[x, y, ..]) => self.point(x, y, transform, false),
            ("c", &[a, b, c, d, x, y]) => {
                self.point(a, b, transform, true);
                self.point(c, d, transform, true);
                self.point(x, y, transform, true);
            }
            ("v" | "y", &[a, b, x, y, ..]) => {
                self.point(a, b, transform, true);
                self.point(x, y, transform, true);
            }
            ("f" | "F" | "f*" | "B" | "B*" | "b" | "b*", _) => {
                self.drawings = true;
                self.letters += self.path.drain(..).filter(Outline::may_be_a_letter).count();
            }
            ("S" | "s", _) => {
                self.drawings = true;
                self.path.clear();
            }
            ("sh", _) => self.drawings = true,
            ("n", _) => self.path.clear(),
            _ => {}
        }
    }

    fn point(&mut self, x: f32, y: f32, [a, b, c, d, e, f]: Matrix, curved: bool) {
        let Some(outline) = self.path.last_mut() else { return };
        let (x, y) = (a * x + c * y + e, b * x + d * y + f);
        (outline.left, outline.right) = (outline.left.min(x), outline.right.max(x));
        (outline.bottom, outline.top) = (outline.bottom.min(y), outline.top.max(y));
        outline.curved |= curved;
    }

    /// The drawings that may say more than the text of the page, if any; `is_blank` if it has no text.
    pub(super) fn hide(&self, is_blank: bool) -> Option<&'static str> {
        if self.covered > LOGOS * self.page {
            Some("a picture")
        } else if self.pictures > MOST_PICTURES {
            Some("many pictures")
        } else if self.letters > MOST_LETTERS {
            Some("shapes that may be letters")
        } else {
            (self.drawings && is_blank).then_some("only drawings")
        }
    }
}

impl Outline {
    fn may_be_a_letter(&self) -> bool {
        self.curved && LETTER.contains(&(self.top - self.bottom)) && (self.right - self.left) < LETTER.end
    }
}
