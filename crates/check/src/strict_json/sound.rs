//! The quick way to see that JSON is sound: one pass that builds nothing. It says yes only if there is no fault to
//! report; the slow reader, which can report one, reads every other text again.

use super::MAX_DEPTH;

/// An array, or an object with the place of its first key among the keys.
#[derive(Clone, Copy)]
enum Open {
    Array,
    Object(usize),
}

/// Returns `true` if `text` is one JSON value without anything that another reader could read in another way.
///
/// `false` is not a verdict: a key with an escape, or half of a surrogate pair, is left to the slow way.
pub(super) fn is_sound(text: &str) -> bool {
    sound_values(text).is_some()
}

/// Counts the values in text that is sound, or somewhat more: one for each bracket that opens and each comma, and one.
///
/// `None` decides nothing: a key with an escape, or half of a surrogate pair, is left to [`check`](super::check).
///
/// ```
/// use candor_check::strict_json::sound_values;
/// assert_eq!(sound_values(r#"{"a": [1, 2], "b": "x,y"}"#), Some(5));
/// assert_eq!(sound_values(r#"{"a": 1, "a": 2}"#), None);
/// ```
#[must_use]
pub fn sound_values(text: &str) -> Option<u64> {
    let mut values = 1;
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    let mut open: Vec<Open> = Vec::with_capacity(16);
    let mut keys: Vec<&[u8]> = Vec::with_capacity(64);
    loop {
        // Here is a value, or the end of an empty array.
        reader.space();
        let closed = match reader.peek() {
            Some(b'{') => {
                values += 1;
                reader.at += 1;
                reader.space();
                if reader.peek() == Some(b'}') {
                    reader.at += 1;
                    open.len() < MAX_DEPTH
                } else {
                    open.push(Open::Object(keys.len()));
                    if open.len() > MAX_DEPTH || !reader.key(&mut keys) {
                        return None;
                    }
                    continue;
                }
            }
            Some(b'[') => {
                values += 1;
                reader.at += 1;
                reader.space();
                if reader.peek() == Some(b']') {
                    reader.at += 1;
                    open.len() < MAX_DEPTH
                } else {
                    open.push(Open::Array);
                    if open.len() > MAX_DEPTH {
                        return None;
                    }
                    continue;
                }
            }
            _ => reader.scalar(),
        };
        if !closed {
            return None;
        }
        // After a value: the next one, or the ends of the arrays and objects that contain it.
        loop {
            reader.space();
            match (open.last().copied(), reader.take()) {
                (None, None) => return Some(values),
                (Some(Open::Array), Some(b',')) => {
                    values += 1;
                    break;
                }
                (Some(Open::Object(_)), Some(b',')) => {
                    values += 1;
                    reader.space();
                    if !reader.key(&mut keys) {
                        return None;
                    }
                    break;
                }
                (Some(Open::Array), Some(b']')) => drop(open.pop()),
                (Some(Open::Object(from)), Some(b'}')) => {
                    if !are_distinct(keys.get_mut(from..).unwrap_or_default()) {
                        return None;
                    }
                    keys.truncate(from);
                    open.pop();
                }
                _ => return None,
            }
        }
    }
}

/// Few keys are compared with each other; many are sorted, so that their number costs no more than it must.
fn are_distinct(keys: &mut [&[u8]]) -> bool {
    if keys.len() <= 16 {
        let differs = |(at, key): (usize, &&[u8])| keys.iter().skip(at + 1).all(|other| key != other);
        return keys.iter().enumerate().all(differs);
    }
    keys.sort_unstable();
    keys.iter().zip(keys.iter().skip(1)).all(|(a, b)| a != b)
}

/// Passes over everything but quotation marks, backslashes and control characters, eight bytes at a time: the place of the first of
/// these, or one before it from which fewer than eight bytes are left.
pub(super) fn plain_until(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let each = |byte: u8| ONES * u64::from(byte);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        // The highest bit of the first byte below a bound is set, and perhaps those of bytes behind it.
        let below = |word: u64, bound: u8| word.wrapping_sub(each(bound)) & !word & each(0x80);
        let found = below(word, 0x20) | below(word ^ each(b'"'), 1) | below(word ^ each(b'\\'), 1);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn key(&mut self, keys: &mut Vec<&'a [u8]>) -> bool {
        let start = self.at + 1;
        if self.peek() != Some(b'"') || !self.string() {
            return false;
        }
        let key = self.bytes.get(start..self.at - 1).unwrap_or_default();
        if key.contains(&b'\\') {
            return false;
        }
        keys.push(key);
        self.space();
        self.take() == Some(b':')
    }

    fn scalar(&mut self) -> bool {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => self.number(),
        }
    }

    fn literal(&mut self, wanted: &[u8]) -> bool {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(wanted));
        self.at += wanted.len();
        found
    }

    fn string(&mut self) -> bool {
        self.at += 1;
        loop {
            self.at = plain_until(self.bytes, self.at);
            match self.take() {
                Some(b'"') => return true,
                Some(b'\\') => match self.take() {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                    Some(b'u') => {
                        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
                        let surrogate = matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
                        if digits.len() < 4 || surrogate || !digits.iter().all(u8::is_ascii_hexdigit) {
                            return false;
                        }
                        self.at += 4;
                    }
                    _ => return false,
                },
                Some(0x20..) => {}
                Some(_) | None => return false,
            }
        }
    }

    fn digits(&mut self) -> bool {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > from
    }

    fn number(&mut self) -> bool {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = if self.peek() == Some(b'0') {
            self.at += 1;
            true
        } else {
            self.digits()
        };
        if !whole {
            return false;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.digits() {
                return false;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            return self.digits();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use candor_json::Value;
    use proptest::prelude::*;

    use super::*;
    use crate::strict_json::slowly;

    fn agrees(text: &str) -> bool {
        let sound = is_sound(text);
        let slow = slowly(text).is_ok() && candor_json::from_str::<Value>(text).is_ok();
        assert!(!sound || slow, "{text}");
        // It may leave only keys and escapes to the slow way.
        sound == slow || text.contains('\\')
    }

    #[test]
    fn plain_json_is_sound_and_the_rest_is_not() {
        for text in [
            "1",
            " null ",
            "[]",
            "{}",
            "[{}]",
            "[1,-0,2.5e+3,0.1E-2]",
            r#"{"a":{"b":[true,false]},"c":"\n\u00e9"}"#,
            "\"\u{7f}é\"",
        ] {
            assert!(is_sound(text) && agrees(text), "{text}");
        }
        for text in [
            "",
            "[",
            "]",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "[,]",
            "01",
            "1.",
            ".5",
            "1e",
            "-",
            "+1",
            "tru",
            "nul",
            "\"",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "[1 2]",
            "1 1",
            "{}{}",
            "{\"a\":1,\"a\":2}",
            "{1:2}",
            "[}",
            "{]",
            "\u{a0}1",
        ] {
            assert!(!is_sound(text) && agrees(text), "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(agrees(&nested(MAX_DEPTH)) && agrees(&nested(MAX_DEPTH + 1)) && is_sound(&nested(MAX_DEPTH)));
        assert!(!is_sound(&nested(MAX_DEPTH + 1)) && !is_sound(&"{\"a\":".repeat(100_000)));
        let keys =
            |last: &str| format!("{{{}\"{last}\":1}}", (0..40).map(|key| format!("\"k{key}\":1,")).collect::<String>());
        assert!(is_sound(&keys("k40")) && !is_sound(&keys("k7")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn plain_bytes_are_passed_over_alone(bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x1F..=0x23_u8, 0x5B..=0x5D_u8, Just(b'a')], 0..40), at in 0..42_usize) {
            let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
            let first = bytes.iter().skip(at).position(is_special).map(|length| at + length);
            let found = plain_until(&bytes, at);
            match first {
                Some(first) if found != first => prop_assert!(found < first && bytes.len() - found < 8),
                Some(_) => {}
                None => prop_assert!(found >= at && found + 8 > bytes.len() && found <= bytes.len().max(at)),
            }
        }

        #[test]
        fn any_text_is_read_alike(text in r#"[\[\]{}:,"ab\\u0-9.eE+\- tfnrl]{0,24}"#) {
            prop_assert!(agrees(&text));
        }

        #[test]
        fn mended_json_is_read_alike(at in 0..80_usize, with in r#"[\[\]{}:,"a\\0 ]{0,2}"#) {
            let text = r#"{"resourceType":"Patient","name":[{"given":["a",null]}],"x":-1.5e3,"y":true}"#;
            let cut = at.min(text.len());
            let mended = [&text[..cut], &with, text.get(cut + 1..).unwrap_or_default()].concat();
            prop_assert!(agrees(&mended));
        }
    }
}
