//! Fields of a segment against its definition: required ones, repetitions, data types.

use candor_hl7v2::{Delimiters, Field, Piece, Segment};

use crate::datatype::{Part, Required, is_data_type, parts, required};
use crate::table::{self, Field as Definition};
use crate::violation::Rule;

pub(crate) struct Wrong<'m> {
    pub(crate) rule: Rule,
    pub(crate) number: u32,
    /// The repetition, where it is not the first.
    pub(crate) repetition: u32,
    pub(crate) expected: String,
    /// The text found; `None` if the field is missing.
    pub(crate) piece: Option<Piece<'m>>,
}

pub(crate) fn check<'m>(
    segment: Segment<'m>,
    definition: &table::Segment,
    (delimiters, version): (&Delimiters, &str),
    report: &mut impl FnMut(Wrong<'m>),
) {
    let observation = (segment.id() == *b"OBX").then(|| Observation::of(segment, delimiters, version));
    let repeated = delimiters.repetition.is_some_and(|byte| memchr::memchr(byte, segment.piece().raw()).is_some());
    let header = segment.id() == *b"MSH";
    // MSH-1 is there wherever a message is.
    let mut required = definition.required.iter().copied().filter(|&number| !(header && number == 1)).peekable();
    for (number, field) in segment.filled().filter(|(_, field)| is_there(field.piece().raw(), delimiters)) {
        while let Some(missing) = required.next_if(|&required| required < number) {
            report(without(definition, missing));
        }
        // Blanks alone are not a value.
        if is_valued(field.piece().raw(), delimiters) {
            required.next_if_eq(&number);
        }
        let Some(field_definition) = definition.field(number).filter(|_| !field.is_opaque()) else { continue };
        let parts = match &observation {
            Some(observation) if number == 5 => observation.value,
            _ => field_definition.parts,
        };
        if let Some(observation) = observation.as_ref().filter(|_| number == 5) {
            observation.components(field, delimiters, report);
        }
        if !parts.is_empty() || (repeated && !field_definition.repeats) {
            value(field, number, field_definition, parts, delimiters, report);
        }
    }
    for missing in required {
        report(without(definition, missing));
    }
    if let Some(observation) = observation {
        observation.report(report);
    }
}

fn without<'m>(definition: &table::Segment, number: u32) -> Wrong<'m> {
    let name = definition.field(number).map_or("", |field| field.name);
    let (rule, expected) = (Rule::MissingField, format!("{name} (required)"));
    Wrong { rule, number, repetition: 1, expected, piece: None }
}

fn value<'m>(
    field: Field<'m>,
    number: u32,
    definition: &Definition,
    parts: &[Part],
    delimiters: &Delimiters,
    report: &mut impl FnMut(Wrong<'m>),
) {
    for (index, repetition) in field.repetitions().enumerate() {
        let at = u32::try_from(index + 1).unwrap_or(u32::MAX);
        if index > 0 && !definition.repeats && is_valued(repetition.raw(), delimiters) {
            return report(Wrong {
                rule: Rule::TooManyRepetitions,
                number,
                repetition: at,
                expected: format!("{} once", definition.name),
                piece: Some(repetition),
            });
        }
        for &(component, subcomponent, simple) in parts {
            let Some(part) = nth(repetition.components(delimiters), component)
                .and_then(|part| nth(part.subcomponents(delimiters), subcomponent))
            else {
                continue;
            };
            if simple.rejects(part.raw()) {
                report(Wrong {
                    rule: Rule::WrongDataType,
                    number,
                    repetition: at,
                    expected: format!("{} ({})", simple.expected(), definition.name),
                    piece: Some(part),
                });
            }
        }
    }
}

fn nth<T>(mut pieces: impl Iterator<Item = T>, number: u32) -> Option<T> {
    pieces.nth(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// True if there is a value: more than blanks and delimiters.
fn is_valued(raw: &[u8], delimiters: &Delimiters) -> bool {
    raw.split(|byte| *byte == b' ').any(|part| is_there(part, delimiters))
}

/// True if there is anything but delimiters.
fn is_there(raw: &[u8], delimiters: &Delimiters) -> bool {
    let is_delimiter = |byte: u8| {
        byte == delimiters.component || Some(byte) == delimiters.repetition || Some(byte) == delimiters.subcomponent
    };
    raw.iter().any(|&byte| !is_delimiter(byte))
}

/// OBX-2 and OBX-5: the type of the one is what the other says (HL7 v2.8.2, 7.4.2).
struct Observation<'m> {
    /// The parts of OBX-5 that are checked.
    value: &'static [Part],
    required: (&'m [u8], &'static [Required]),
    /// Why OBX-2 is wrong.
    wrong: Option<(Rule, Option<Piece<'m>>)>,
}

impl<'m> Observation<'m> {
    fn of(segment: Segment<'m>, delimiters: &Delimiters, version: &str) -> Self {
        let valued = |number: u32| {
            let field = segment.field(number)?;
            is_valued(field.piece().raw(), delimiters).then_some(field)
        };
        let Some(value_type) = valued(2) else {
            let wrong = valued(5).map(|_| (Rule::MissingField, None));
            return Self { value: &[], required: (b"", &[]), wrong };
        };
        let piece = value_type.piece();
        let text = piece.raw().trim_ascii();
        let is_type = is_data_type(text);
        let wrong = (!is_type && text != b"\"\"").then_some((Rule::WrongCode, Some(piece)));
        let required = if version < "2.5" { &[][..] } else { required(text) };
        Self { value: std::str::from_utf8(text).map(parts).unwrap_or_default(), required: (text, required), wrong }
    }

    /// Looks for the components that the values must have. A null is left out.
    fn components(&self, field: Field<'m>, delimiters: &Delimiters, report: &mut impl FnMut(Wrong<'m>)) {
        let (data_type, required) = self.required;
        for (index, repetition) in field.repetitions().enumerate() {
            if repetition.raw().trim_ascii() == b"\"\"" {
                continue;
            }
            for (component, name) in required {
                let is_empty = nth(repetition.components(delimiters), *component)
                    .is_none_or(|part| !is_valued(part.raw(), delimiters));
                if is_empty {
                    let data_type = String::from_utf8_lossy(data_type);
                    report(Wrong {
                        rule: Rule::MissingField,
                        number: 5,
                        repetition: u32::try_from(index + 1).unwrap_or(u32::MAX),
                        expected: format!("{name} ({data_type}.{component}, required)"),
                        piece: Some(repetition),
                    });
                }
            }
        }
    }

    fn report(self, report: &mut impl FnMut(Wrong<'m>)) {
        if let Some((rule, piece)) = self.wrong {
            let expected = match rule {
                Rule::MissingField => "Value Type (required where OBX-5 has a value)",
                _ => "a data type of table 0125",
            };
            report(Wrong { rule, number: 2, repetition: 1, expected: expected.to_owned(), piece });
        }
    }
}
