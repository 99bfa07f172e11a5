//! Expressions to tokens.

use crate::error::ParseError;

/// A token, with the byte it begins at.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub at: usize,
    pub kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name; keywords are names.
    Name(String),
    /// A name between backticks, which is never a keyword.
    Delimited(String),
    Text(String),
    /// Digits, with a point and digits behind it or without.
    Number(String),
    /// Digits and `L`.
    Long(String),
    /// The text after `@`.
    Temporal(String),
    /// `$this`, `$index`, `$total`, without the sign.
    Special(&'static str),
    /// `%name`, without the sign.
    Variable(String),
    Symbol(&'static str),
    End,
}

impl TokenKind {
    pub(crate) fn described(&self) -> String {
        match self {
            Self::Name(name) | Self::Delimited(name) => format!("found `{name}`"),
            Self::Text(_) => "found a string".to_owned(),
            Self::Number(text) | Self::Long(text) => format!("found {text}"),
            Self::Temporal(text) => format!("found @{text}"),
            Self::Special(name) => format!("found ${name}"),
            Self::Variable(name) => format!("found %{name}"),
            Self::Symbol(symbol) => format!("found `{symbol}`"),
            Self::End => "the expression ends".to_owned(),
        }
    }
}

const SYMBOLS: &[&str] =
    &["<=", ">=", "!=", "!~", "(", ")", "[", "]", "{", "}", ".", ",", "+", "-", "*", "/", "&", "|", "<", ">", "=", "~"];

/// The tokens of an expression, the last of them [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space()?;
        let at = lexer.at;
        let kind = lexer.token()?;
        let ended = kind == TokenKind::End;
        tokens.push(Token { at, kind });
        if ended {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        self.take(rest.find(|c| !holds(c)).unwrap_or(rest.len()))
    }

    fn skip_space(&mut self) -> Result<(), ParseError> {
        loop {
            self.take_while(|c| c.is_ascii_whitespace() || c == '\u{b}');
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n' && c != '\r');
            } else if self.rest().starts_with("/*") {
                let at = self.at;
                self.take(2);
                let Some(length) = self.rest().find("*/") else {
                    return Err(ParseError::new(at, "a comment has no end", "`*/`"));
                };
                self.take(length + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind, ParseError> {
        let Some(first) = self.rest().chars().next() else { return Ok(TokenKind::End) };
        let at = self.at;
        match first {
            '\'' => Ok(TokenKind::Text(self.quoted('\'')?)),
            '`' => Ok(TokenKind::Delimited(self.quoted('`')?)),
            '0'..='9' => Ok(self.number()),
            '@' => {
                self.take(1);
                self.temporal(at)
            }
            '$' => {
                self.take(1);
                let name = self.take_while(is_name);
                ["this", "index", "total"]
                    .into_iter()
                    .find(|known| *known == name)
                    .map(TokenKind::Special)
                    .ok_or_else(|| ParseError::new(at, format!("`${name}` is not known"), "$this, $index or $total"))
            }
            '%' => {
                self.take(1);
                let name = match self.rest().chars().next() {
                    Some(quote @ ('`' | '\'')) => self.quoted(quote)?,
                    _ => self.take_while(is_name).to_owned(),
                };
                if name.is_empty() {
                    return Err(ParseError::new(at, "found `%` alone", "a variable's name behind it, as in %resource"));
                }
                Ok(TokenKind::Variable(name))
            }
            'a'..='z' | 'A'..='Z' | '_' => Ok(TokenKind::Name(self.take_while(is_name).to_owned())),
            other => match SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
                Some(symbol) => {
                    self.take(symbol.len());
                    Ok(TokenKind::Symbol(symbol))
                }
                None => Err(ParseError::new(
                    at,
                    format!("found {}", other.escape_debug()),
                    "a name, a literal or an operator",
                )),
            },
        }
    }

    fn number(&mut self) -> TokenKind {
        let rest = self.rest();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(rest);
        let behind = rest.get(whole..).unwrap_or_default();
        if behind.starts_with('L') {
            let text = self.take(whole).to_owned();
            self.take(1);
            return TokenKind::Long(text);
        }
        let fraction = behind.strip_prefix('.').map_or(0, digits);
        let length = if fraction > 0 { whole + 1 + fraction } else { whole };
        TokenKind::Number(self.take(length).to_owned())
    }

    /// The longest run of the shape of a date, a date-time or a time; whether there is such a day is seen later.
    fn temporal(&mut self, at: usize) -> Result<TokenKind, ParseError> {
        let from = self.at;
        if self.rest().starts_with('T') {
            self.take(1);
            self.time();
        } else {
            self.shape("dddd");
            if self.shape("-dd") {
                self.shape("-dd");
            }
            if self.rest().starts_with('T') {
                self.take(1);
                if self.time() && !self.shape("Z") {
                    let _ = self.shape("+dd:dd") || self.shape("-dd:dd");
                }
            }
        }
        let text = self.text.get(from..self.at).unwrap_or_default();
        if text.is_empty() || text == "T" {
            return Err(ParseError::new(at, "found `@`", "a date or a time behind it, as in @2026-11-20 or @T14:30"));
        }
        Ok(TokenKind::Temporal(text.to_owned()))
    }

    fn time(&mut self) -> bool {
        let hours = self.shape("dd");
        if hours && self.shape(":dd") && self.shape(":dd") && self.shape(".d") {
            self.take_while(|c| c.is_ascii_digit());
        }
        hours
    }

    /// Takes text of that shape, in which `d` means a digit; returns true if there was any.
    fn shape(&mut self, shape: &str) -> bool {
        let rest = self.rest().as_bytes();
        let fits = |(want, got): (u8, &u8)| if want == b'd' { got.is_ascii_digit() } else { want == *got };
        let found = rest.len() >= shape.len() && shape.bytes().zip(rest).all(fits);
        if found {
            self.take(shape.len());
        }
        found
    }

    /// Text between two of `quote`, its escapes resolved.
    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        let at = self.at;
        self.take(1);
        let mut text = String::new();
        loop {
            let Some(next) = self.rest().chars().next() else {
                return Err(ParseError::new(at, "quoted text has no end", format!("{quote} behind it")));
            };
            let here = self.at;
            self.take(next.len_utf8());
            match next {
                '\\' => text.push(self.escaped(here)?),
                end if end == quote => return Ok(text),
                other => text.push(other),
            }
        }
    }

    fn escaped(&mut self, at: usize) -> Result<char, ParseError> {
        let wrong = || {
            let expected = r"one of \' \` \/ \\ \f \n \r \t and \u with four hexadecimal digits";
            ParseError::new(at, "found an escape that does not exist", expected)
        };
        let next = self.rest().chars().next().ok_or_else(wrong)?;
        self.take(next.len_utf8());
        Ok(match next {
            '\'' | '"' | '`' | '/' | '\\' => next,
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.code_unit().ok_or_else(wrong)?;
                match char::from_u32(unit) {
                    Some(character) => character,
                    // The two halves of a character beyond the first plane.
                    None if self.rest().starts_with("\\u") => {
                        self.take(2);
                        let low = self.code_unit().ok_or_else(wrong)?;
                        let both = char::decode_utf16([unit, low].map(|half| u16::try_from(half).unwrap_or_default()));
                        both.into_iter().next().and_then(Result::ok).ok_or_else(wrong)?
                    }
                    None => return Err(wrong()),
                }
            }
            _ => return Err(wrong()),
        })
    }

    fn code_unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.take(4);
        u32::from_str_radix(digits, 16).ok()
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
