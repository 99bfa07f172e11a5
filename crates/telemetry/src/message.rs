//! Messages of protocol buffers, written in binary and in JSON.
//!
//! A message is a list of fields, each with its number and its JSON name; both encodings are written from that one list.
//! OTLP's JSON is proto3 JSON with two exceptions (OTLP specification, "JSON Protobuf Encoding"): ids are hexadecimal, and
//! enumerations are numbers.

use candor_json::{Map, Value};

use crate::context::hex;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    number: u32,
    name: &'static str,
    value: Wire,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wire {
    Bool(bool),
    /// `int64`, not below 0
    Int(u64),
    Enum(u8),
    /// `fixed64`, `sfixed64` not below 0
    Fixed(u64),
    Double(f64),
    Text(String),
    /// `bytes` of an id
    Id(Vec<u8>),
    Message(Vec<Field>),
    Messages(Vec<Vec<Field>>),
    /// `repeated fixed64`, packed
    Fixeds(Vec<u64>),
    /// `repeated double`, packed
    Doubles(Vec<f64>),
}

pub(crate) fn field(number: u32, name: &'static str, value: Wire) -> Field {
    Field { number, name, value }
}

pub(crate) fn text(number: u32, name: &'static str, value: impl Into<String>) -> Field {
    field(number, name, Wire::Text(value.into()))
}

const VARINT: u32 = 0;
const FIXED: u32 = 1;
const LENGTH: u32 = 2;

pub(crate) fn binary(message: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { number, value, .. } in message {
        let number = *number;
        match value {
            Wire::Bool(value) => number_of(&mut out, number, u64::from(*value)),
            Wire::Int(value) => number_of(&mut out, number, *value),
            Wire::Enum(value) => number_of(&mut out, number, u64::from(*value)),
            Wire::Fixed(value) => eight(&mut out, number, value.to_le_bytes()),
            Wire::Double(value) => eight(&mut out, number, value.to_le_bytes()),
            Wire::Text(value) => run(&mut out, number, value.as_bytes()),
            Wire::Id(value) => run(&mut out, number, value),
            Wire::Message(fields) => run(&mut out, number, &binary(fields)),
            Wire::Messages(all) => all.iter().for_each(|fields| run(&mut out, number, &binary(fields))),
            Wire::Fixeds(values) => run(&mut out, number, &packed(values.iter().map(|value| value.to_le_bytes()))),
            Wire::Doubles(values) => run(&mut out, number, &packed(values.iter().map(|value| value.to_le_bytes()))),
        }
    }
    out
}

fn packed(values: impl Iterator<Item = [u8; 8]>) -> Vec<u8> {
    values.flatten().collect()
}

fn tag(out: &mut Vec<u8>, number: u32, kind: u32) {
    varint(out, u64::from(number << 3 | kind));
}

fn number_of(out: &mut Vec<u8>, number: u32, value: u64) {
    tag(out, number, VARINT);
    varint(out, value);
}

fn eight(out: &mut Vec<u8>, number: u32, value: [u8; 8]) {
    tag(out, number, FIXED);
    out.extend(value);
}

fn run(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    tag(out, number, LENGTH);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

pub(crate) fn json(message: &[Field]) -> Value {
    let member = |Field { name, value, .. }: &Field| ((*name).to_owned(), json_value(value));
    Value::Object(message.iter().map(member).collect::<Map<_, _>>())
}

fn json_value(value: &Wire) -> Value {
    match value {
        Wire::Bool(value) => Value::Bool(*value),
        // 64 bits are text in proto3 JSON.
        Wire::Int(value) | Wire::Fixed(value) => Value::String(value.to_string()),
        Wire::Enum(value) => Value::from(*value),
        Wire::Double(value) => Value::from(*value),
        Wire::Text(value) => Value::from(value.as_str()),
        Wire::Id(value) => Value::String(hex(value)),
        Wire::Message(fields) => json(fields),
        Wire::Messages(all) => all.iter().map(|fields| json(fields)).collect(),
        Wire::Fixeds(values) => values.iter().map(u64::to_string).map(Value::String).collect(),
        Wire::Doubles(values) => values.iter().copied().map(Value::from).collect(),
    }
}

/// `KeyValue`s of the attributes' values.
pub(crate) fn attributes(values: Vec<(&str, Wire)>) -> Wire {
    let one = |(name, value): (&str, Wire)| {
        let any = match &value {
            Wire::Bool(_) => field(2, "boolValue", value),
            Wire::Int(_) => field(3, "intValue", value),
            Wire::Double(_) => field(4, "doubleValue", value),
            _ => field(1, "stringValue", value),
        };
        vec![text(1, "key", name), field(2, "value", Wire::Message(vec![any]))]
    };
    Wire::Messages(values.into_iter().map(one).collect())
}
