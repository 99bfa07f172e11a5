//! The sentences of a file: of comments and messages in Rust, and of pages in Markdown.

use crate::source::{Source, TokenKind};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) first: bool,
}

type Line<'a> = (usize, &'a str);

/// A message has this many words at least.
const MESSAGE: usize = 5;

/// The sentences of comments, and those of string literals outside tests if `messages` is true.
pub(crate) fn of_rust(text: &str, messages: bool) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut block: Vec<Line<'_>> = Vec::new();
    let mut block_is_doc = false;
    let source = Source::of(text);
    for token in &source.tokens {
        let doc = ["///", "//!", "/**", "/*!"].iter().any(|mark| token.text.starts_with(mark));
        let next = block.last().map(|(line, _)| line + 1);
        if token.kind != TokenKind::Comment || doc != block_is_doc || next != Some(token.line) {
            sentences.extend(of_lines(&std::mem::take(&mut block), block_is_doc));
            block_is_doc = doc;
        }
        if token.kind == TokenKind::Comment {
            let text = token.text.trim_end_matches("*/");
            let content = |line| str::trim_start(line).trim_start_matches(['/', '!', '*']);
            block.extend(numbered(text, token.line).map(|(at, line)| (at, content(line))));
        } else if token.kind == TokenKind::Text && messages && !token.test {
            let message = token.text.split_once('"').map_or("", |(_, message)| message).trim_end_matches(['"', '#']);
            let message = message.replace("\\\n", "\n").replace("\\n", "\r").replace("\\\"", "'");
            if message.split_whitespace().count() >= MESSAGE {
                let lines: Vec<Line<'_>> = numbered(&message, token.line).collect();
                sentences.extend(of_lines(&lines, false));
            }
        }
    }
    sentences.extend(of_lines(&block, block_is_doc));
    sentences
}

fn numbered(text: &str, line: usize) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().map(move |(at, text)| (line + at, text))
}

pub(crate) fn of_markdown(text: &str) -> Vec<Sentence> {
    of_lines(&numbered(text, 1).collect::<Vec<_>>(), false)
}

/// The sentences of paragraphs, items of lists, headings and cells. Blocks of code are left out.
fn of_lines(lines: &[Line<'_>], doc: bool) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut paragraph: Vec<Line<'_>> = Vec::new();
    let mut fenced = false;
    for (line, text) in lines {
        let text = text.trim();
        let fence = text.starts_with("```");
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = ["- ", "* ", "#", "|", ">"].iter().any(|mark| text.starts_with(mark))
            || (number.len() < text.len() && number.starts_with(". "));
        if fence || fenced || item || text.is_empty() {
            cut(&std::mem::take(&mut paragraph), doc, &mut sentences);
        }
        fenced ^= fence;
        if !fence && !fenced && !text.is_empty() {
            paragraph.push((*line, text));
        }
        if text.starts_with('#') {
            cut(&std::mem::take(&mut paragraph), doc, &mut sentences);
        }
    }
    cut(&paragraph, doc, &mut sentences);
    sentences
}

/// Cuts a paragraph into its sentences. A mark in code font ends none.
fn cut(paragraph: &[Line<'_>], doc: bool, sentences: &mut Vec<Sentence>) {
    let mut first = doc;
    let mut sentence: Option<Sentence> = None;
    let mut code = false;
    for (line, text) in paragraph {
        for word in text.split_whitespace() {
            let current = sentence.get_or_insert_with(|| Sentence { line: *line, text: String::new(), first });
            if !current.text.is_empty() {
                current.text.push(' ');
            }
            current.text.push_str(word);
            code ^= word.matches('`').count() % 2 == 1;
            let ends = word == "|" || word.trim_end_matches(['"', '\'', ')', '*', '_']).ends_with(['.', '!', '?']);
            if ends && !code && (word == "|" || current.text.contains(char::is_alphabetic)) {
                first = false;
                sentences.extend(sentence.take());
            }
        }
    }
    sentences.extend(sentence);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(sentences: Vec<Sentence>) -> Vec<(usize, String, bool)> {
        sentences.into_iter().map(|sentence| (sentence.line, sentence.text, sentence.first)).collect()
    }

    #[test]
    fn comments_and_messages_of_rust_have_sentences() {
        let text = "//! A `b. c` d\n//! e. F.\n//!\n//! - G\n// H\n\nfn i() {} // I\n/// J\n/// ```\n/// K\n/// ```\n\
                    /* L\n * M */\nlet n = \"one two three\n    \\n four {five}. Six\";\n\
                    #[cfg(test)]\nfn o() { \"one two three four five\" }\n";
        let mut expected = vec![
            (1, "A `b. c` d e.", true),
            (2, "F.", false),
            (4, "- G", true),
            (5, "H", false),
            (7, "I", false),
            (8, "J", true),
            (12, "L M", false),
        ];
        let owned = |all: &[(usize, &str, bool)]| {
            all.iter().map(|(line, text, first)| (*line, (*text).to_owned(), *first)).collect::<Vec<_>>()
        };
        assert_eq!(seen(of_rust(text, false)), owned(&expected));
        expected.extend([(14, "one two three four {five}.", false), (15, "Six", false)]);
        assert_eq!(seen(of_rust(text, true)), owned(&expected));
    }

    #[test]
    fn pages_have_sentences_in_paragraphs_items_and_cells() {
        let text = "# A\nB\nc. D!\n1. E\n```\nF\n```\n| G | H. I |\n";
        let lines: Vec<(usize, String)> = of_markdown(text).into_iter().map(|s| (s.line, s.text)).collect();
        let expected = [(1, "# A"), (2, "B c."), (3, "D!"), (4, "1. E"), (8, "|"), (8, "G |"), (8, "H."), (8, "I |")];
        assert_eq!(lines, expected.map(|(line, text)| (line, text.to_owned())));
    }
}
