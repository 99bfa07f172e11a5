//! The words of a filter.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Word(String),
}

#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

type Wrong = (usize, &'static str);

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Where the next part begins.
    pub(super) fn place(&self) -> usize {
        let mut ahead = *self;
        ahead.skip_space();
        ahead.at
    }

    pub(super) fn is_next(&self, wanted: char) -> bool {
        self.rest().starts_with(wanted)
    }

    /// True if the next character other than white space is this one.
    pub(super) fn is_before(&self, wanted: char) -> bool {
        self.rest().trim_start().starts_with(wanted)
    }

    /// The next part and where it begins; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token)>, Wrong> {
        self.skip_space();
        let (at, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let single = match first {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '[' => Some(Token::OpenBracket),
            ']' => Some(Token::CloseBracket),
            _ => None,
        };
        if let Some(token) = single {
            self.at += 1;
            return Ok(Some((at, token)));
        }
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        if word.is_empty() {
            return Err((at, "there is a character that no name has"));
        }
        self.at += end;
        Ok(Some((at, Token::Word(word.to_owned()))))
    }

    /// The next value: a JSON string, or all up to white space, `)` or `]`.
    pub(super) fn value(&mut self) -> Result<Option<String>, Wrong> {
        self.skip_space();
        let (at, rest) = (self.at, self.rest());
        if rest.starts_with('"') {
            let mut strings = candor_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(text)) = strings.next() else { return Err((at, "this is not a valid JSON string")) };
            self.at += strings.byte_offset();
            return Ok(Some(text));
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | ']')).unwrap_or(rest.len());
        self.at += end;
        Ok(rest.get(..end).filter(|value| !value.is_empty()).map(str::to_owned))
    }
}
