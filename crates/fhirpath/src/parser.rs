//! Tokens to an expression, by precedence climbing.

use regex::Regex;

use crate::ast::{Call, Expr, Link, Member, Operation, Operator, Step, TYPE_LEVEL};
use crate::decimal::Decimal;
use crate::error::ParseError;
use crate::functions::{Arguments, FUNCTIONS, Function, Signature};
use crate::item::{Item, System};
use crate::lexer::{Token, TokenKind, tokens};
use crate::pattern;
use crate::quantity::{Quantity, Unit};
use crate::temporal::Temporal;
use crate::types::TypeSpecifier;

/// The longest expression that is read, in bytes.
pub(crate) const LONGEST: usize = 65_536;
/// How deep expressions may nest: parentheses, arguments, indexes, and operands of tighter operators.
const DEEPEST: usize = 120;

pub(crate) fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > LONGEST {
        return Err(ParseError::new(LONGEST, "the expression goes on", format!("at most {LONGEST} bytes")));
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let expression = parser.expression(0)?;
    match parser.peek() {
        TokenKind::End => Ok(expression),
        _ => Err(parser.unexpected("an operator, or the end of the expression")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

const END: TokenKind = TokenKind::End;

impl Parser {
    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.next).map_or(&END, |token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |token| token.at)
    }

    fn advance(&mut self) {
        self.next += 1;
    }

    fn unexpected(&self, expected: impl Into<String>) -> ParseError {
        ParseError::new(self.at(), self.peek().described(), expected)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), TokenKind::Symbol(found) if *found == symbol)
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.unexpected(format!("`{symbol}`"))) }
    }

    fn operator(&self) -> Option<(&str, u8)> {
        let text = match self.peek() {
            TokenKind::Name(name) => name.as_str(),
            TokenKind::Symbol(symbol) => symbol,
            _ => return None,
        };
        let level = if text == "is" || text == "as" { TYPE_LEVEL } else { Operator::of(text)?.1 };
        Some((text, level))
    }

    /// Operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unexpected(format!("an expression that nests no deeper than {DEEPEST} levels")));
        }
        let mut left = self.signed()?;
        let mut left_level = u8::MAX;
        while let Some((text, level)) = self.operator().filter(|(_, level)| *level >= least) {
            let (at, operator, is_test) = (self.at(), Operator::of(text), text == "is");
            self.advance();
            let operation = match operator {
                Some((operator, _)) => Operation::Binary(operator, self.expression(level + 1)?),
                None if is_test => Operation::Is(self.type_specifier()?),
                None => Operation::As(self.type_specifier()?),
            };
            let link = Link { at, operation };
            left = match left {
                Expr::Chain { first, mut rest } if left_level == level => {
                    rest.push(link);
                    Expr::Chain { first, rest }
                }
                other => Expr::Chain { first: Box::new(other), rest: vec![link] },
            };
            left_level = level;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expr, ParseError> {
        let at = self.at();
        let (mut signs, mut negative) = (0, false);
        while self.is_symbol("-") || self.is_symbol("+") {
            negative ^= self.is_symbol("-");
            signs += 1;
            self.advance();
        }
        let term = self.path()?;
        Ok(if signs == 0 { term } else { Expr::Sign { negative, at, operand: Box::new(term) } })
    }

    fn path(&mut self) -> Result<Expr, ParseError> {
        let head = self.term()?;
        let mut steps = Vec::new();
        loop {
            let at = self.at();
            if self.take_symbol(".") {
                steps.push(match self.invocation(true)? {
                    Ok(call) => Step::Call(Box::new(call)),
                    Err(member) => Step::Member(member),
                });
            } else if self.take_symbol("[") {
                let index = self.expression(0)?;
                self.expect_symbol("]")?;
                steps.push(Step::Index { index, at });
            } else if steps.is_empty() {
                return Ok(head);
            } else {
                return Ok(Expr::Path { head: Box::new(head), steps });
            }
        }
    }

    fn term(&mut self) -> Result<Expr, ParseError> {
        let at = self.at();
        let token = self.peek().clone();
        let literal =
            match token {
                TokenKind::Symbol("(") => {
                    self.advance();
                    let inner = self.expression(0)?;
                    self.expect_symbol(")")?;
                    return Ok(inner);
                }
                TokenKind::Symbol("{") => {
                    self.advance();
                    self.expect_symbol("}")?;
                    return Ok(Expr::Empty);
                }
                TokenKind::Special(name) => {
                    self.advance();
                    return Ok(match name {
                        "this" => Expr::This,
                        "index" => Expr::Index,
                        _ => Expr::Total,
                    });
                }
                TokenKind::Variable(name) => {
                    self.advance();
                    return Ok(Expr::Variable { name, at });
                }
                TokenKind::Name(name) if name == "true" || name == "false" => System::Boolean(name == "true"),
                TokenKind::Name(_) | TokenKind::Delimited(_) => {
                    return Ok(match self.invocation(false)? {
                        Ok(call) => Expr::Call(Box::new(call)),
                        Err(member) => Expr::Member(member),
                    });
                }
                TokenKind::Text(text) => System::String(text.into()),
                TokenKind::Long(text) => System::Long(text.parse().map_err(|_| {
                    ParseError::new(at, format!("found {text}L"), "a whole number of 64 bits before `L`")
                })?),
                TokenKind::Temporal(text) => temporal(&text, at)?,
                TokenKind::Number(text) => {
                    self.advance();
                    return self.number(&text, at);
                }
                TokenKind::Symbol(_) | TokenKind::End => {
                    return Err(self.unexpected("a name, a literal or `(`"));
                }
            };
        self.advance();
        Ok(Expr::Literal(Item::System(literal)))
    }

    /// A number whose token was taken, and the unit that may follow it.
    fn number(&mut self, text: &str, at: usize) -> Result<Expr, ParseError> {
        let unit = match self.peek() {
            TokenKind::Text(unit) => match Unit::written(unit) {
                Some(unit) => Some(unit),
                None => return Err(self.unexpected("a unit of at most 512 bytes")),
            },
            TokenKind::Name(name) => Unit::calendar_word(name),
            _ => None,
        };
        let decimal = || {
            Decimal::parse(text)
                .ok_or_else(|| ParseError::new(at, "found a number of many digits", "at most 1,000 digits"))
        };
        if let Some(unit) = unit {
            self.advance();
            return Ok(Expr::Literal(Item::System(System::Quantity(Quantity { value: decimal()?, unit }))));
        }
        if text.contains('.') {
            return Ok(Expr::Literal(Item::System(System::Decimal(decimal()?))));
        }
        match text.parse() {
            Ok(integer) => Ok(Expr::Literal(Item::System(System::Integer(integer)))),
            Err(_) => Err(ParseError::new(
                at,
                format!("found {text}, which is not a 32-bit integer"),
                format!("a decimal, as {text}.0, or a long, as {text}L"),
            )),
        }
    }

    /// A name that may be followed by arguments: `Ok` is a function's call, `Err` an element's name.
    /// An operator cannot follow a point, so that `text.div` is an element.
    fn invocation(&mut self, behind_point: bool) -> Result<Result<Call, Member>, ParseError> {
        let at = self.at();
        let (name, delimited) = match self.peek() {
            TokenKind::Name(name) => (name.clone(), false),
            TokenKind::Delimited(name) => (name.clone(), true),
            _ => return Err(self.unexpected("the name of an element or of a function")),
        };
        self.advance();
        if !self.take_symbol("(") {
            let is_operator = !delimited
                && !behind_point
                && matches!(name.as_str(), "div" | "mod" | "and" | "or" | "xor" | "implies");
            if is_operator {
                let expected = format!("an operand; an element of that name is written `{name}` between backticks");
                return Err(ParseError::new(at, format!("found the operator {name}"), expected));
            }
            return Ok(Err(Member::new(name, at)));
        }
        let Some(signature) = FUNCTIONS.iter().find(|row| row.name == name) else {
            return Err(unknown_function(&name, at));
        };
        self.call(signature, at).map(Ok)
    }

    fn call(&mut self, signature: &Signature, at: usize) -> Result<Call, ParseError> {
        let mut call = Call {
            function: signature.function,
            at,
            arguments: Vec::new(),
            of: None,
            pattern: None,
            descending: Vec::new(),
        };
        if signature.arguments == Arguments::Type {
            call.of = Some(self.type_specifier()?);
            self.expect_symbol(")")?;
            return Ok(call);
        }
        while !self.is_symbol(")") {
            if !call.arguments.is_empty() {
                self.expect_symbol(",")?;
            }
            let mut argument = self.expression(0)?;
            if signature.arguments == Arguments::Keys {
                call.descending.push(self.direction(&mut argument));
            }
            call.arguments.push(argument);
        }
        let given = call.arguments.len();
        if given < signature.least || given > signature.most {
            return Err(ParseError::new(
                at,
                format!("`{}` has {given} arguments", signature.name),
                match (signature.least, signature.most) {
                    (least, most) if least == most => least.to_string(),
                    (least, most) => format!("{least} to {most}"),
                },
            ));
        }
        self.expect_symbol(")")?;
        call.pattern = compiled(&call)?;
        Ok(call)
    }

    /// True if a sort's key is descending: it has a minus before it, or `desc` after it.
    fn direction(&mut self, argument: &mut Expr) -> bool {
        if let Expr::Sign { negative: true, operand, .. } = argument {
            *argument = std::mem::replace(operand, Expr::Empty);
            return true;
        }
        let descending = matches!(self.peek(), TokenKind::Name(name) if name == "desc");
        if descending || matches!(self.peek(), TokenKind::Name(name) if name == "asc") {
            self.advance();
        }
        descending
    }

    fn type_specifier(&mut self) -> Result<TypeSpecifier, ParseError> {
        let at = self.at();
        let first = self.type_name()?;
        let (namespace, name) = if (first == "System" || first == "FHIR") && self.take_symbol(".") {
            (Some(first), self.type_name()?)
        } else {
            (None, first)
        };
        TypeSpecifier::named(namespace.as_deref(), &name).map_err(|near| {
            let expected = near.map_or("a type of FHIRPath or FHIR".to_owned(), |near| format!("a type, as {near}"));
            ParseError::new(at, format!("`{name}` is not a type"), expected)
        })
    }

    fn type_name(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            TokenKind::Name(name) | TokenKind::Delimited(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected("the name of a type")),
        }
    }
}

fn temporal(text: &str, at: usize) -> Result<System<'static>, ParseError> {
    let read = match text.strip_prefix('T') {
        Some(time) => Temporal::time(time),
        None if text.contains('T') => Temporal::date_time(text),
        None => Temporal::date(text),
    };
    read.map(System::Temporal)
        .ok_or_else(|| ParseError::new(at, format!("found @{text}"), "a date or time that exists"))
}

fn unknown_function(name: &str, at: usize) -> ParseError {
    let scored = FUNCTIONS.iter().map(|row| (strsim::jaro_winkler(name, row.name), row.name));
    let near = scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
    let expected =
        near.map_or("a function of FHIRPath or FHIR".to_owned(), |(_, near)| format!("a function, as {near}"));
    ParseError::new(at, format!("`{name}` is not a function"), expected)
}

/// The regular expression of a call, where it is a literal: what is wrong with it shows when the expression is read.
fn compiled(call: &Call) -> Result<Option<Regex>, ParseError> {
    let (Function::Matches | Function::MatchesFull | Function::ReplaceMatches) = call.function else { return Ok(None) };
    let Some(Expr::Literal(Item::System(System::String(text)))) = call.arguments.first() else { return Ok(None) };
    let flags = match call.arguments.get(if call.function == Function::ReplaceMatches { 2 } else { 1 }) {
        None => "",
        Some(Expr::Literal(Item::System(System::String(flags)))) => flags,
        Some(_) => return Ok(None),
    };
    let whole = call.function == Function::MatchesFull;
    pattern::compile(text, flags, whole)
        .map(Some)
        .map_err(|why| ParseError::new(call.at, why, format!("a regular expression for `{}`", call.function.name())))
}
