//! Whether a regular expression matches every text: decided on its automaton, not by the look of it.

use std::collections::{HashMap, HashSet, VecDeque};

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{self, Cache, DFA};
use regex_automata::nfa::thompson;

/// The automaton of an expression is larger than is looked through, or cannot be made: nothing is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The largest automaton that is made, in bytes.
const MAX_AUTOMATON: usize = 1 << 20;

/// The most pairs of states that are looked through.
const MAX_VISITED: usize = 1 << 14;

/// A text of one line, not empty, in which the expression is not found; nothing where it is found in every one. What is to
/// be matched as a whole comes anchored (`\A(?:…)\z`).
///
/// Texts of one line, because `.*` is meant to match everything and matches no line feed; not empty, because `.+` asserts no
/// more than that there is a text.
///
/// # Errors
/// Where it cannot be told within the limits, which bound time and memory whatever the expression.
///
/// ```
/// use candor_check::review::text_without_match;
/// assert_eq!(text_without_match(r"\A(?:.+|x)\z"), Ok(None));
/// assert!(text_without_match(r"\A(?:.*a)\z").unwrap().is_some());
/// ```
pub fn text_without_match(expression: &str) -> Result<Option<String>, TooLarge> {
    let (automaton, mut cache, start) = automaton(expression, false)?;
    search(&automaton, &mut cache, start)
}

/// The automaton of an expression, with where it begins. With `words`, boundaries of words are known between ASCII
/// characters, and where others come it quits.
fn automaton(expression: &str, words: bool) -> Result<(DFA, Cache, LazyStateID), TooLarge> {
    // What does not fit is not known: an automaton that forgets its states cannot be looked through.
    let config = dfa::Config::new()
        .unicode_word_boundary(words)
        .cache_capacity(MAX_AUTOMATON)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(0))
        .minimum_bytes_per_state(None);
    let nfa = thompson::Config::new().nfa_size_limit(Some(MAX_AUTOMATON));
    let automaton = DFA::builder().configure(config).thompson(nfa).build(expression).map_err(|_| TooLarge)?;
    let mut cache = automaton.create_cache();
    let start = automaton.start_state_forward(&mut cache, &Input::new("")).map_err(|_| TooLarge)?;
    Ok((automaton, cache, start))
}

/// Whether an expression is found in no text at all, empty or not, of whatever lines.
///
/// # Errors
/// Where it cannot be told within the limits.
///
/// ```
/// use candor_check::review::matches_nothing;
/// assert_eq!(matches_nothing(r"[^\s\S]"), Ok(true));
/// assert_eq!(matches_nothing(r"a\z|\Ab"), Ok(false));
/// ```
pub fn matches_nothing(expression: &str) -> Result<bool, TooLarge> {
    let (automaton, mut cache, start) = automaton(expression, true)?;
    let cache = &mut cache;
    let mut reached: HashSet<Pair> = HashSet::from([(start, Utf8::Start)]);
    let mut queue = VecDeque::from([(start, Utf8::Start)]);
    let mut known = true;
    while let Some((state, utf8)) = queue.pop_front() {
        // What it does with such a text it does not say; what it does with others may be enough.
        if state.is_quit() {
            known = false;
            continue;
        }
        if state.is_match() {
            return Ok(false);
        }
        if matches!(utf8, Utf8::Start | Utf8::Boundary)
            && automaton.next_eoi_state(cache, state).map_err(|_| TooLarge)?.is_match()
        {
            return Ok(false);
        }
        if reached.len() > MAX_VISITED {
            return Err(TooLarge);
        }
        for byte in 0..=u8::MAX {
            let Some(then) = utf8.after(byte) else { continue };
            let next = (automaton.next_state(cache, state, byte).map_err(|_| TooLarge)?, then);
            if !next.0.is_dead() && reached.insert(next) {
                queue.push_back(next);
            }
        }
    }
    if known { Ok(true) } else { Err(TooLarge) }
}

/// A state of the automaton, and how far into a character of UTF-8 the text is.
type Pair = (LazyStateID, Utf8);

/// Breadth first over the pairs, so that the text that is found is a shortest one.
fn search(automaton: &DFA, cache: &mut Cache, start: LazyStateID) -> Result<Option<String>, TooLarge> {
    let first = (start, Utf8::Start);
    // By which byte, and from which pair, each was reached; the first by none.
    let mut reached: HashMap<Pair, Option<(Pair, u8)>> = HashMap::from([(first, None)]);
    let mut queue = VecDeque::from([first]);
    while let Some(pair) = queue.pop_front() {
        let (state, utf8) = pair;
        if state.is_quit() {
            return Err(TooLarge);
        }
        // Found already, whatever follows.
        if state.is_match() {
            continue;
        }
        if utf8 == Utf8::Boundary {
            let ended = automaton.next_eoi_state(cache, state).map_err(|_| TooLarge)?;
            if !ended.is_match() {
                return Ok(Some(text_to(pair, &reached)));
            }
        }
        if reached.len() > MAX_VISITED {
            return Err(TooLarge);
        }
        for byte in 0..=u8::MAX {
            let Some(then) = utf8.after(byte).filter(|_| byte != b'\n') else { continue };
            let next = (automaton.next_state(cache, state, byte).map_err(|_| TooLarge)?, then);
            reached.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some((pair, byte))
            });
        }
    }
    Ok(None)
}

fn text_to(pair: Pair, reached: &HashMap<Pair, Option<(Pair, u8)>>) -> String {
    let mut bytes = Vec::new();
    let mut at = pair;
    while let Some(Some((before, byte))) = reached.get(&at) {
        bytes.push(*byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where a text stands in the table of well-formed byte sequences (Unicode 16, table 3-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Utf8 {
    /// Before the first character.
    Start,
    /// After a character.
    Boundary,
    /// So many bytes are missing, any continuation byte next.
    Missing(u8),
    /// After a byte that narrows the next one down.
    E0,
    Ed,
    F0,
    F4,
}

impl Utf8 {
    /// Where it stands after a byte; nothing where no text goes on so.
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start | Self::Boundary, 0x00..=0x7f) | (Self::Missing(1), 0x80..=0xbf) => Some(Self::Boundary),
            (Self::Start | Self::Boundary, 0xc2..=0xdf)
            | (Self::Missing(2), 0x80..=0xbf)
            | (Self::E0, 0xa0..=0xbf)
            | (Self::Ed, 0x80..=0x9f) => Some(Self::Missing(1)),
            (Self::Start | Self::Boundary, 0xe0) => Some(Self::E0),
            (Self::Start | Self::Boundary, 0xed) => Some(Self::Ed),
            (Self::Start | Self::Boundary, 0xe1..=0xef)
            | (Self::Missing(3), 0x80..=0xbf)
            | (Self::F0, 0x90..=0xbf)
            | (Self::F4, 0x80..=0x8f) => Some(Self::Missing(2)),
            (Self::Start | Self::Boundary, 0xf0) => Some(Self::F0),
            (Self::Start | Self::Boundary, 0xf1..=0xf3) => Some(Self::Missing(3)),
            (Self::Start | Self::Boundary, 0xf4) => Some(Self::F4),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    fn whole(expression: &str) -> String {
        format!(r"\A(?:{expression})\z")
    }

    #[test]
    fn what_matches_every_text_is_told_from_its_nearest_neighbour() {
        for (every, neighbour) in [
            (".*", ".*a"),
            (".+", ".{2,}"),
            (r"[\s\S]*", r"\S*"),
            ("(x|).*", "(x|)y*"),
            (r"\d*|\D.*|\d+\D.*", r"\d*|\D.*"),
            ("[^a-z]*(?:[a-z][^a-z]*)*", "[^a-z]*(?:[a-z][^a-y]*)*x"),
            ("(?s).*", "(?s).{0,100}"),
            ("(?:a|[^a])+", "(?:a|[^ab])+"),
            ("(?x) . *", "(?x) . ."),
        ] {
            assert_eq!(text_without_match(&whole(every)), Ok(None), "{every}");
            let text = text_without_match(&whole(neighbour)).unwrap().expect(neighbour);
            assert!(!Regex::new(&whole(neighbour)).unwrap().is_match(&text), "{neighbour} matches {text:?}");
        }
        // Searched for, what matches the empty text stands everywhere, unless it says where.
        for (every, neighbour) in [("a*", "a+"), ("^", "^$"), ("", "x"), (".", r"\w"), ("(yes)?", "yes"), ("$", "a$")] {
            assert_eq!(text_without_match(every), Ok(None), "{every}");
            assert!(text_without_match(neighbour).unwrap().is_some(), "{neighbour}");
        }
    }

    #[test]
    fn what_is_found_nowhere_is_told_from_its_nearest_neighbour() {
        for (nowhere, neighbour) in [
            (r"[^\s\S]", r"[^\S]"),
            (r"a\Ab", r"\Aab"),
            (r"a\zb", r"a\z"),
            (r"(?m)a^b", r"(?m)a\n^b"),
            ("$a", "a$"),
            (r"[a&&b]", r"[a&&a]"),
        ] {
            assert_eq!(matches_nothing(nowhere), Ok(true), "{nowhere}");
            assert_eq!(matches_nothing(neighbour), Ok(false), "{neighbour}");
        }
        // Between other characters than ASCII's it does not say where a word ends.
        assert_eq!((matches_nothing(r"a\bb"), matches_nothing(r"\bTODO\b")), (Err(TooLarge), Ok(false)));
        assert_eq!(matches_nothing("("), Err(TooLarge));
    }

    #[test]
    fn what_is_too_large_is_not_known() {
        // Whatever the sixtieth character from the end is, one of them matches.
        assert_eq!(text_without_match(&whole(".{0,60}|.*1.{60}|.*[^1].{60}")), Err(TooLarge));
        assert_eq!(text_without_match(r"(?:\pL{1,50}){50}"), Err(TooLarge));
        assert_eq!(text_without_match("("), Err(TooLarge));
    }

    fn expressions() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["a", "b", ".", r"\w", r"\W", "[^a]", "é", "", r"\s", "^", "$", r"\d"]);
        leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner, prop::sample::select(vec!["*", "+", "?", "{2}"]))
                    .prop_map(|(one, how)| format!("(?:{one}){how}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(60)))]

        #[test]
        fn the_automaton_says_what_the_matcher_does(
            expression in expressions(), anchored: bool, texts in prop::collection::vec("[ab1 é_\\-]{1,5}", 20),
        ) {
            let expression = if anchored { whole(&expression) } else { expression };
            let regex = Regex::new(&expression).unwrap();
            match text_without_match(&expression) {
                Ok(Some(text)) => {
                    prop_assert!(!text.is_empty() && !text.contains('\n'));
                    prop_assert!(!regex.is_match(&text), "{} matches {:?}", expression, text);
                }
                Ok(None) => for text in texts {
                    prop_assert!(regex.is_match(&text), "{} does not match {:?}", expression, text);
                },
                Err(TooLarge) => {}
            }
        }
    }
}
