//! The JSON of speech recognizers and voice platforms, recognized by its members. All times become milliseconds.
//!
//! Each utterance, segment, sentence or phrase, as the vendor cuts them, becomes a turn; if there are only words, a
//! turn begins with each change of speaker. A channel is a speaker if there are several and nothing else names the
//! speakers.

use std::ops::Range;

use candor_json::Value;

use super::timed::{label, millionths, millis, time, words};
use super::{Format, TimedWord, Turn};

pub(super) type Read = Result<Vec<Turn>, &'static str>;

/// Reads a document in a vendor's form: the form's name and its turns. `None` when it is in none that is known.
pub(super) fn read(document: &Value, span: &Range<usize>) -> Option<(&'static str, Read)> {
    let has = |key: &str| document.get(key).is_some();
    let (name, format) = match document.get("results") {
        Some(results) if results.is_array() => ("Google speech JSON", Format::Google),
        Some(results) if results.get("channels").is_some() || results.get("utterances").is_some() => {
            ("Deepgram JSON", Format::Deepgram)
        }
        Some(_) => ("Amazon Transcribe JSON", Format::AmazonTranscribe),
        None if has("Transcript") => ("Amazon Contact Lens JSON", Format::ContactLens),
        None if has("utterances") || has("audio_url") || has("acoustic_model") => {
            ("AssemblyAI JSON", Format::AssemblyAi)
        }
        None if has("segments") => ("Whisper JSON", Format::Whisper),
        None if has("sentences") || has("transcriptions") || has("transcription_text") => {
            ("Twilio JSON", Format::Twilio)
        }
        None if has("recognizedPhrases") || has("phrases") => ("Azure speech JSON", Format::Azure),
        None if document.get("text").is_some_and(Value::is_string) => ("Whisper JSON", Format::Whisper),
        None => return None,
    };
    read_as(format, document, span).map(|read| (name, read))
}

/// Reads a document as the form that is named; `None` for forms that are not a single JSON object.
pub(super) fn read_as(format: Format, document: &Value, span: &Range<usize>) -> Option<Read> {
    let reader = Reader { span };
    let member = |key: &str| document.get(key);
    let results = || member("results").filter(|results| results.is_object()).ok_or("it has no `results`");
    Some(match format {
        Format::Whisper if member("segments").or(member("text")).is_some() => reader.whisper(document),
        Format::Whisper => Err("it has neither `segments` nor a `text`"),
        Format::Deepgram => results().and_then(|results| reader.deepgram(results)),
        Format::AssemblyAi => reader.assembly(document),
        Format::AmazonTranscribe => results().and_then(|results| reader.amazon(results)),
        Format::ContactLens => {
            member("Transcript").ok_or("it has no `Transcript`").and_then(|list| reader.contact_lens(list, document))
        }
        Format::Google => {
            let results = member("results").filter(|results| results.is_array());
            results.ok_or("it has no list of `results`").and_then(|results| reader.google(results))
        }
        Format::Azure => {
            let phrases = member("recognizedPhrases").or_else(|| member("phrases"));
            phrases.ok_or("it has neither `recognizedPhrases` nor `phrases`").and_then(|list| reader.azure(list))
        }
        Format::Twilio => reader.twilio(document),
        _ => return None,
    })
}

#[derive(Default)]
struct Parts<'a> {
    speaker: Option<String>,
    text: &'a str,
    start: Option<u64>,
    end: Option<u64>,
    confidence: Option<u32>,
    words: &'a [Value],
    /// The length of a unit of the words' times in milliseconds; `None` for seconds.
    unit: Option<f64>,
    /// True if the channel names the speaker, and not the words.
    by_channel: bool,
}

pub(super) struct Reader<'a> {
    pub(super) span: &'a Range<usize>,
}

const TIMES: [&str; 2] = ["start", "end"];
const MILLIS: Option<f64> = Some(1.0);
const NO_LIST: &str = "its turns are not a list";
const NO_TEXT: &str = "an entry without text";

impl Reader<'_> {
    fn turn(&self, parts: &Parts<'_>) -> Turn {
        let text = parts.text.trim();
        let mut words = words(parts.words, text, parts.confidence, parts.unit);
        if parts.by_channel {
            words.iter_mut().for_each(|word| word.speaker = None);
        }
        if words.is_empty() && parts.confidence.is_some() && !text.is_empty() {
            let Parts { start, end, confidence, .. } = *parts;
            words.push(TimedWord { span: 0..text.len(), start, end, confidence, speaker: None });
        }
        Turn {
            speaker: parts.speaker.clone(),
            text: text.to_owned(),
            spoken: true,
            span: self.span.clone(),
            start: parts.start.or_else(|| words.first()?.start),
            end: parts.end.or_else(|| words.last()?.end),
            words,
            ..Turn::default()
        }
    }

    /// The parts that entries of all vendors have, by the names of their text and their times.
    fn parts<'v>(
        &self,
        entry: &'v Value,
        text: &str,
        [start, end]: [&str; 2],
        unit: Option<f64>,
    ) -> Result<Parts<'v>, &'static str> {
        let time = |key: &str| entry.get(key).and_then(|value| time(value, unit));
        Ok(Parts {
            text: entry.get(text).and_then(Value::as_str).ok_or(NO_TEXT)?,
            start: time(start),
            end: time(end),
            confidence: entry.get("confidence").and_then(millionths),
            words: array(entry.get("words")),
            unit,
            ..Parts::default()
        })
    }

    fn whisper(&self, document: &Value) -> Read {
        let text = document.get("text").and_then(Value::as_str).unwrap_or_default();
        let Some(list) = document.get("segments") else {
            let words = array(document.get("words"));
            return Ok(vec![self.turn(&Parts { text, words, ..Parts::default() })]);
        };
        let segments = list.as_array().ok_or(NO_LIST)?;
        if segments.is_empty() && !text.trim().is_empty() {
            return Err("its segments do not hold its text");
        }
        let mut turns = Vec::new();
        for segment in segments {
            let parts = self.parts(segment, "text", TIMES, None)?;
            let number = |key: &str| segment.get(key).and_then(Value::as_f64);
            let log = number("avg_logprob");
            // the model's own rule for silence: what it wrote over it was not said
            if number("no_speech_prob").is_some_and(|p| p > 0.6) && log.is_some_and(|log| log < -1.0) {
                continue;
            }
            let confidence = parts.confidence.or_else(|| millionths(&Value::from(log?.exp())));
            turns.push(self.turn(&Parts { speaker: label(segment, "speaker"), confidence, ..parts }));
        }
        Ok(turns)
    }

    fn deepgram(&self, results: &Value) -> Read {
        let channels = array(results.get("channels"));
        let several = channels.len() > 1;
        if let Some(list) = results.get("utterances").and_then(Value::as_array).filter(|list| !list.is_empty()) {
            let read = |utterance: &Value| {
                let speaker = label(utterance, "speaker").filter(|_| !several).or_else(|| label(utterance, "channel"));
                let known = several || utterance.get("speaker").is_some();
                let parts = self.parts(utterance, "transcript", TIMES, None)?;
                Ok(self.turn(&Parts { speaker: speaker.filter(|_| known), by_channel: several, ..parts }))
            };
            return list.iter().map(read).collect();
        }
        if channels.is_empty() && results.get("channels").is_none() {
            return Err("it has neither `channels` nor `utterances`");
        }
        let mut turns = Vec::new();
        for (index, channel) in (0_u64..).zip(channels) {
            turns.extend(self.deepgram_channel(channel, several.then_some(index), None)?);
        }
        Ok(turns)
    }

    /// Reads a channel; `start` is the time at which a result of a stream begins.
    pub(super) fn deepgram_channel(&self, channel: &Value, index: Option<u64>, start: Option<&Value>) -> Read {
        let best = array(channel.get("alternatives")).first().ok_or("a channel without an alternative")?;
        let words = array(best.get("words"));
        let of_channel = index.map(|index| index.to_string());
        if !words.is_empty() {
            return Ok(self.by_speaker(words, "speaker", of_channel.as_deref(), None));
        }
        let parts = self.parts(best, "transcript", TIMES, None)?;
        if parts.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![self.turn(&Parts { speaker: of_channel, start: start.and_then(millis), end: None, ..parts })])
    }

    pub(super) fn assembly_message(&self, message: &Value, key: &str) -> Result<Turn, &'static str> {
        let parts = self.parts(message, key, ["audio_start", "audio_end"], MILLIS)?;
        let speaker = label(message, "speaker_label").or_else(|| label(message, "speaker"));
        Ok(self.turn(&Parts { speaker, confidence: None, ..parts }))
    }

    fn by_speaker(&self, words: &[Value], key: &str, channel: Option<&str>, unit: Option<f64>) -> Vec<Turn> {
        let speaker = |word: &Value| channel.map(str::to_owned).or_else(|| label(word, key));
        let told = |word: &Value| ["punctuated_word", "word", "text"].iter().find_map(|key| string(word, key));
        let turn = |group: &[Value]| {
            let text = group.iter().filter_map(told).collect::<Vec<_>>().join(" ");
            let (speaker, by_channel) = (group.first().and_then(speaker), channel.is_some());
            self.turn(&Parts { speaker, text: &text, words: group, unit, by_channel, ..Parts::default() })
        };
        words.chunk_by(|one, other| speaker(one) == speaker(other)).map(turn).collect()
    }

    fn assembly(&self, document: &Value) -> Read {
        if document.get("status").and_then(Value::as_str).is_some_and(|status| status != "completed") {
            return Err("its recognition is not completed");
        }
        let text = string(document, "text").unwrap_or_default();
        let words = array(document.get("words"));
        let utterances = array(document.get("utterances"));
        if !utterances.is_empty() {
            let read = |utterance: &Value| {
                let speaker = label(utterance, "speaker").or_else(|| label(utterance, "channel"));
                Ok(self.turn(&Parts { speaker, ..self.parts(utterance, "text", TIMES, MILLIS)? }))
            };
            return utterances.iter().map(read).collect();
        }
        if words.iter().any(|word| word.get("speaker").is_some_and(|speaker| !speaker.is_null())) {
            return Ok(self.by_speaker(words, "speaker", None, MILLIS));
        }
        if text.trim().is_empty() {
            return Err("it holds neither utterances, words nor a text");
        }
        Ok(vec![self.turn(&Parts { text: &text, words, unit: MILLIS, ..Parts::default() })])
    }

    fn twilio(&self, document: &Value) -> Read {
        let next =
            document.get("meta").unwrap_or(document).get("next_page_url").or_else(|| document.get("next_page_uri"));
        if next.is_some_and(|next| !next.is_null()) {
            return Err("it is one page of several");
        }
        let participants = document.get("channel").and_then(|channel| channel.get("participants"));
        let participants = array(participants.or_else(|| document.get("participants")));
        let role = |channel: &str| {
            let of = |person: &&Value| label(person, "channel_participant").as_deref() == Some(channel);
            participants.iter().find(of).and_then(|person| string(person, "role"))
        };
        let one = std::slice::from_ref(document);
        let list = match document.get("sentences").or_else(|| document.get("transcriptions")) {
            Some(list) => list.as_array().ok_or(NO_LIST)?.as_slice(),
            None => one,
        };
        let read = |sentence: &Value| {
            if string(sentence, "status").is_some_and(|status| status != "completed") {
                return Err("its recognition is not completed");
            }
            let mut texts = ["transcript", "text", "transcription_text"].into_iter();
            let text = texts.find(|key| sentence.get(key).is_some_and(Value::is_string)).unwrap_or_default();
            let channel = ["media_channel", "channel"].iter().find_map(|key| label(sentence, key));
            let named = ["speaker", "role", "participant"].iter().find_map(|key| label(sentence, key));
            let role = channel.as_deref().and_then(role);
            let parts = self.parts(sentence, text, ["start_time", "end_time"], None)?;
            Ok(self.turn(&Parts { speaker: named.or(role).or(channel), ..parts }))
        };
        list.iter().map(read).collect()
    }

    fn contact_lens(&self, list: &Value, document: &Value) -> Read {
        let people = array(document.get("Participants"));
        let read = |turn: &Value| {
            let id = label(turn, "ParticipantId");
            let of = |person: &&Value| label(person, "ParticipantId") == id;
            let role = people.iter().find(of).and_then(|person| string(person, "ParticipantRole"));
            let role = role.or_else(|| string(turn, "ParticipantRole"));
            let time = |key: &str| turn.get(key).and_then(Value::as_u64);
            let text = string(turn, "Content").ok_or(NO_TEXT)?;
            let (start, end) = (time("BeginOffsetMillis"), time("EndOffsetMillis"));
            Ok(self.turn(&Parts { speaker: role.or(id), text: &text, start, end, ..Parts::default() }))
        };
        list.as_array().ok_or(NO_LIST)?.iter().map(read).collect()
    }

    fn azure(&self, list: &Value) -> Read {
        /// A tick is a ten-thousandth of a millisecond.
        const TICK: Option<f64> = Some(0.0001);
        let phrases = list.as_array().ok_or(NO_LIST)?;
        let several = phrases
            .iter()
            .any(|phrase| label(phrase, "channel") != label(phrases.first().unwrap_or(phrase), "channel"));
        let read = |phrase: &Value| {
            let best = array(phrase.get("nBest")).first();
            let text =
                best.and_then(|best| string(best, "display")).or_else(|| string(phrase, "text")).ok_or(NO_TEXT)?;
            let ticks = |key: &str| phrase.get(key).and_then(|value| time(value, TICK));
            let whole = |key: &str| phrase.get(key).and_then(Value::as_u64);
            let start = whole("offsetMilliseconds").or_else(|| ticks("offsetInTicks"));
            let length = whole("durationMilliseconds").or_else(|| ticks("durationInTicks"));
            let speaker = label(phrase, "speaker").or_else(|| label(phrase, "channel").filter(|_| several));
            let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
            let confidence = best.unwrap_or(phrase).get("confidence").and_then(millionths);
            Ok(self.turn(&Parts { speaker, text: &text, start, end, confidence, ..Parts::default() }))
        };
        phrases.iter().map(read).collect()
    }

    fn google(&self, results: &Value) -> Read {
        let results = array(Some(results));
        let best = |result: &Value| array(result.get("alternatives")).first().cloned();
        let tag = ["speakerTag", "speakerLabel"];
        let tagged = |result: &&Value| {
            let words = best(result);
            let words = words.as_ref().map(|best| array(best.get("words"))).unwrap_or_default();
            words.iter().any(|word| tag.iter().any(|key| word.get(key).is_some()))
        };
        // with speakers separated, the last result holds every word again, each with its speaker
        if let Some(all) = results.iter().rev().find(tagged).and_then(best) {
            let words = array(all.get("words"));
            let key =
                tag.into_iter().find(|key| words.iter().any(|word| word.get(key).is_some())).unwrap_or("speakerTag");
            return Ok(self.by_speaker(words, key, None, None));
        }
        let several = results
            .iter()
            .any(|result| result.get("channelTag") != results.first().and_then(|first| first.get("channelTag")));
        let mut turns = Vec::new();
        for result in results.iter().filter(|result| result.get("isFinal") != Some(&Value::Bool(false))) {
            let best = best(result).ok_or("a result without an alternative")?;
            let parts = self.parts(&best, "transcript", [""; 2], None)?;
            turns.push(self.turn(&Parts { speaker: label(result, "channelTag").filter(|_| several), ..parts }));
        }
        Ok(turns)
    }

    fn amazon(&self, results: &Value) -> Read {
        let items = array(results.get("items"));
        if let Some(channels) = results.get("channel_labels").and_then(|labels| labels.get("channels")) {
            let mut turns = Vec::new();
            for channel in array(Some(channels)) {
                let items: Vec<&Value> = array(channel.get("items")).iter().collect();
                for group in sentences(&items) {
                    turns.extend(self.items(group, label(channel, "channel_label")));
                }
            }
            turns.sort_by_key(|turn| turn.start);
            return Ok(turns);
        }
        let segments = results.get("speaker_labels").and_then(|labels| labels.get("segments"));
        let segments = array(segments.or_else(|| results.get("audio_segments")));
        if segments.is_empty() {
            let items: Vec<&Value> = items.iter().collect();
            if !items.is_empty() {
                return Ok(self.items(&items, None).into_iter().collect());
            }
            let text = array(results.get("transcripts")).first().and_then(|first| string(first, "transcript"));
            let text = text.ok_or("it holds neither items nor a transcript")?;
            return Ok(vec![self.turn(&Parts { text: &text, ..Parts::default() })]);
        }
        // an item belongs to the last segment that begins before it ends; punctuation to the word before it
        let starts: Vec<Option<u64>> =
            segments.iter().map(|segment| segment.get("start_time").and_then(millis)).collect();
        let mut groups: Vec<Vec<&Value>> = vec![Vec::new(); segments.len()];
        let mut at = 0;
        for item in items {
            if let Some(start) = item.get("start_time").and_then(millis) {
                while starts.get(at + 1).is_some_and(|next| next.is_some_and(|next| next <= start)) {
                    at += 1;
                }
            }
            if let Some(group) = groups.get_mut(at) {
                group.push(item);
            }
        }
        let mut turns = Vec::new();
        for (segment, group) in segments.iter().zip(&groups) {
            turns.extend(self.items(group, label(segment, "speaker_label")));
        }
        Ok(turns)
    }

    /// A turn of Amazon's items; none without words.
    fn items(&self, items: &[&Value], speaker: Option<String>) -> Option<Turn> {
        let mut text = String::new();
        let mut words = Vec::new();
        for item in items {
            let Some(best) = array(item.get("alternatives")).first() else { continue };
            let content = string(best, "content").unwrap_or_default();
            let mark = item.get("type").and_then(Value::as_str) == Some("punctuation");
            if !text.is_empty() && !mark {
                text.push(' ');
            }
            text.push_str(&content);
            if !mark {
                let get = |value: &Value, key: &str| value.get(key).cloned().unwrap_or_default();
                let (start, end) = (get(item, "start_time"), get(item, "end_time"));
                let speaker = get(item, "speaker_label");
                words.push(candor_json::json!({"word": content, "start": start, "end": end, "confidence": get(best, "confidence"), "speaker": speaker}));
            }
        }
        (!words.is_empty()).then(|| self.turn(&Parts { speaker, text: &text, words: &words, ..Parts::default() }))
    }
}

fn sentences<'a, 'b>(items: &'b [&'a Value]) -> impl Iterator<Item = &'b [&'a Value]> {
    items.split_inclusive(|item| {
        let best = array(item.get("alternatives")).first().and_then(|best| string(best, "content"));
        best.is_some_and(|content| matches!(content.as_str(), "." | "?" | "!"))
    })
}

fn array(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}
