//! Which transcripts are read, as what, and why the others are not.

use candor_voice_transcript::transcript::{Extension, Transcript, TranscriptError, Turn, TurnProblem};
use proptest::prelude::*;

fn read(text: &str) -> Result<Transcript, TranscriptError> {
    Transcript::read(text.as_bytes(), Extension::Other)
}

#[expect(clippy::unwrap_used, reason = "a test helper")]
fn said(text: &str) -> Vec<(String, String)> {
    read(text)
        .unwrap()
        .turns
        .into_iter()
        .map(|turn| (turn.speaker.or(turn.role).unwrap_or_default(), turn.text))
        .collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(speaker, text)| ((*speaker).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn native() {
    let text = r#"[{"speaker":"agent","text":"Hi","start":0.0,"end":1e0},{"speaker":0,"text":"Yes"},{"text":"?"}]"#;
    assert_eq!(said(text), pairs(&[("agent", "Hi"), ("0", "Yes"), ("", "?")]));
    let spans: Vec<&str> = read(text).unwrap().turns.iter().map(|turn: &Turn| &text[turn.span.clone()]).collect();
    assert_eq!(spans[1], r#"{"speaker":0,"text":"Yes"}"#);
    assert_eq!(said(r#"{"call":"c1","turns":[{"speaker":"a b","text":"x"}]}"#), pairs(&[("a b", "x")]));
    assert_eq!(said("[]"), []);
    assert_eq!(said(r#"{"turns":[]}"#), []);
    assert_eq!(said("\u{feff} [ ]\n"), []);
}

#[test]
fn the_byte_order_mark_counts_in_spans() {
    let text = "\u{feff}Agent: Hi";
    assert_eq!(&text[read(text).unwrap().turns[0].span.clone()], "Agent: Hi");
}

#[test]
fn role_and_content() {
    let text = r#"{"messages":[
        {"role":"system","content":"Ask for the member ID."},
        {"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},
        {"role":"tool","content":{"rows":[1]}},
        {"role":"assistant","content":[{"type":"text","text":"Your member"},{"type":"tool_use","input":{}},{"type":"output_text","text":"ID?"}]},
        {"role":"user","content":[{"type":"input_audio","transcript":"W one"}]},
        {"type":"function_call_output","output":"x"},
        {"role":"user","content":null}]}"#;
    let turns = read(text).unwrap().turns;
    let spoken: Vec<bool> = turns.iter().map(|turn| turn.spoken).collect();
    assert_eq!(spoken, [true, false, true, true, true, false, true]);
    assert_eq!(turns[3].text, "Your member ID?");
    assert_eq!(turns[4].text, "W one");
}

#[test]
fn interim_results_are_dropped() {
    let text = r#"[{"speaker":"a","text":"my mem","is_final":false},{"speaker":"a","text":"my member","interim":true},
        {"speaker":"a","partial":true},{"speaker":"a","text":"my member ID","is_final":true,"partial":false}]"#;
    assert_eq!(said(text), pairs(&[("a", "my member ID")]));
}

#[test]
fn turns_that_cannot_be_read() {
    for (entry, problem) in [
        ("1", TurnProblem::NotAnObject),
        (r#""Agent: hi""#, TurnProblem::NotAnObject),
        (r#"{"speaker":"a"}"#, TurnProblem::NoText),
        (r#"{"speaker":"a","text":7}"#, TurnProblem::Type("text")),
        (r#"{"speaker":["a"],"text":"x"}"#, TurnProblem::Type("speaker")),
        (r#"{"speaker":"a","text":"x","text":"y"}"#, TurnProblem::Twice("text")),
        (r#"{"speaker":"a","text":"x","content":"y"}"#, TurnProblem::TwoTexts),
        (r#"{"speaker":"agent","role":"user","text":"x"}"#, TurnProblem::TwoSpeakers),
        (r#"{"role":"user","content":[{"type":"hologram"}]}"#, TurnProblem::UnknownPart { part: 0 }),
        (r#"{"role":"user","content":[["x"]]}"#, TurnProblem::UnknownPart { part: 0 }),
        (r#"{"speaker":"a","text":"x","is_final":"no"}"#, TurnProblem::Type("is_final")),
    ] {
        let text = format!(r#"[{{"speaker":"a","text":"fine"}}, {entry}]"#);
        let error = read(&text).unwrap_err();
        assert_eq!(error, TranscriptError::Turn { index: 1, offset: 32, problem }, "{entry}");
    }
}

#[test]
fn lines() {
    let text = "Agent: Thank you for calling.\r\n\r\n[00:01:02] Caller: My member ID is: W123\nand 10:30 is fine\nhttps://example.org\n 00:01:09 - Dr. Rivera: Yes\nSPEAKER_00 (01:10):\nspeaker 2: ok\ncall center agent: bye";
    assert_eq!(
        said(text),
        pairs(&[
            ("Agent", "Thank you for calling."),
            ("Caller", "My member ID is: W123\nand 10:30 is fine\nhttps://example.org"),
            ("Dr. Rivera", "Yes"),
            ("SPEAKER_00", ""),
            ("speaker 2", "ok"),
            ("call center agent", "bye"),
        ])
    );
    assert_eq!(said("Agent: Hello\nmy member id is: four"), pairs(&[("Agent", "Hello\nmy member id is: four")]));
    assert_eq!(said("[00:00:01 --> 00:00:04] Agent: Hello"), pairs(&[("Agent", "Hello")]));
}

/// tests/cli/transcripts.trycmd holds the messages for these and others.
#[test]
fn what_is_no_text_is_told_apart() {
    let read = |bytes: &[u8], extension| Transcript::read(bytes, extension).unwrap_err();
    assert_eq!(read(b"Agent: a\xff", Extension::Other), TranscriptError::NotUtf8 { offset: 8 });
    assert_eq!(read(b"\xff\xfeA\0", Extension::Other), TranscriptError::Utf16);
    assert!(matches!(read(b"Agent: hi", Extension::Json), TranscriptError::Json { offset: 0, .. }));
    assert!(matches!(read(b"7", Extension::Json), TranscriptError::NotTurns { .. }));
}

#[test]
fn errors_hold_no_text_of_the_call() {
    for text in [
        "[{\"speaker\":\"agent\",\"text\":SECRET",
        "SECRET is what was said",
        "[\"SECRET\"]",
        "[{\"SECRET\":1}]",
        "WEBVTT\n\nSECRET",
        "{\"segments\":[{\"SECRET\":1}]}",
        "{\"SECRET\":1}",
    ] {
        assert!(!read(text).unwrap_err().to_string().contains("SECRET"), "{text}");
    }
}

#[test]
fn depth_is_no_danger() {
    for open in ["[", "{\"a\":", "[{\"text\":", "{\"turns\":[", "[{\"content\":[{\"a\":"] {
        assert!(read(&open.repeat(200_000)).is_err());
    }
    let closed = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&closed).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(500)))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), json in any::<bool>()) {
        let extension = if json { Extension::Json } else { Extension::Other };
        let _ = Transcript::read(&bytes, extension);
    }

    #[test]
    fn any_marks(pieces in prop::collection::vec(0usize..16, 0..20)) {
        let marks = ["[", "]", "(", ")", "<", ">", "{", "}", "*", "é", "name", "unclear", "<think>", "</think>", "\u{2588}", " "];
        let text: String = pieces.iter().map(|piece| marks[*piece]).collect();
        let list = candor_json::json!([{"speaker": "a", "text": text, "words": [{"word": "name"}]}]).to_string();
        for turn in read(&list).unwrap().turns {
            prop_assert!(!text.contains('\u{2588}') || text.contains("think") || turn.has_gap(), "{text}");
            prop_assert!(turn.words.iter().all(|word| turn.text.get(word.span.clone()).is_some()));
        }
    }

    #[test]
    fn any_members_of_vendors(pieces in prop::collection::vec((0usize..30, 0usize..8), 0..12), list in any::<bool>()) {
        let keys = ["results", "channels", "alternatives", "words", "word", "start", "end", "speaker", "items", "segments", "text",
            "transcript", "utterances", "sentences", "confidence", "content", "type", "audio_url", "channel_labels", "speaker_labels",
            "start_time", "recognizedPhrases", "nBest", "display", "Transcript", "Content", "transcriptions", "punctuated_word",
            "transcripts", "artifact"];
        let mut value = candor_json::json!("x");
        for (key, kind) in pieces {
            let member = keys[key];
            value = match kind {
                0 => candor_json::json!({member: [value]}),
                1 => candor_json::json!({member: value, "text": "a b", "words": [{"word": "b", "start": -1}]}),
                2 => candor_json::json!({member: [value], "items": [{"alternatives": [{"content": "x"}], "start_time": "1e9"}]}),
                3 => candor_json::json!([value]),
                4 => candor_json::json!({member: [value, null, 1e300, {"word": "a"}]}),
                _ => candor_json::json!({member: value}),
            };
        }
        let text = if list { candor_json::json!([value]) } else { value }.to_string();
        if let Ok(call) = read(&text) {
            for turn in call.turns {
                prop_assert!(text.get(turn.span.clone()).is_some_and(|span| !span.is_empty()));
                prop_assert!(turn.words.iter().all(|word| turn.text.get(word.span.clone()).is_some()));
            }
        }
    }

    #[test]
    fn any_captions(head in 0usize..4, lines in prop::collection::vec(0usize..14, 0..20)) {
        let heads = ["WEBVTT\n\n", "1\n00:00:01,000 --> 00:00:02,000\n", "0:00:01.000,0:00:02.000\n", "File type = \"ooTextFile\"\n"];
        let pieces = ["\n", "hello\n", "00:01.000 --> 00:02.000\n", "<v Agent>hi</v>\n", "NOTE x\n", "&amp;<\n", "{\\an8}\n", "Agent: x\n",
            "text = \"a\"\"b\" \n", "name = \"D\" \n", "xmin = 1 \n", "text = \"\n", "<v\n", "é\n"];
        let body: String = lines.iter().map(|line| pieces[*line]).collect();
        let text = format!("{}{body}", heads[head]);
        if let Ok(call) = read(&text) {
            for turn in call.turns {
                prop_assert!(text.get(turn.span.clone()).is_some_and(|span| !span.is_empty()), "{text:?}");
            }
        }
    }

    #[test]
    fn cut_anywhere_is_never_a_shorter_call(cut in 0usize..90) {
        let text = r#"[{"speaker":"agent","text":"Hello","end":1.5},{"speaker":"caller","text":"Hi","start":2}]"#;
        let cut = cut.min(text.len() - 1);
        prop_assert!(read(&text[..cut]).is_err());
    }

    #[test]
    fn spans_hold_the_text(labels in prop::collection::vec("[A-Z][a-z]{0,8}", 1..6), texts in prop::collection::vec("[a-z é]{0,20}", 6)) {
        let lines: Vec<String> = labels.iter().zip(&texts).map(|(label, text)| format!("{label}: {text}")).collect();
        let text = lines.join("\n");
        let turns = read(&text).unwrap().turns;
        prop_assert_eq!(turns.len(), labels.len());
        for (turn, said) in turns.iter().zip(&texts) {
            prop_assert!(text[turn.span.clone()].ends_with(said.trim()));
            prop_assert_eq!(turn.text.as_str(), said.trim());
        }
    }
}
