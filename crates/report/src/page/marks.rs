//! The difference between an expected value and the one that was found, marked inside both.

/// Values longer than this are marked from the first difference to the last one.
const LONGEST: usize = 300;

/// A piece of a value, and whether it differs.
pub(super) type Piece = (String, bool);

/// Both values in pieces. Where they have next to nothing in common, both differ as a whole.
pub(super) fn marked(expected: &str, actual: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (left, right): (Vec<char>, Vec<char>) = (expected.chars().collect(), actual.chars().collect());
    let whole = || (vec![(expected.to_owned(), true)], vec![(actual.to_owned(), true)]);
    if left.len() > LONGEST || right.len() > LONGEST {
        return ends(&left, &right);
    }
    // Of two codes of one length the places differ, of two words their middle, of sentences what was put in or left out.
    let is_word = |chars: &[char]| !chars.contains(&' ');
    let common = match () {
        () if left.len() == right.len() => in_place(&left, &right),
        () if is_word(&left) && is_word(&right) => outer(&left, &right),
        () => by_words(expected, actual),
    };
    let longest = left.len().max(right.len());
    // Single letters that happen to be in both tell no one anything.
    if common.iter().filter(|pair| pair.is_some()).count() * 5 < longest * 2 {
        return whole();
    }
    let kept_right: std::collections::HashSet<usize> = common.iter().flatten().copied().collect();
    let left = left.iter().enumerate().map(|(at, c)| (*c, common.get(at).is_none_or(Option::is_none)));
    let right = right.iter().enumerate().map(|(at, c)| (*c, !kept_right.contains(&at)));
    (pieces(left), pieces(right))
}

fn in_place(left: &[char], right: &[char]) -> Vec<Option<usize>> {
    left.iter().zip(right).enumerate().map(|(at, (a, b))| (a == b).then_some(at)).collect()
}

fn outer(left: &[char], right: &[char]) -> Vec<Option<usize>> {
    let (start, end) = same_ends(left, right);
    let partner = |at: usize| match at {
        at if at < start => Some(at),
        at if at >= left.len() - end => Some((at + right.len()).saturating_sub(left.len())),
        _ => None,
    };
    (0..left.len()).map(partner).collect()
}

/// How many characters both begin with, and how many of the others both end with.
fn same_ends(left: &[char], right: &[char]) -> (usize, usize) {
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let rest = left.len().min(right.len()) - start;
    let end = left.iter().rev().zip(right.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (start, end)
}

fn pieces(chars: impl Iterator<Item = (char, bool)>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for (c, differs) in chars {
        match out.last_mut() {
            Some((text, same)) if *same == differs => text.push(c),
            _ => out.push((c.to_string(), differs)),
        }
    }
    out
}

fn ends(left: &[char], right: &[char]) -> (Vec<Piece>, Vec<Piece>) {
    let (start, end) = same_ends(left, right);
    let split = |chars: &[char]| {
        let last = chars.len() - end;
        pieces(chars.iter().enumerate().map(|(at, c)| (*c, at >= start && at < last)))
    };
    (split(left), split(right))
}

/// For each character of the left one its partner on the right, where both are within words that both have in this order.
fn by_words(left: &str, right: &str) -> Vec<Option<usize>> {
    let (left, right) = (words(left), words(right));
    let [of_left, of_right]: [Vec<&str>; 2] =
        [&left, &right].map(|words| words.iter().map(|(_, word)| *word).collect());
    let partners = common(&of_left, &of_right);
    let partner = |at: Option<usize>| at.and_then(|at| partners.get(at).copied().flatten());
    // A space between two words that differ belongs to them.
    let is_kept = |at: usize, word: &str, there: usize| {
        word != " " || partner(at.checked_sub(1)) == there.checked_sub(1) || partner(Some(at + 1)) == Some(there + 1)
    };
    let of_word = |(at, (_, word)): (usize, &(usize, &str))| {
        let there = partner(Some(at)).filter(|there| is_kept(at, word, *there));
        let start = there.and_then(|there| right.get(there)).map(|(start, _)| *start);
        (0..word.chars().count()).map(move |at| Some(start? + at)).collect::<Vec<_>>()
    };
    left.iter().enumerate().flat_map(of_word).collect()
}

/// Runs of letters and digits, and every other character alone, each with the number of the character at which it begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out: Vec<(usize, &str)> = Vec::new();
    let (mut start, mut joined) = (0, false);
    for (number, (at, c)) in text.char_indices().enumerate() {
        let end = at + c.len_utf8();
        match out.last_mut() {
            Some((_, word)) if joined && c.is_alphanumeric() => *word = text.get(start..end).unwrap_or_default(),
            _ => {
                start = at;
                out.push((number, text.get(at..end).unwrap_or_default()));
            }
        }
        joined = c.is_alphanumeric();
    }
    out
}

/// For each part of the left one its partner on the right in a longest common subsequence.
fn common<T: PartialEq>(left: &[T], right: &[T]) -> Vec<Option<usize>> {
    let width = right.len() + 1;
    let mut lengths = vec![0_u32; (left.len() + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or_default();
    for (i, a) in left.iter().enumerate().rev() {
        for (j, b) in right.iter().enumerate().rev() {
            let best = match a == b {
                true => at(&lengths, i + 1, j + 1) + 1,
                false => at(&lengths, i + 1, j).max(at(&lengths, i, j + 1)),
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = vec![None; left.len()];
    while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
        if a == b {
            if let Some(pair) = pairs.get_mut(i) {
                *pair = Some(j);
            }
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
