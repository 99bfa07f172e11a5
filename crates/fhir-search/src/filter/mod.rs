//! `_filter`: a condition as an expression. Source: FHIR R4, Search, `_filter` Parameter (search_filter.html).
//!
//! `and` and `or` are taken from left to right, neither before the other, as the standard has it; parentheses group.

mod lexer;

use std::borrow::Cow;

use lexer::{Lexer, Token};

use crate::compile::{self, Reached, Scope, compiled, supported};
use crate::date::Range;
use crate::number::Comparison;
use crate::quantity::Quantity;
use crate::reference::Target;
use crate::rule::{Leaf, Rule};
use crate::string::{How, Text};
use crate::table::{Kind, Parameter};
use crate::test::{Test, Tokens};
use crate::token;
use crate::uri::{self, Uri};
use crate::{SearchError, codes, types};

/// The deepest nesting of parentheses, brackets and chains.
const DEEPEST: usize = 32;

const OPERATORS: &[&str] =
    &["ap", "co", "eb", "eq", "ew", "ge", "gt", "in", "le", "lt", "ne", "ni", "po", "pr", "re", "sa", "sb", "ss", "sw"];

/// Compiles a filter on resources of a type.
///
/// # Errors
/// A text that is not a filter, with the place; a parameter, operator or value that is unknown or not supported.
pub(crate) fn compile(resource_type: &str, text: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
    let mut parser = Parser { lexer: Lexer::new(text), text };
    let rule = parser.filter(resource_type, scope)?;
    match parser.lexer.next() {
        Ok(None) => Ok(rule),
        Ok(Some((at, _))) | Err((at, _)) => Err(parser.wrong(at, "`and`, `or` or the end is expected here")),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
}

impl Parser<'_> {
    fn wrong(&self, at: usize, problem: &str) -> SearchError {
        SearchError::value(
            "_filter",
            self.text,
            format!("{problem} (at character {})", self.text.get(..at).map_or(0, |before| before.chars().count()) + 1),
        )
    }

    fn token(&mut self) -> Result<Option<(usize, Token)>, SearchError> {
        self.lexer.next().map_err(|(at, problem)| self.wrong(at, problem))
    }

    /// `one (("and" / "or") one)*`
    fn filter(&mut self, resource_type: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
        let mut all = self.one(resource_type, scope)?;
        // Each turn from `and` to `or` or back is one level deeper.
        let mut level = scope;
        loop {
            let before = self.lexer;
            if level.depth > DEEPEST {
                return Err(
                    self.wrong(self.lexer.place(), "`and` and `or` take turns too often; group them with parentheses")
                );
            }
            match self.token()? {
                Some((_, Token::Word(word))) if word == "and" => {
                    let next = self.one(resource_type, scope)?;
                    all = match all {
                        Rule::All(mut rules) => {
                            rules.push(next);
                            Rule::All(rules)
                        }
                        rule => {
                            level = level.deeper();
                            Rule::All(vec![rule, next])
                        }
                    };
                }
                Some((_, Token::Word(word))) if word == "or" => {
                    let next = self.one(resource_type, scope)?;
                    all = match all {
                        Rule::Any(mut rules) => {
                            rules.push(next);
                            Rule::Any(rules)
                        }
                        rule => {
                            level = level.deeper();
                            Rule::Any(vec![rule, next])
                        }
                    };
                }
                _ => {
                    self.lexer = before;
                    return Ok(all);
                }
            }
        }
    }

    /// `["not"] "(" filter ")"`, or `path operator value`.
    fn one(&mut self, resource_type: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
        let place = self.lexer.place();
        if scope.depth > DEEPEST {
            return Err(self.wrong(place, "it is nested too deeply"));
        }
        match self.token()? {
            Some((_, Token::Open)) => self.group(resource_type, scope),
            Some((_, Token::Word(word))) if word == "not" && self.lexer.is_before('(') => {
                let _ = self.token()?;
                Ok(Rule::Not(Box::new(self.group(resource_type, scope)?)))
            }
            Some((at, Token::Word(name))) => self.path(resource_type, &name, at, scope),
            _ => Err(self.wrong(place, "the name of a search parameter is expected here")),
        }
    }

    fn group(&mut self, resource_type: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
        let rule = self.filter(resource_type, scope.deeper())?;
        // What is in parentheses stays together.
        let rule = match rule {
            Rule::All(_) | Rule::Any(_) => Rule::All(vec![rule]),
            rule => rule,
        };
        let place = self.lexer.place();
        match self.token()? {
            Some((_, Token::Close)) => Ok(rule),
            _ => Err(self.wrong(place, "a `)` is expected here")),
        }
    }

    /// `name operator value`, `name.path …` or `name[filter].path …`; the name has been read.
    fn path(&mut self, resource_type: &str, name: &str, at: usize, scope: Scope<'_>) -> Result<Rule, SearchError> {
        if scope.depth > DEEPEST {
            return Err(self.wrong(at, "it is nested too deeply"));
        }
        if let Some((head, rest)) = name.split_once('.') {
            let rest_at = at + head.len() + 1;
            return self.chain(resource_type, head, scope, |parser, target, scope| {
                parser.path(target, rest, rest_at, scope.deeper())
            });
        }
        if self.lexer.is_next('[') {
            let _ = self.token()?;
            return self.chain(resource_type, name, scope, |parser, target, scope| {
                let condition = parser.filter(target, scope.deeper())?;
                let place = parser.lexer.place();
                let Some((_, Token::CloseBracket)) = parser.token()? else {
                    return Err(parser.wrong(place, "a `]` is expected here"));
                };
                let place = parser.lexer.place();
                let Some((rest_at, Token::Word(rest))) = parser.token()? else {
                    return Err(parser.wrong(place, "a `.` and a name are expected here"));
                };
                let Some(rest) = rest.strip_prefix('.') else {
                    return Err(parser.wrong(place, "a `.` and a name are expected here"));
                };
                let then = parser.path(target, rest, rest_at + 1, scope.deeper())?;
                Ok(Rule::All(vec![condition, then]))
            });
        }
        let place = self.lexer.place();
        let operator = match self.token()? {
            Some((_, Token::Word(word))) if OPERATORS.contains(&word.as_str()) => word,
            _ => {
                return Err(
                    self.wrong(place, &format!("one of the operators {} is expected here", OPERATORS.join(" ")))
                );
            }
        };
        let place = self.lexer.place();
        let value = match self.lexer.value().map_err(|(at, problem)| self.wrong(at, problem))? {
            Some(value) => value,
            None => return Err(self.wrong(place, "a value is expected here")),
        };
        let parameter = supported(resource_type, name)?;
        let path = compiled(&parameter)?;
        let test = test(&parameter, &operator, &value).map_err(|problem| match problem {
            Problem::Value(problem) => self.wrong(place, &problem),
            Problem::Operator(why) => SearchError::unsupported(&format!("{name} {operator}"), why),
        })?;
        if let Test::Composite(_) = &test {
            return compile::rule(resource_type, name, &value, scope);
        }
        if !scope.any_code {
            codes::check(resource_type, &parameter, &test)?;
        }
        Ok(Rule::Leaf(Leaf { path, test }))
    }

    /// The rest of a path, for each type that a reference can be to.
    fn chain(
        &mut self,
        resource_type: &str,
        code: &str,
        scope: Scope<'_>,
        rest: impl Fn(&mut Self, &str, Scope<'_>) -> Result<Rule, SearchError>,
    ) -> Result<Rule, SearchError> {
        let (parameter, path) = compile::reference(resource_type, code)?;
        let types: Vec<&str> =
            if compile::is_to_any(&parameter) { types::resources().collect() } else { parameter.targets.clone() };
        let (before, mut after) = (self.lexer, None);
        let mut reached = Reached::default();
        for name in types {
            scope.branch(code)?;
            let mut read = |scope| {
                self.lexer = before;
                let rule = rest(self, name, scope)?;
                after = Some(self.lexer);
                Ok(rule)
            };
            let result = read(scope);
            reached.add(name, result, || read(scope.with_any_code()))?;
        }
        let chain = reached.chain(path)?;
        match after {
            Some(after) => {
                self.lexer = after;
                Ok(chain)
            }
            None => Err(SearchError::unsupported(code, "it leads nowhere")),
        }
    }
}

enum Problem {
    Value(Cow<'static, str>),
    Operator(&'static str),
}

impl From<Cow<'static, str>> for Problem {
    fn from(problem: Cow<'static, str>) -> Self {
        Self::Value(problem)
    }
}

fn test(parameter: &Parameter, operator: &str, value: &str) -> Result<Test, Problem> {
    if operator == "pr" {
        return match value {
            "true" => Ok(Test::Missing(false)),
            "false" => Ok(Test::Missing(true)),
            _ => Err(Problem::Value("`pr` takes `true` or `false`".into())),
        };
    }
    if matches!(operator, "ss" | "sb" | "in" | "ni") {
        return Err(Problem::Operator("it needs a terminology server, and there is no such server here"));
    }
    let tokens = || {
        let any = vec![token::Token::parse(value, &parameter.types)?];
        Ok::<_, Problem>(Test::Tokens(Tokens { any, without_system: token::without_system(&parameter.types) }))
    };
    let text = |how| Ok::<_, Problem>(Test::Strings(vec![Text::of(value, how)?]));
    let reference = || Ok::<_, Problem>(Test::References(vec![Target::parse(value, None, parameter)?]));
    let uri = || Ok::<_, Problem>(Test::Uris(vec![Uri::parse(value, uri::How::Is)?]));
    let unequal = |test: Test| Test::Unequal(Box::new(test));
    Ok(match (parameter.kind, operator) {
        (Kind::String, "eq") => text(How::Is)?,
        (Kind::String, "ne") => unequal(text(How::Is)?),
        (Kind::String, "co") => text(How::Contains)?,
        (Kind::String, "sw") => text(How::Starts)?,
        (Kind::String, "ew") => text(How::Ends)?,
        (Kind::Token, "eq") => tokens()?,
        (Kind::Token, "ne") => unequal(tokens()?),
        (Kind::Reference, "eq" | "re") => reference()?,
        (Kind::Reference, "ne") => unequal(reference()?),
        (Kind::Uri, "eq") => uri()?,
        (Kind::Uri, "ne") => unequal(uri()?),
        (Kind::Date, "ne") => unequal(Test::Dates(vec![Range::of("eq", value)?])),
        (Kind::Date, "eq" | "gt" | "lt" | "ge" | "le" | "sa" | "eb" | "ap" | "po") => {
            Test::Dates(vec![Range::of(operator, value)?])
        }
        (Kind::Number, "eq" | "ne" | "gt" | "lt" | "ge" | "le" | "sa" | "eb" | "ap") => {
            Test::Numbers(vec![Comparison::parse(&prefixed(operator, value)?)?])
        }
        (Kind::Quantity, "eq" | "ne" | "gt" | "lt" | "ge" | "le" | "sa" | "eb" | "ap") => {
            Test::Quantities(vec![Quantity::parse(&prefixed(operator, value)?)?])
        }
        (Kind::Composite, "eq") => Test::Composite(Vec::new()),
        _ => return Err(Problem::Operator("parameters of this kind have no such operator")),
    })
}

fn prefixed(operator: &str, number: &str) -> Result<String, Problem> {
    if number.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(Problem::Value("it is not a number".into()));
    }
    Ok(format!("{operator}{number}"))
}
