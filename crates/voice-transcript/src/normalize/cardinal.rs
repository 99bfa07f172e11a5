//! Spoken cardinals and ordinals: `one hundred and five` to `105`, `twenty third` to `23rd`.
//!
//! A number is read greedily by the grammar below and stops where the next word cannot belong to
//! it: `one twenty three` is `1` and `23`, `twenty twenty six` is `20` and `26`. Numbers that follow
//! one another are one run of characters later, so both come out as they were meant.
//!
//! ```text
//! number = group (scale [and] group)*      scales fall: million, thousand
//! group  = small | [small] hundred [[and] small]
//! small  = tens [digit] | teen | digit
//! ```

use super::canonical::{put, rewrite};
use super::numeral::ordinal_suffix;
use super::token::{Kind, Token, Tokens};
use crate::marks::Marks;
use crate::tables::{NUMBERS, NumberClass, NumberWord};

/// Makes ordinals of digits with `st`, `nd`, `rd` or `th` right behind them, whichever of these it is.
pub(super) fn written_ordinals(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let Some(digits) = tokens.list.get(at).copied().filter(|digits| digits.kind == Kind::Number) else { return 0 };
        let Some(suffix) = tokens.list.get(at + 1).copied().filter(|suffix| suffix.glued) else { return 0 };
        let ends = !tokens.list.get(at + 2).is_some_and(|next| next.glued);
        if !ends || !matches!(tokens.text(&suffix), "st" | "nd" | "rd" | "th") {
            return 0;
        }
        let text = format!("{0}{1}", tokens.text(&digits), ordinal_suffix(tokens.text(&digits)));
        let (text, span) = (tokens.put(&text), (digits.span.0, suffix.span.1));
        list.push(Token { text, span, kind: Kind::Ordinal, ..digits });
        2
    });
}

pub(super) fn cardinals(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let Some(first) = tokens.list.get(at) else { return 0 };
        let begins = first.kind == Kind::Number || first.text.marks.any(Marks::NUMBER) || tokens.text(first) == "a";
        let Some(number) = begins.then(|| (Reader { tokens }).number(at)).flatten() else { return 0 };
        let mut text = number.value.to_string();
        let mut kind = Kind::Number;
        if number.ordinal {
            text.push_str(ordinal_suffix(&text));
            kind = Kind::Ordinal;
        }
        put(tokens, at, number.next - at, &[(&text, kind)], list)
    });
}

#[derive(Clone, Copy)]
struct Number {
    value: u64,
    ordinal: bool,
    next: usize,
}

struct Reader<'a> {
    tokens: &'a Tokens,
}

impl Reader<'_> {
    fn class(&self, at: usize) -> Option<NumberWord> {
        let token = self.tokens.list.get(at)?;
        if token.kind != Kind::Word || !token.text.marks.any(Marks::NUMBER) || self.tokens.is_glued(at) {
            return None;
        }
        NUMBERS.get(self.tokens.text(token)).copied()
    }

    /// The number word at `at`, when it goes on in the sentence before it.
    fn next_class(&self, at: usize) -> Option<NumberWord> {
        if self.tokens.goes_on(at) { self.class(at) } else { None }
    }

    fn is_next(&self, at: usize, class: NumberClass) -> bool {
        self.next_class(at).is_some_and(|word| word.class == class)
    }

    fn number(&self, start: usize) -> Option<Number> {
        let article = self.tokens.text_at(start) == "a"
            && !self.tokens.is_glued(start)
            && (self.is_next(start + 1, NumberClass::Hundred) || self.is_next(start + 1, NumberClass::Scale));
        let start = if article { start + 1 } else { start };
        if let Some(NumberWord { class: NumberClass::Digit, value: 0, .. }) = self.class(start) {
            return Some(Number { value: 0, ordinal: false, next: start + 1 });
        }
        let mut total = 0_u64;
        let mut limit = u64::MAX;
        let mut end = None;
        let mut at = start;
        while let Some((group, scale)) = self.scaled_group(at, end.is_none()) {
            let (worth, next, ordinal) = match scale {
                Some(scale) => (group.value.saturating_mul(scale.value), group.next + 1, scale.ordinal),
                None => (group.value, group.next, group.ordinal),
            };
            let fits = group.value < limit && scale.is_none_or(|scale| scale.value < limit);
            if !fits {
                break;
            }
            total = total.saturating_add(worth);
            end = Some(Number { value: total, ordinal, next });
            match scale {
                Some(scale) if !scale.ordinal => limit = scale.value,
                _ => break,
            }
            if !self.tokens.goes_on(next) {
                break;
            }
            let and = self.tokens.text_at(next) == "and" && self.tokens.goes_on(next + 1);
            at = if and { next + 1 } else { next };
        }
        end
    }

    /// A group and the scale word behind it. `first` allows a scale word without a group: `thousand`.
    fn scaled_group(&self, at: usize, first: bool) -> Option<(Number, Option<NumberWord>)> {
        let scale_at = |at: usize| self.next_class(at).filter(|word| word.class == NumberClass::Scale);
        if let Some(group) = self.group(at, first) {
            let scale = if group.ordinal { None } else { scale_at(group.next) };
            return Some((group, scale));
        }
        if let Some(written) = self.written(at)
            && let Some(scale) = scale_at(written.next)
        {
            return Some((written, Some(scale)));
        }
        let scale = self.class(at).filter(|word| first && word.class == NumberClass::Scale)?;
        Some((Number { value: 1, ordinal: false, next: at }, Some(scale)))
    }

    fn group(&self, at: usize, first: bool) -> Option<Number> {
        let bare = self.class(at).filter(|word| first && word.class == NumberClass::Hundred);
        let (count, hundred_at) = match (bare, self.small(at), self.written(at)) {
            (Some(_), _, _) => (1, at),
            (None, Some(small), _) => {
                if small.ordinal || !self.is_next(small.next, NumberClass::Hundred) {
                    return Some(small);
                }
                (small.value, small.next)
            }
            (None, None, Some(written)) if self.is_next(written.next, NumberClass::Hundred) => {
                (written.value, written.next)
            }
            _ => return None,
        };
        let hundreds = Number {
            value: count.saturating_mul(100),
            ordinal: self.class(hundred_at).is_some_and(|word| word.ordinal),
            next: hundred_at + 1,
        };
        if hundreds.ordinal || !self.tokens.goes_on(hundreds.next) {
            return Some(hundreds);
        }
        let and = self.tokens.text_at(hundreds.next) == "and" && self.tokens.goes_on(hundreds.next + 1);
        // "nine hundred, five five five" is read out in groups, and so is a toll-free "eight hundred five five five"
        let digits = (hundreds.next..hundreds.next + 3).all(|at| self.is_next(at, NumberClass::Digit));
        let paused = |next: &Token| next.pause != super::token::Pause::None;
        let parted = !and && self.tokens.list.get(hundreds.next).is_some_and(paused);
        if (hundreds.value == 800 && digits) || parted {
            return Some(hundreds);
        }
        let rest = self.small(if and { hundreds.next + 1 } else { hundreds.next });
        match rest {
            // "between one hundred and five hundred" holds two numbers
            Some(rest) if !self.is_next(rest.next, NumberClass::Hundred) => {
                Some(Number { value: hundreds.value.saturating_add(rest.value), ..rest })
            }
            _ => Some(hundreds),
        }
    }

    fn small(&self, at: usize) -> Option<Number> {
        let word = self.class(at)?;
        let one = Number { value: word.value, ordinal: word.ordinal, next: at + 1 };
        match word.class {
            NumberClass::Digit if word.value == 0 => None,
            NumberClass::Digit | NumberClass::Teen => Some(one),
            NumberClass::Tens if word.ordinal => Some(one),
            NumberClass::Tens => match self.next_class(at + 1) {
                Some(unit) if unit.class == NumberClass::Digit && unit.value > 0 => {
                    Some(Number { value: word.value.saturating_add(unit.value), ordinal: unit.ordinal, next: at + 2 })
                }
                _ => Some(one),
            },
            NumberClass::Hundred | NumberClass::Scale => None,
        }
    }

    /// A written number that may count hundreds or thousands: `5 hundred`.
    fn written(&self, at: usize) -> Option<Number> {
        let token = self.tokens.list.get(at)?;
        let text = self.tokens.text(token);
        let plain =
            token.kind == Kind::Number && !self.tokens.is_glued(at) && text.len() <= 3 && !text.starts_with('0');
        let value = if plain { text.parse().ok()? } else { return None };
        Some(Number { value, ordinal: false, next: at + 1 })
    }
}
