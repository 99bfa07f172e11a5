//! `_text` and `_content`: searches for words.
//!
//! The standard leaves to the server how text is searched (FHIR R4, Search, 3.1.1.4.15). Here a resource is found when
//! it contains each word of the value as a whole word, in any order, case and accents aside: for `_text` in the
//! narrative, for `_content` in any text of the resource, the narrative included. Nothing is stemmed, and no word means
//! an operator.

use std::borrow::Cow;

use candor_json::Value;

use crate::{string, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// `_text`
    Narrative,
    /// `_content`
    Resource,
}

/// An alternative of a search for words: all of its words must be there.
#[derive(Clone, Debug)]
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn parse(escaped: &str) -> Result<Self, Cow<'static, str>> {
        let mut words = Vec::new();
        each_word(&text::unescape(escaped), &mut |word| words.push(word.to_owned()));
        if words.is_empty() { Err("there is no word in it".into()) } else { Ok(Self(words)) }
    }

    pub(crate) fn are_in(&self, resource: &Value, place: Where) -> bool {
        let mut missing: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let mut strike = |text: &str| each_word(text, &mut |word| missing.retain(|wanted| *wanted != word));
        match place {
            Where::Narrative => {
                if let Some(div) = resource.pointer("/text/div").and_then(Value::as_str) {
                    strike(&without_markup(div));
                }
            }
            Where::Resource => {
                let mut open = vec![("", resource)];
                while let Some((name, value)) = open.pop() {
                    match value {
                        Value::String(text) if name == "div" => strike(&without_markup(text)),
                        Value::String(text) => strike(text),
                        Value::Array(items) => open.extend(items.iter().map(|item| (name, item))),
                        Value::Object(members) => {
                            open.extend(members.iter().map(|(name, value)| (name.as_str(), value)));
                        }
                        _ => {}
                    }
                }
            }
        }
        missing.is_empty()
    }
}

fn each_word(text: &str, each: &mut impl FnMut(&str)) {
    string::fold(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).for_each(each);
}

/// The text of XHTML, without tags and comments, and with the entities of XML itself resolved.
fn without_markup(markup: &str) -> String {
    let mut plain = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        plain.push(' ');
        let end = if after.starts_with("!--") { "-->" } else { ">" };
        rest = after.split_once(end).map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    if plain.contains('&') {
        let entities = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&apos;", "'"),
            ("&nbsp;", " "),
            ("&#160;", " "),
            ("&amp;", "&"),
        ];
        for (entity, meant) in entities {
            plain = plain.replace(entity, meant);
        }
    }
    plain
}
