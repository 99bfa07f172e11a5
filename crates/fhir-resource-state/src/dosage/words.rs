//! The words of a text about a dosage.

/// Numbers, words and signs in lower case. Points and commas inside a number belong to it, and those of `b.i.d.` and the `(s)` of `tablet(s)`
/// are left out.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let all: Vec<char> = text.to_lowercase().replace("(s)", "").replace("(es)", "").chars().collect();
    let at = |index: usize| all.get(index).copied().unwrap_or(' ');
    let (mut found, mut index) = (Vec::<String>::new(), 0);
    while index < all.len() {
        let (c, start) = (at(index), index);
        index += 1;
        if c.is_ascii_digit() || c == '.' && at(index).is_ascii_digit() {
            while at(index).is_ascii_digit() || matches!(at(index), '.' | ',') && at(index + 1).is_ascii_digit() {
                index += 1;
            }
            let number: String = all.get(start..index).unwrap_or_default().iter().collect();
            // Behind a letter or a sign the point may be a full stop: such a number is not read.
            let is_apart = start.checked_sub(1).is_none_or(|before| at(before).is_whitespace() || at(before) == '(');
            push_number(
                &mut found,
                match c {
                    '.' if is_apart => format!("0{number}"),
                    _ if has_thousands(&number) => number.replace(',', ""),
                    _ => number,
                },
            );
        } else if c.is_alphabetic()
            && at(index) == '.'
            && at(index + 1).is_alphabetic()
            && !at(index + 2).is_alphabetic()
        {
            let mut word = String::from(c);
            while at(index) == '.' && at(index + 1).is_alphabetic() && !at(index + 2).is_alphabetic() {
                word.push(at(index + 1));
                index += 2;
            }
            found.push(word);
        } else if c.is_alphabetic() {
            while at(index).is_alphanumeric() || matches!(at(index), '\'' | '\u{2019}') && at(index + 1).is_alphabetic()
            {
                index += 1;
            }
            found.push(all.get(start..index).unwrap_or_default().iter().collect::<String>().replace('\u{2019}', "'"));
        } else if matches!(c, '-' | '\u{2010}'..='\u{2014}') {
            let is_range = found.last().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()))
                && all.iter().skip(index).find(|c| !c.is_whitespace()).is_some_and(char::is_ascii_digit);
            found.extend(is_range.then(|| "-".to_owned()));
        } else if matches!(c, '\u{d7}' | '*') {
            found.push("x".to_owned());
        } else if !c.is_whitespace() && !".,;:()[]\"'!".contains(c) {
            found.push(c.to_string());
        }
    }
    in_digits(&found)
}

/// Writes numbers in words as digits: `eighty`, `one hundred and fifty`. The words up to twelve stay unless they are part of one.
fn in_digits(tokens: &[String]) -> Vec<String> {
    let (mut written, mut rest) = (Vec::with_capacity(tokens.len()), tokens);
    while let Some((first, after)) = rest.split_first() {
        let (length, number) = named_number(rest);
        let is_word = length > 1 || number > 12;
        written.push(if is_word { number.to_string() } else { first.clone() });
        rest = if is_word { rest.get(length..).unwrap_or_default() } else { after };
    }
    written
}

/// A number at the start of a text, and how many words it takes.
fn named_number(rest: &[String]) -> (usize, u64) {
    const TEENS: [&str; 7] = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let at = |names: &[&str], word: &str| names.iter().position(|name| *name == word).map(|at| at as u64);
    let (mut length, mut all) = (0, 0_u64);
    for (read, word) in rest.iter().take(6).enumerate() {
        let small = number(word).filter(|_| !word.starts_with(|c: char| c.is_ascii_digit()));
        let small = small.or_else(|| Some(at(&TEENS, word)? + 13)).or_else(|| Some((at(&TENS, word)? + 2) * 10));
        all = match (word.as_str(), small) {
            ("hundred", _) if all < 10 => all.max(1) * 100,
            ("thousand", _) if all < 1000 => return (read + 1, all.max(1) * 1000),
            ("and", _) if all >= 100 && all % 100 == 0 => continue,
            (_, Some(small)) if all % 100 == 0 || all % 100 >= 20 && all % 10 == 0 && small < 10 => all + small,
            _ => break,
        };
        length = read + 1;
    }
    (length, all)
}

/// The commas of a number part thousands: `1,000`, but not `0,125`.
fn has_thousands(number: &str) -> bool {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut groups = whole.split(',');
    let has_first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'));
    has_first && groups.all(|group| group.len() == 3) && !fraction.contains(',')
}

/// Adds a number. `1/2` is one token, and so are `1 1/2` and `1 and 1/2`, which are not read.
fn push_number(found: &mut Vec<String>, number: String) {
    let is_number = |token: &String| token.starts_with(|c: char| c.is_ascii_digit());
    let parts = match found.as_slice() {
        [.., whole, and, over, slash]
            if slash == "/" && matches!(and.as_str(), "and" | "-") && is_number(over) && is_number(whole) =>
        {
            4
        }
        [.., whole, over, slash] if slash == "/" && is_number(over) && is_number(whole) => 3,
        [.., over, slash] if slash == "/" && is_number(over) => 2,
        _ => 0,
    };
    let mut words = found.split_off(found.len() - parts);
    words.push(number);
    found.push(words.join(" "));
}

pub(crate) fn number(word: &str) -> Option<u64> {
    const WORDS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let named = WORDS.iter().position(|name| *name == word).and_then(|at| u64::try_from(at + 1).ok());
    named.or_else(|| word.parse().ok())
}
