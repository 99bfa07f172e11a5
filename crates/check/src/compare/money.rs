//! Amounts of money as people and programs write them.

/// Codes of ISO 4217 and signs that are read next to an amount, each with the codes that it may mean. A sign that begins or
/// ends with another one comes before it. Signs of cents are left out: their number is another amount.
#[rustfmt::skip]
const CURRENCIES: [(&str, &[&str]); 45] = [
    ("USD", &["USD"]), ("EUR", &["EUR"]), ("GBP", &["GBP"]), ("CAD", &["CAD"]), ("AUD", &["AUD"]), ("NZD", &["NZD"]),
    ("CHF", &["CHF"]), ("JPY", &["JPY"]), ("CNY", &["CNY"]), ("INR", &["INR"]), ("MXN", &["MXN"]), ("BRL", &["BRL"]),
    ("SEK", &["SEK"]), ("NOK", &["NOK"]), ("DKK", &["DKK"]), ("PLN", &["PLN"]), ("ZAR", &["ZAR"]), ("PHP", &["PHP"]),
    ("HKD", &["HKD"]), ("SGD", &["SGD"]), ("TWD", &["TWD"]),
    ("US$", &["USD"]), ("CA$", &["CAD"]), ("AU$", &["AUD"]), ("NZ$", &["NZD"]), ("MX$", &["MXN"]), ("HK$", &["HKD"]),
    ("NT$", &["TWD"]), ("C$", &["CAD"]), ("A$", &["AUD"]), ("S$", &["SGD"]), ("R$", &["BRL"]),
    ("$", &["USD", "CAD", "AUD", "NZD", "MXN", "HKD", "SGD", "TWD"]),
    ("£", &["GBP"]), ("¥", &["JPY", "CNY"]), ("₱", &["PHP"]), ("₹", &["INR"]), ("€", &["EUR"]), ("₩", &["KRW"]),
    ("₽", &["RUB"]), ("₺", &["TRY"]), ("₪", &["ILS"]), ("฿", &["THB"]), ("₫", &["VND"]), ("₦", &["NGN"]),
];

/// The longest text that is read as an amount, in bytes.
const LONGEST: usize = 64;

/// The amount in a text as a decimal number without zeros that mean nothing: `-1250.5` for `($1,250.50)`. `None` where the
/// text is not an amount, or has digits alone, so that it may be an identifier.
pub(super) fn amount(text: &str) -> Option<String> {
    read(text).map(|(amount, _)| amount)
}

/// Compares two amounts: they are one if their number is, and their currencies may be. A text without a currency may be of any.
/// `None` where one of them is not an amount.
pub(super) fn one_amount(a: &str, b: &str) -> Option<bool> {
    let ((a, of_a), (b, of_b)) = (read(a)?, read(b)?);
    Some(a == b && meet(of_a, of_b).is_some())
}

/// The codes of a currency; no codes are those of any.
type Codes = Vec<&'static str>;

/// The currencies that two signs may mean together; `None` for two different currencies.
fn meet(a: Codes, b: Codes) -> Option<Codes> {
    if a.is_empty() || b.is_empty() {
        return Some([a, b].concat());
    }
    let both: Codes = a.into_iter().filter(|code| b.contains(code)).collect();
    (!both.is_empty()).then_some(both)
}

/// The amount in a text, and what its currency may be.
///
/// A sign or brackets may be around it, a currency sign or code before or behind it. Where only one of point and comma is
/// there, and once, a comma with three digits behind it parts thousands and everything else is the decimal sign.
fn read(text: &str) -> Option<(String, Codes)> {
    let text = text.trim();
    if text.len() > LONGEST || text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (mut rest, mut negative, mut currency) = (text, false, Codes::new());
    loop {
        let before = rest;
        if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            (rest, negative) = (inner, true);
        }
        for sign in ['-', '\u{2212}'] {
            if let Some(inner) = rest.strip_prefix(sign).or_else(|| rest.strip_suffix(sign)) {
                (rest, negative) = (inner, true);
            }
        }
        rest = rest.strip_prefix('+').unwrap_or(rest);
        rest = rest.trim();
        if let Some((without, codes)) = without_currency(rest) {
            (rest, currency) = (without, meet(currency, codes.to_vec())?);
        }
        if rest == before {
            break;
        }
    }
    let digits = digits(rest)?;
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if negative && (whole != "0" || !part.is_empty()) { "-" } else { "" };
    let point = if part.is_empty() { "" } else { "." };
    Some((format!("{sign}{whole}{point}{part}"), currency))
}

/// A text without the currency before or behind it, and the codes of that one.
fn without_currency(text: &str) -> Option<(&str, &'static [&'static str])> {
    CURRENCIES.iter().find_map(|(known, codes)| {
        let before = || text.split_at_checked(known.len()).filter(|(sign, _)| sign.eq_ignore_ascii_case(known));
        let at = text.len().checked_sub(known.len());
        let behind = || text.split_at_checked(at?).filter(|(_, sign)| sign.eq_ignore_ascii_case(known));
        Some((before().map(|(_, rest)| rest).or_else(|| behind().map(|(rest, _)| rest))?, *codes))
    })
}

/// The digits of a number with a point before its decimals.
fn digits(text: &str) -> Option<String> {
    let is_mark = |c: char| matches!(c, '.' | ',' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}');
    let marks: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| is_mark(*c)).collect();
    let decimal = match marks.as_slice() {
        [] => None,
        [.., (_, last)] if !matches!(last, '.' | ',') => None,
        [(at, ',')] => Some(*at).filter(|_| text.len() - at != 4 || *at > 3 || text.starts_with("0,")),
        [(at, _)] => Some(*at),
        [before @ .., (at, last)] => Some(*at).filter(|_| before.iter().all(|(_, mark)| mark != last)),
    };
    let (whole, part) = decimal.map_or((text, ""), |at| (&text[..at], &text[at + 1..]));
    let mut groups = whole.split(is_mark);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let grouped =
        rest.iter().all(|group| group.len() == 3 && all_digits(group)) && (rest.is_empty() || first.len() <= 3);
    // India parts thousands, then hundreds.
    let in_lakh = rest.split_last().is_some_and(|(last, before)| {
        last.len() == 3 && all_digits(last) && before.iter().all(|group| group.len() == 2 && all_digits(group))
    });
    let some = !first.is_empty() || (rest.is_empty() && !part.is_empty());
    let right = some && all_digits(first) && all_digits(part) && (grouped || in_lakh && first.len() <= 2);
    (right && decimal.is_none_or(|_| !part.is_empty())).then(|| format!("{first}{}.{part}", rest.concat()))
}
