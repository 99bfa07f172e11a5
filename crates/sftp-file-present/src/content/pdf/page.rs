//! A page: its content streams, the forms they draw, the appearances of its annotations (filled-in fields among them).

use std::collections::HashMap;
use std::io::{self, Read as _};

use flate2::read::ZlibDecoder;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Error, Object, ObjectId, Stream};

use super::font::{Font, LARGEST_STREAM, Source};
use super::matrix::{IDENTITY, Matrix, determinant, product};
use super::shapes::Shapes;

#[derive(Default)]
pub(super) struct Page {
    pub(super) text: String,
    /// The content that the page shows and that cannot be read as text.
    pub(super) hidden: Option<&'static str>,
}

pub(super) struct Budget {
    operations: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { operations: 20_000_000, bytes: 256 << 20 }
    }
}

impl Budget {
    pub(super) fn is_spent(&self) -> bool {
        self.operations == 0 || self.bytes == 0
    }
}

const DEEPEST_FORM: usize = 12;
/// The most graphics states that are put aside.
const MOST_STATES: usize = 256;

pub(super) fn read(document: &Document, id: ObjectId, budget: &mut Budget) -> Result<Page, Error> {
    let (direct, referenced) = document.get_page_resources(id)?;
    let referenced = referenced.iter().filter_map(|id| document.get_dictionary(*id).ok());
    let resources: Vec<&Dictionary> = direct.into_iter().chain(referenced).collect();
    let content = document.get_page_content_with_limit(id, LARGEST_STREAM)?;
    let mut reader =
        Reader { document, budget, page: Page::default(), end: None, shapes: Shapes::new(area(document, id)) };
    reader.run(&content, &resources, IDENTITY, 0)?;
    for annotation in document.get_page_annotations(id).unwrap_or_default() {
        reader.annotation(annotation, &resources)?;
    }
    let mut page = reader.page;
    let mut streams =
        document.get_page_contents(id).into_iter().filter_map(|id| document.get_object(id).ok()?.as_stream().ok());
    if streams.any(breaks_off) {
        page.hidden.get_or_insert("content that cannot be unpacked to its end");
    }
    page.hidden = page.hidden.or_else(|| reader.shapes.hide(page.text.trim().is_empty()));
    Ok(page)
}

/// Returns `true` if compressed content ends before its compression does. `lopdf` reads what comes before that.
fn breaks_off(stream: &Stream) -> bool {
    let filters = stream.filters().unwrap_or_default();
    if filters != [b"FlateDecode".as_slice()] {
        return false;
    }
    let content = ZlibDecoder::new(stream.content.as_slice());
    io::copy(&mut content.take(LARGEST_STREAM as u64), &mut io::sink()).is_err()
}

fn area(document: &Document, mut id: ObjectId) -> f32 {
    const LETTER: f32 = 612.0 * 792.0;
    for _ in 0..DEEPEST_FORM {
        let Ok(node) = document.get_dictionary(id) else { break };
        if let Ok(media_box) = node.get_deref(b"MediaBox", document).and_then(Object::as_array) {
            let sides: Vec<f32> = media_box.iter().filter_map(|side| side.as_float().ok()).collect();
            if let [left, bottom, right, top] = sides.as_slice() {
                return ((right - left) * (top - bottom)).abs();
            }
        }
        match node.get(b"Parent").and_then(Object::as_reference) {
            Ok(parent) => id = parent,
            Err(_) => break,
        }
    }
    LETTER
}

/// The state that the text operators set (ISO 32000-1, 9.3), and the transformation.
#[derive(Clone, Copy)]
struct State<'a> {
    transform: Matrix,
    font: Option<&'a Font<'a>>,
    size: f32,
    leading: f32,
    character_space: f32,
    word_space: f32,
    scale: f32,
}

/// Where the last text ended and how high it was, on the page.
#[derive(Clone, Copy)]
struct End {
    x: f32,
    y: f32,
    /// The direction in which the text ran: a unit vector.
    along: (f32, f32),
    size: f32,
}

struct Reader<'d, 'b> {
    document: &'d Document,
    budget: &'b mut Budget,
    page: Page,
    end: Option<End>,
    shapes: Shapes,
}

impl Reader<'_, '_> {
    /// Runs a content stream. Forms lie in forms only so deep, and all of them share the budget.
    fn run(&mut self, content: &[u8], resources: &[&Dictionary], transform: Matrix, depth: usize) -> Result<(), Error> {
        self.budget.bytes = self.budget.bytes.saturating_sub(content.len());
        let Ok(content) = Content::decode(content) else {
            self.page.hidden.get_or_insert("content that is not PDF content");
            return Ok(());
        };
        let sources = self.sources(&content.operations, resources);
        let mut fonts: HashMap<&[u8], Font<'_>> = HashMap::new();
        for (name, source) in &sources {
            fonts.insert(name, source.font(self.document)?);
        }
        let start =
            State { transform, font: None, size: 1.0, leading: 0.0, character_space: 0.0, word_space: 0.0, scale: 1.0 };
        let mut state = start;
        let mut states = Vec::new();
        let (mut line, mut text) = (IDENTITY, IDENTITY);
        for operation in &content.operations {
            if self.budget.is_spent() {
                return Ok(());
            }
            self.budget.operations -= 1;
            let operands = operation.operands.as_slice();
            let numbers: Vec<f32> = operands.iter().take(6).filter_map(|operand| operand.as_float().ok()).collect();
            let first = numbers.first().copied().unwrap_or_default();
            match operation.operator.as_str() {
                "q" if states.len() < MOST_STATES => states.push(state),
                "Q" => state = states.pop().unwrap_or(state),
                "cm" => {
                    if let Ok(matrix) = Matrix::try_from(numbers.as_slice()) {
                        state.transform = product(matrix, state.transform);
                    }
                }
                "BT" => (line, text) = (IDENTITY, IDENTITY),
                "Tf" => {
                    let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
                    (state.font, state.size) = (fonts.get(name), first);
                }
                "TL" => state.leading = first,
                "Tc" => state.character_space = first,
                "Tw" => state.word_space = first,
                "Tz" => state.scale = first / 100.0,
                "Tm" => {
                    if let Ok(matrix) = Matrix::try_from(numbers.as_slice()) {
                        (line, text) = (matrix, matrix);
                    }
                }
                "Td" | "TD" => {
                    let second = numbers.get(1).copied().unwrap_or_default();
                    if operation.operator == "TD" {
                        state.leading = -second;
                    }
                    line = product([1.0, 0.0, 0.0, 1.0, first, second], line);
                    text = line;
                }
                "T*" | "'" | "\"" => {
                    if let ("\"", [word, character, _]) = (operation.operator.as_str(), operands) {
                        state.word_space = word.as_float().unwrap_or_default();
                        state.character_space = character.as_float().unwrap_or_default();
                    }
                    line = product([1.0, 0.0, 0.0, 1.0, 0.0, -state.leading], line);
                    text = line;
                    self.show(operands.last(), &state, &mut text);
                }
                "Tj" => self.show(operands.first(), &state, &mut text),
                "TJ" => {
                    for item in operands.first().and_then(|items| items.as_array().ok()).into_iter().flatten() {
                        match item.as_float() {
                            Ok(back) => {
                                let along = -back / 1000.0 * state.size * state.scale;
                                text = product([1.0, 0.0, 0.0, 1.0, along, 0.0], text);
                            }
                            Err(_) => self.show(Some(item), &state, &mut text),
                        }
                    }
                }
                "Do" => self.draw(operands.first(), resources, state.transform, depth)?,
                "BI" => self.shapes.picture(state.transform),
                name => self.shapes.operator(name, &numbers, state.transform),
            }
        }
        Ok(())
    }

    fn sources(&self, operations: &[Operation], resources: &[&Dictionary]) -> Vec<(Vec<u8>, Source)> {
        let mut sources: Vec<(Vec<u8>, Source)> = Vec::new();
        for operation in operations.iter().filter(|operation| operation.operator == "Tf") {
            let Some(Ok(name)) = operation.operands.first().map(Object::as_name) else { continue };
            if sources.iter().any(|(known, _)| known == name) {
                continue;
            }
            if let Some(Object::Dictionary(font)) = self.resource(resources, b"Font", name) {
                sources.push((name.to_owned(), Source::new(self.document, font)));
            }
        }
        sources
    }

    fn resource<'r>(&'r self, resources: &[&'r Dictionary], kind: &[u8], name: &[u8]) -> Option<&'r Object> {
        resources.iter().find_map(|resources| {
            let kind = resources.get_deref(kind, self.document).ok()?.as_dict().ok()?;
            kind.get_deref(name, self.document).ok()
        })
    }

    /// Shows a string: its text, with what the distance from the last one represents before it.
    fn show(&mut self, string: Option<&Object>, state: &State<'_>, text: &mut Matrix) {
        let Some(Ok(bytes)) = string.map(Object::as_str) else { return };
        if bytes.is_empty() {
            return;
        }
        let Some(font) = state.font else {
            self.page.hidden.get_or_insert("text in a font that is not there");
            return;
        };
        let on_page = product(*text, state.transform);
        let [a, b, _, _, x, y] = on_page;
        let length = a.hypot(b);
        let along = if length > 0.0 { (a / length, b / length) } else { (1.0, 0.0) };
        let size = state.size.abs() * determinant(on_page).sqrt();
        let (width, codes) = font.width(bytes);
        let spaces = bytes.iter().filter(|&&byte| byte == b' ').count();
        let advance =
            (width / 1000.0 * state.size + codes as f32 * state.character_space + spaces as f32 * state.word_space)
                * state.scale;
        match font.text(bytes) {
            Some(shown) => {
                self.divide(x, y, along, size);
                self.budget.bytes = self.budget.bytes.saturating_sub(shown.len());
                self.page.text.push_str(&shown);
            }
            None => {
                self.page.hidden.get_or_insert("text in a font that does not say its characters");
            }
        }
        *text = product([1.0, 0.0, 0.0, 1.0, advance, 0.0], *text);
        let [_, _, _, _, x, y] = product(*text, state.transform);
        self.end = Some(End { x, y, along, size });
    }

    /// A line end where text goes on elsewhere than behind the last one, a space where it goes on at a distance.
    fn divide(&mut self, x: f32, y: f32, along: (f32, f32), size: f32) {
        const LINE: f32 = 0.4;
        const SPACE: f32 = 0.15;
        let Some(end) = self.end else { return };
        let (dx, dy) = (x - end.x, y - end.y);
        let forward = dx * end.along.0 + dy * end.along.1;
        let aside = (dy * end.along.0 - dx * end.along.1).abs();
        let size = size.max(end.size);
        let turned = along.0 * end.along.0 + along.1 * end.along.1 < 0.9;
        let text = &mut self.page.text;
        if turned || aside > LINE * size || forward < -2.0 * size {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        } else if forward > SPACE * size && !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
    }

    fn draw(
        &mut self,
        name: Option<&Object>,
        resources: &[&Dictionary],
        transform: Matrix,
        depth: usize,
    ) -> Result<(), Error> {
        let Some(Ok(name)) = name.map(Object::as_name) else { return Ok(()) };
        let document = self.document;
        let found = resources.iter().find_map(|resources| {
            let objects = resources.get_deref(b"XObject", document).ok()?.as_dict().ok()?;
            objects.get_deref(name, document).ok()
        });
        let Some(Object::Stream(stream)) = found else {
            let is_named = |resources: &&Dictionary| {
                let objects = resources.get_deref(b"XObject", document).and_then(Object::as_dict);
                objects.is_ok_and(|objects| objects.has(name))
            };
            if resources.iter().any(is_named) {
                self.page.hidden.get_or_insert("something that is not in the file");
            }
            return Ok(());
        };
        match stream.dict.get(b"Subtype").and_then(Object::as_name) {
            Ok(b"Image") => self.shapes.picture(transform),
            Ok(b"Form") => self.form(stream, resources, transform, depth)?,
            _ => {}
        }
        Ok(())
    }

    fn form(
        &mut self,
        form: &lopdf::Stream,
        outer: &[&Dictionary],
        transform: Matrix,
        depth: usize,
    ) -> Result<(), Error> {
        if depth >= DEEPEST_FORM {
            self.page.hidden.get_or_insert("forms within forms within forms");
            return Ok(());
        }
        let content = form.get_plain_content_with_limit(LARGEST_STREAM)?;
        let matrix = form.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array).ok();
        let matrix: Vec<f32> = matrix.into_iter().flatten().filter_map(|number| number.as_float().ok()).collect();
        let matrix = Matrix::try_from(matrix.as_slice()).unwrap_or(IDENTITY);
        let document = self.document;
        let own = form.dict.get_deref(b"Resources", document).and_then(Object::as_dict).ok();
        let own: Vec<&Dictionary> = own.into_iter().collect();
        self.run(&content, if own.is_empty() { outer } else { &own }, product(matrix, transform), depth + 1)
    }

    /// The look of an annotation: its normal appearance, of the state it is in.
    fn annotation(&mut self, annotation: &Dictionary, resources: &[&Dictionary]) -> Result<(), Error> {
        const HIDDEN: i64 = 2;
        if annotation.get(b"F").and_then(Object::as_i64).is_ok_and(|flags| flags & HIDDEN != 0) {
            return Ok(());
        }
        let document = self.document;
        let looks = annotation.get_deref(b"AP", document).and_then(Object::as_dict);
        let normal = looks.and_then(|looks| looks.get_deref(b"N", document));
        let normal = match normal {
            Ok(Object::Dictionary(states)) => {
                let state = annotation.get_deref(b"AS", document).and_then(Object::as_name);
                state.and_then(|state| states.get_deref(state, document))
            }
            other => other,
        };
        let Ok(Object::Stream(form)) = normal else { return Ok(()) };
        // The place of an annotation follows from its rectangle; text of another one never goes on in the same line.
        self.end = None;
        if !self.page.text.is_empty() && !self.page.text.ends_with('\n') {
            self.page.text.push('\n');
        }
        self.form(form, resources, IDENTITY, 0)
    }
}
