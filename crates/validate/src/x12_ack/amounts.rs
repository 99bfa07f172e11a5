//! Amounts, which are summed in hundredths.

/// An amount in hundredths; `None` if the text is not a plain amount.
pub(crate) fn cents(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    let (sign, whole) = whole.strip_prefix('-').map_or((1, whole), |whole| (-1, whole));
    if !digits(whole) || !digits(fraction) || fraction.len() > 2 || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: i128 = format!("{fraction:0<2}").parse().ok()?;
    Some(sign * (whole * 100 + fraction))
}

pub(crate) fn amount(cents: i128) -> String {
    let (sign, cents) = if cents < 0 { ("-", -cents) } else { ("", cents) };
    let text = format!("{sign}{}.{:02}", cents / 100, cents % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
