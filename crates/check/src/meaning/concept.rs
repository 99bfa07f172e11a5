//! `concept`: codes and names of one thing.

use candor_json::{Value, json};
use serde::Deserialize;

use super::systems::{canonical_system, problem};
use super::words::{holds_phrase, words_of};
use super::{Meaning, Understanding, Understood};

/// A thing by its codes and names.
///
/// ```
/// use candor_check::meaning::{Concept, Meaning, Understanding};
/// let concept = Concept::read(&candor_json::json!({"any": ["http://loinc.org|24587-8"], "names": ["MRI brain"]}))?;
/// let value = candor_json::json!({"text": "Brain MRI"});
/// assert_eq!(concept.understood(&[value]).state, Understanding::Holds);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Concept {
    /// Codes, each with its system where one is named.
    any: Vec<(Option<String>, String)>,
    /// Names, the words of each sorted.
    names: Vec<Vec<String>>,
    not_words: Vec<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    any: Vec<String>,
    names: Vec<String>,
    not_words: Vec<String>,
}

/// Something that is coded, whatever format it was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coded {
    /// Its codings.
    pub codings: Vec<Coding>,
    /// Its own texts; those of the codings are their displays.
    pub texts: Vec<String>,
}

/// A code in a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coding {
    /// The system; nothing where the data has no place for one.
    pub system: Option<String>,
    /// The code; empty where only a display is there.
    pub code: String,
    /// The text of the code.
    pub display: Option<String>,
}

impl Coded {
    /// A CodeableConcept, a Coding, a CodeableReference with its concept, or a text. Nothing for what is not coded.
    #[must_use]
    pub fn of_json(value: &Value) -> Option<Self> {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let coding = |value: &Value| Coding {
            system: Some(text(value, "system").unwrap_or_default()),
            code: text(value, "code").unwrap_or_default(),
            display: text(value, "display"),
        };
        match value {
            Value::String(text) => Some(Self::bare(text)),
            Value::Object(members) if members.contains_key("coding") || members.contains_key("text") => {
                let codings =
                    members.get("coding").and_then(Value::as_array).into_iter().flatten().map(coding).collect();
                Some(Self { codings, texts: text(value, "text").into_iter().collect() })
            }
            Value::Object(members) if members.contains_key("code") && !members.contains_key("value") => {
                Some(Self { codings: vec![coding(value)], texts: Vec::new() })
            }
            Value::Object(members) => members.get("concept").and_then(Self::of_json),
            _ => None,
        }
    }

    /// A coded field of HL7 v2 (CE, CNE, CWE), its components between `^`: code, text and system three times, the original
    /// text in the ninth. Source: HL7 v2.5.1, chapter 2A.13 (CWE).
    ///
    /// ```
    /// let coded = candor_check::meaning::Coded::of_components("24587-8^MRI brain^LN");
    /// assert_eq!(coded.codings[0].system.as_deref(), Some("LN"));
    /// ```
    #[must_use]
    pub fn of_components(field: &str) -> Self {
        let parts: Vec<&str> = field.split('^').collect();
        if parts.len() == 1 {
            return Self::bare(field);
        }
        let part = |at: usize| parts.get(at).copied().filter(|text| !text.is_empty()).map(str::to_owned);
        let coding = |at: usize| {
            let (code, display) = (part(at), part(at + 1));
            let is_there = code.is_some() || display.is_some();
            is_there.then(|| Coding {
                system: Some(part(at + 2).unwrap_or_default()),
                code: code.unwrap_or_default(),
                display,
            })
        };
        Self { codings: [0, 3, 9].into_iter().filter_map(coding).collect(), texts: part(8).into_iter().collect() }
    }

    /// A text that may be a code or a name.
    #[must_use]
    pub fn bare(text: &str) -> Self {
        let coding = Coding { system: None, code: text.trim().to_owned(), display: None };
        Self { codings: vec![coding], texts: vec![text.to_owned()] }
    }

    fn is_empty(&self) -> bool {
        self.texts.iter().all(|text| text.trim().is_empty())
            && self.codings.iter().all(|coding| coding.code.is_empty() && coding.display.is_none())
    }

    fn shown(&self) -> Value {
        let coding = |coding: &Coding| {
            let system = coding.system.as_deref().filter(|system| !system.is_empty());
            let code = system.map_or_else(|| coding.code.clone(), |system| format!("{system}|{}", coding.code));
            coding.display.as_ref().map_or_else(|| code.clone(), |display| format!("{code} {display:?}"))
        };
        // Of a bare text the code is the text.
        let coded: Vec<String> =
            self.codings.iter().filter(|one| one.system.is_some() && !one.code.is_empty()).map(coding).collect();
        match (coded.is_empty(), self.texts.as_slice()) {
            (true, [text]) => json!(text),
            (true, texts) => json!(texts),
            (false, []) => json!({"codings": coded}),
            (false, texts) => json!({"codings": coded, "text": texts.join("; ")}),
        }
    }
}

struct Told {
    passes: bool,
    contradiction: Option<String>,
}

impl Concept {
    /// Reads the member `concept`.
    ///
    /// # Errors
    /// A misspelt system, a name without a letter, or a concept that nothing could pass.
    pub fn read(value: &Value) -> Result<Self, String> {
        let Written { any, names, not_words } =
            Written::deserialize(value).map_err(|error| format!("`concept`: {error}"))?;
        if any.is_empty() && names.is_empty() {
            return Err("`concept` has neither `any` (codes) nor `names`, so nothing could pass".to_owned());
        }
        let code = |text: &String| {
            let (system, code) = match text.rsplit_once('|') {
                Some((system, code)) => (Some(system.trim()), code.trim()),
                None => (None, text.trim()),
            };
            if code.is_empty() {
                return Err(format!("`concept.any`: {text:?} has no code; write `system|code`"));
            }
            if let Some(problem) = system.and_then(problem) {
                return Err(format!("`concept.any`: {problem}"));
            }
            Ok((system.map(|system| canonical_system(system).to_owned()), code.to_owned()))
        };
        let phrase = |member: &str, text: &String| {
            let words = words_of(text);
            match words.iter().any(|word| word.chars().any(char::is_alphabetic)) {
                true => Ok(words),
                false => Err(format!("`concept.{member}`: {text:?} has no letter, so it names nothing")),
            }
        };
        let sorted = |mut words: Vec<String>| {
            words.sort();
            words
        };
        Ok(Self {
            any: any.iter().map(code).collect::<Result<_, _>>()?,
            names: names.iter().map(|text| phrase("names", text).map(sorted)).collect::<Result<_, _>>()?,
            not_words: not_words.iter().map(|text| phrase("not_words", text)).collect::<Result<_, _>>()?,
        })
    }

    /// The codes that pass, each with its system where one is named.
    #[must_use]
    pub fn codes(&self) -> &[(Option<String>, String)] {
        &self.any
    }

    /// The forms in which a coded element says the concept: `the code 24587-8`, `the text "MRI brain"`.
    #[must_use]
    pub fn forms(&self, coded: &Coded) -> Vec<String> {
        let codes =
            coded.codings.iter().filter(|coding| self.has_code(coding)).map(|one| format!("the code {}", one.code));
        let displays = coded.codings.iter().filter_map(|coding| Some(("display", coding.display.as_deref()?)));
        let texts = coded.texts.iter().map(|text| ("text", text.as_str()));
        let named = texts.chain(displays).filter(|(_, text)| self.has_name(text));
        codes.chain(named.map(|(what, text)| format!("the {what} {text:?}"))).collect()
    }

    fn has_code(&self, coding: &Coding) -> bool {
        self.any.iter().any(|(system, code)| is_code(coding, system.as_deref(), code))
    }

    fn has_name(&self, text: &str) -> bool {
        let mut words = words_of(text);
        words.sort();
        self.names.contains(&words)
    }

    /// Holds coded elements against the concept: one of them has to mean it.
    #[must_use]
    pub fn understood_in(&self, all: &[Coded]) -> Understood {
        let all: Vec<&Coded> = all.iter().filter(|coded| !coded.is_empty()).collect();
        let told: Vec<Told> = all.iter().map(|coded| self.told(coded)).collect();
        let shown = |at: usize| all.get(at).map_or(Value::Null, |coded| coded.shown());
        let passing =
            |contradicts: bool| told.iter().position(|one| one.passes && one.contradiction.is_some() == contradicts);
        match passing(false).or_else(|| passing(true)) {
            Some(at) => Understood {
                state: Understanding::Holds,
                actual: shown(at),
                contradiction: told.get(at).and_then(|one| one.contradiction.clone()),
            },
            None if all.is_empty() => {
                Understood { state: Understanding::Absent, actual: Value::Null, contradiction: None }
            }
            None => {
                let actual = if all.len() == 1 { shown(0) } else { all.iter().map(|coded| coded.shown()).collect() };
                Understood { state: Understanding::Fails, actual, contradiction: None }
            }
        }
    }

    fn told(&self, coded: &Coded) -> Told {
        let is_of = |coding: &Coding| self.has_code(coding);
        let displays = coded.codings.iter().filter_map(|coding| coding.display.as_deref());
        let texts: Vec<&str> = coded.texts.iter().map(String::as_str).chain(displays).collect();
        let passes = coded.codings.iter().any(is_of) || texts.iter().any(|text| self.has_name(text));
        let other = coded.codings.iter().find(|coding| {
            let system = coding.system.as_deref().filter(|system| !system.is_empty()).map(canonical_system);
            let is_named = system.is_some_and(|own| self.any.iter().any(|(system, _)| system.as_deref() == Some(own)));
            is_named && !coding.code.is_empty() && !is_of(coding)
        });
        let word = || {
            let holds = |text: &&&str| {
                let words = words_of(text);
                self.not_words.iter().any(|phrase| holds_phrase(&words, phrase))
            };
            texts.iter().find(holds).map(|text| format!("the text {text:?} says otherwise"))
        };
        let code = |coding: &Coding| {
            let system = coding.system.as_deref().unwrap_or_default();
            format!("the coding `{system}|{}` is of another thing", coding.code)
        };
        Told { passes, contradiction: other.map(code).or_else(word).filter(|_| passes) }
    }
}

/// Compares a coding with a code. A column may hold a code of any system; a Coding without a system holds none of them.
fn is_code(coding: &Coding, system: Option<&str>, code: &str) -> bool {
    let same_system = match (&coding.system, system) {
        (Some(own), Some(system)) => canonical_system(own) == system,
        (None, _) | (_, None) => true,
    };
    same_system && coding.code == code
}

impl Meaning for Concept {
    fn member(&self) -> &'static str {
        "concept"
    }

    fn understood(&self, values: &[Value]) -> Understood {
        let elements =
            values.iter().flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
        let coded: Vec<Option<Coded>> = elements.filter(|value| !value.is_null()).map(Coded::of_json).collect();
        if !coded.is_empty() && coded.iter().all(Option::is_none) {
            let actual = if values.len() == 1 { values.first().cloned().unwrap_or_default() } else { json!(values) };
            return Understood { state: Understanding::Mismatch, actual, contradiction: None };
        }
        self.understood_in(&coded.into_iter().flatten().collect::<Vec<_>>())
    }
}
