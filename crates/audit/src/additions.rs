//! Additions to an assertion that may kill a survivor: guesses, the most readable first. Whether one does is tried, not
//! guessed. They come from what changed in the records and from the schema of the assertion, so that no check and no
//! operator is known here. Only doses and concepts are: they have several forms, and what compares all of them is sounder.

use candor_check::difference::{CONTENT, Change, Difference, FieldChange};
use candor_check::draft::{MadeUp, MadeUpTable, is_segment_path, is_uuid, without_positions};
use candor_json::{Map, Value, json};

use crate::paths::{growth, spellings};

/// Members to merge into an assertion: lists are appended to, other members set.
pub(crate) type Addition = Map<String, Value>;

/// Members that say how a source is read, or that loosen: they assert nothing.
const NOT_ASSERTED: [&str; 8] =
    ["allow_modifiers", "format", "header", "short_rows", "retracted", "empty_is_null", "mode", "language"];
/// The member that says in which paths candidates are to differ.
const UNIQUE: &str = "unique";
/// The most paths that are tried for it.
const MOST_UNIQUE: usize = 8;
/// The most fields of one record that are tried.
const MOST_FIELDS: usize = 12;

/// A record that a survivor changed, with its fields in the sandbox in which the work was done.
pub(crate) struct RecordChange {
    pub(crate) difference: Difference,
    pub(crate) key: String,
    pub(crate) fields: Vec<(String, Value)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) made_up: MadeUpTable<'static>,
    pub(crate) days: bool,
}

impl Rules {
    pub(crate) fn leaves_out(&self, path: &str, value: &Value) -> bool {
        match self.made_up.of(path).map(|row| row.kind) {
            Some(MadeUp::Id | MadeUp::Words) => true,
            Some(MadeUp::Clock) => !self.days,
            None => value.as_str().is_some_and(is_uuid),
        }
    }
}

pub(crate) fn merged(assertion: &Value, addition: &Addition) -> Value {
    let mut merged = assertion.clone();
    let Some(members) = merged.as_object_mut() else { return merged };
    for (name, value) in addition {
        match (members.get_mut(name), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            _ => drop(members.insert(name.clone(), value.clone())),
        }
    }
    merged
}

/// The additions to try, in order. `matched` is how many candidates the criterion had where it passed.
pub(crate) fn additions(
    schema: &Value,
    assertion: &Value,
    records: &[RecordChange],
    matched: u64,
    rules: Rules,
) -> Vec<Addition> {
    let schema = Schema(schema);
    let mut all: Vec<Addition> = Vec::new();
    let mut add = |name: &str, value: Value| {
        let addition: Addition = [(name.to_owned(), value)].into_iter().collect();
        if !all.contains(&addition) {
            all.push(addition);
        }
    };
    if let Some(member) = schema.member_of("#/$defs/fields") {
        for record in records {
            let Change::Changed { fields } = &record.difference.change else { continue };
            for change in fields.iter().take(MOST_FIELDS) {
                let dose = schema.compares_dosages().then(|| dose(&change.path, &record.fields, assertion));
                if let Some(dose) = dose.flatten() {
                    add(&member, json!([{"dosage": {"dose": dose}}]));
                }
                for field in fields_for(change, fields, &record.fields, rules) {
                    add(&member, json!([field]));
                }
                if let Some(concept) = concept(&change.path, &record.fields).filter(|_| schema.compares_concepts()) {
                    add(&member, json!([concept]));
                }
            }
        }
    }
    let is_set = |name: &str| assertion.get(name).is_some();
    if let Some(member) = schema.member_of("#/$defs/match") {
        add(&member, json!("exactly_one"));
    }
    if let Some(member) = schema.member_of("#/$defs/count").filter(|name| matched > 0 && !is_set(name)) {
        add(&member, json!(matched));
    }
    for (name, choices) in schema.choices().into_iter().filter(|(name, _)| !is_set(name) || name == "match") {
        choices.into_iter().for_each(|choice| add(&name, choice));
    }
    if schema.has_unique_paths() && !is_set(UNIQUE) {
        records.iter().flat_map(|record| unique_paths(record, rules)).for_each(|paths| add(UNIQUE, json!(paths)));
    }
    for (name, phrases) in schema.lists_of_texts(assertion) {
        phrases.into_iter().for_each(|phrase| add(&name, json!([phrase])));
    }
    all
}

/// Paths in which a record that came is to be unlike the others: one that tells it apart, or all of them together.
fn unique_paths(record: &RecordChange, rules: Rules) -> Vec<Vec<&str>> {
    if record.difference.change != Change::Added {
        return Vec::new();
    }
    let told = record.fields.iter().filter(|(path, value)| !value.is_null() && !rules.leaves_out(path, value));
    let paths: Vec<&str> = told.map(|(path, _)| path.as_str()).take(MOST_UNIQUE).collect();
    let together = (paths.len() > 1).then(|| paths.clone());
    paths.into_iter().map(|path| vec![path]).chain(together).collect()
}

fn fields_for(change: &FieldChange, all: &[FieldChange], fields: &[(String, Value)], rules: Rules) -> Vec<Value> {
    if change.path == CONTENT {
        return Vec::new();
    }
    let Some(before) = &change.before else {
        let added: Vec<(&str, &Value)> = all
            .iter()
            .filter(|one| one.before.is_none())
            .filter_map(|one| Some((one.path.as_str(), one.after.as_ref()?)))
            .collect();
        return growth(&change.path, &added, fields);
    };
    if change.path.is_empty() || rules.leaves_out(&change.path, before) {
        return Vec::new();
    }
    let clock = rules.made_up.of(&change.path).is_some_and(|row| row.kind == MadeUp::Clock);
    let values = expectations(&change.path, before, clock);
    let of_path = |path: String| values.iter().map(move |value| with_path(&path, value)).collect::<Vec<_>>();
    spellings(&change.path, fields).into_iter().flat_map(of_path).collect()
}

/// The dose of an order, where a field of its dosage changed: compared as a whole, it holds in each of FHIR's forms. Bounds
/// that the assertion has are kept.
pub(crate) fn dose(path: &str, fields: &[(String, Value)], assertion: &Value) -> Option<Value> {
    const AMOUNT: &str = ".doseAndRate.doseQuantity";
    let (element, _) = path.split_once('.')?;
    let of = |member: &str| {
        let wanted = format!("{element}{AMOUNT}.{member}");
        fields.iter().find(|(path, _)| without_positions(path) == wanted).map(|(_, value)| value)
    };
    let unit = of("unit").or_else(|| of("code"))?.as_str()?;
    let amount = |value: &Value| Some(json!(format!("{} {unit}", value.as_number()?)));
    let asserted = asserted_dose(assertion);
    let expected = asserted.and_then(|field| field.get("expected")).and_then(Value::as_array);
    match (asserted.and_then(|field| field.get("op")?.as_str()), expected.map(Vec::as_slice)) {
        (None | Some("equals"), _) => amount(of("value")?),
        (Some("between"), Some([low, high])) => Some(json!({"between": [amount(low)?, amount(high)?]})),
        _ => None,
    }
}

/// The concept of a record, where one of its codings changed: another code of its systems contradicts it.
fn concept(path: &str, fields: &[(String, Value)]) -> Option<Value> {
    let (element, _) = path.split_once(".coding.")?;
    let any = codes(element, fields);
    let is_name = |path: &str| {
        let rest = path.strip_prefix(element).unwrap_or_default();
        rest == ".text" || rest.starts_with(".coding.") && rest.ends_with(".display")
    };
    let names: Vec<&Value> = fields.iter().filter(|(path, _)| is_name(path)).map(|(_, name)| name).collect();
    let mut concept = json!({"any": any});
    if let Some(members) = concept.as_object_mut().filter(|_| !names.is_empty()) {
        members.insert("names".to_owned(), json!(names));
    }
    // A choice is read in either form.
    let path = without_positions(element.strip_suffix("CodeableConcept").unwrap_or(element));
    (!any.is_empty()).then(|| json!({"path": path, "concept": concept}))
}

/// The codes of a concept, each with its system.
pub(crate) fn codes(element: &str, fields: &[(String, Value)]) -> Vec<String> {
    let of = |at: usize, name: &str| {
        let path = format!("{element}.coding.{at}.{name}");
        fields.iter().find(|(own, _)| *own == path).and_then(|(_, value)| value.as_str())
    };
    (0..).map_while(|at| Some(format!("{}|{}", of(at, "system")?, of(at, "code")?))).collect()
}

/// The field of an assertion that compares the number of a dose.
fn asserted_dose(own: &Value) -> Option<&Value> {
    match own {
        Value::Object(members) => {
            let path = members.get("path").and_then(Value::as_str);
            match path.is_some_and(|path| path.ends_with("doseQuantity.value")) {
                true => Some(own),
                false => members.values().find_map(asserted_dose),
            }
        }
        Value::Array(items) => items.iter().find_map(asserted_dose),
        _ => None,
    }
}

fn with_path(path: &str, rest: &Map<String, Value>) -> Value {
    let mut field = Map::new();
    field.insert("path".to_owned(), json!(path));
    field.extend(rest.clone());
    Value::Object(field)
}

/// How a value is expected: the day of a time first. Of a time that a clock made, the day alone.
pub(crate) fn expectations(path: &str, value: &Value, clock: bool) -> Vec<Map<String, Value>> {
    let expected = |value: Value| -> Map<String, Value> { [("expected".to_owned(), value)].into_iter().collect() };
    let mut all = Vec::new();
    if let Some(day) = value.as_str().and_then(day_of) {
        let mut by_day = expected(json!(day));
        // FHIR knows by its types what is a date.
        if is_segment_path(path) {
            by_day.insert("as".to_owned(), json!("date"));
        }
        all.push(by_day.clone());
        if !is_segment_path(path) {
            by_day.insert("as".to_owned(), json!("date"));
            all.push(by_day);
        }
        if clock {
            return all;
        }
    }
    all.push(expected(value.clone()));
    all
}

/// The day of a time stamp, ISO or HL7 v2: nothing for what is a day alone.
pub(crate) fn day_of(text: &str) -> Option<String> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(day), Some(rest)) = (text.get(..10), text.get(10..))
        && rest.starts_with('T')
        && day.split('-').map(str::len).eq([4, 2, 2])
        && day.split('-').all(digits)
    {
        return Some(day.to_owned());
    }
    let stamp = text.split(['.', '+', '-']).next()?;
    let is_stamp =
        matches!(stamp.len(), 12 | 14) && digits(stamp) && (stamp.starts_with("19") || stamp.starts_with("20"));
    let (year, rest) = stamp.split_at_checked(4).filter(|_| is_stamp)?;
    let (month, rest) = rest.split_at_checked(2)?;
    let day = rest.get(..2)?;
    let sound = ("01"..="12").contains(&month) && ("01"..="31").contains(&day);
    sound.then(|| format!("{year}-{month}-{day}"))
}

struct Schema<'s>(&'s Value);

impl<'s> Schema<'s> {
    fn properties(&self) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
        self.0.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    fn member_of(&self, reference: &str) -> Option<String> {
        let is_it = |(_, schema): &(&String, &Value)| schema.get("$ref").is_some_and(|own| own == reference);
        self.properties().find(is_it).map(|(name, _)| name.clone())
    }

    fn compares_dosages(&self) -> bool {
        self.0.pointer("/$defs/dosage_field").is_some()
    }

    fn compares_concepts(&self) -> bool {
        self.0.pointer("/$defs/concept_field").is_some()
    }

    fn has_unique_paths(&self) -> bool {
        let Some((_, unique)) = self.properties().find(|(name, _)| *name == UNIQUE) else { return false };
        self.lists_texts(unique, 3)
    }

    fn lists_texts(&self, schema: &'s Value, depth: usize) -> bool {
        let schema = self.resolved(schema);
        let items = schema.get("items").map(|items| self.resolved(items));
        let several = ["oneOf", "anyOf"].iter().filter_map(|name| schema.get(*name)?.as_array()).flatten();
        items.and_then(|items| items.get("type")).is_some_and(|kind| kind == "string")
            || depth > 0 && several.into_iter().any(|shape| self.lists_texts(shape, depth - 1))
    }

    fn resolved(&self, schema: &'s Value) -> &'s Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|own| own.strip_prefix("#/$defs/"));
        name.and_then(|name| self.0.get("$defs")?.get(name)).unwrap_or(schema)
    }

    /// Members that may be switched on, or set to one of some words, with these.
    fn choices(&self) -> Vec<(String, Vec<Value>)> {
        let asserts = |(name, _): &(&String, &Value)| !NOT_ASSERTED.contains(&name.as_str()) && *name != "assert";
        let of = |(name, schema): (&String, &'s Value)| (name.clone(), self.words(schema));
        self.properties().filter(asserts).map(of).filter(|(_, words)| !words.is_empty()).collect()
    }

    fn words(&self, schema: &'s Value) -> Vec<Value> {
        let schema = self.resolved(schema);
        let own = match (schema.get("type").and_then(Value::as_str), schema.get("enum"), schema.get("const")) {
            (Some("boolean"), ..) => vec![json!(true)],
            (_, Some(Value::Array(words)), _) => words.clone(),
            (_, _, Some(word)) => vec![word.clone()],
            _ => Vec::new(),
        };
        let several = ["oneOf", "anyOf"].iter().filter_map(|name| schema.get(*name)?.as_array()).flatten();
        let is_switch = |one: &&Value| one.get("type").is_some_and(|kind| kind == "boolean");
        own.into_iter().chain(several.filter(is_switch).map(|_| json!(true))).collect()
    }

    /// Lists of texts of the assertion whose items may be objects with switches: each text again, with one switched on.
    fn lists_of_texts(&self, assertion: &Value) -> Vec<(String, Vec<Value>)> {
        let mut found = Vec::new();
        for (name, schema) in self.properties() {
            let Some(items) = assertion.get(name).and_then(Value::as_array) else { continue };
            let Some(item) = schema.get("items").map(|item| self.resolved(item)) else { continue };
            let shapes = item.get("oneOf").and_then(Value::as_array).into_iter().flatten();
            let Some(object) = shapes.map(|shape| self.resolved(shape)).find(|shape| shape.get("properties").is_some())
            else {
                continue;
            };
            let properties = || object.get("properties").and_then(Value::as_object).into_iter().flatten();
            let Some(text) = properties().find(|(_, one)| one.get("type").is_some_and(|kind| kind == "string")) else {
                continue;
            };
            let switches: Vec<&String> = properties()
                .filter(|(_, one)| one.get("type").is_some_and(|kind| kind == "boolean"))
                .map(|(name, _)| name)
                .collect();
            let with = |item: &Value, switch: &String| {
                let mut members = match item {
                    Value::String(_) => [(text.0.clone(), item.clone())].into_iter().collect(),
                    other => other.as_object().cloned().unwrap_or_default(),
                };
                members.insert(switch.clone(), json!(true));
                Value::Object(members)
            };
            let all = switches.iter().flat_map(|switch| items.iter().map(|item| with(item, switch))).collect();
            found.push((name.clone(), all));
        }
        found
    }
}
