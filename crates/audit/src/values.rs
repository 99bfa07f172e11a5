//! Another value of the same kind, as text of the source.

/// Other values for a value of a source, the nearest first. A JSON value is given as its own text, quotes included.
pub(crate) fn others(text: &str) -> Vec<String> {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match quoted {
        Some("") => vec!["\"other\"".to_owned()],
        Some(inner) => vec![format!("\"{}\"", other(inner)), "\"other\"".to_owned()],
        None => match text {
            "true" => vec!["false".to_owned()],
            "false" => vec!["true".to_owned()],
            "null" => vec!["\"other\"".to_owned()],
            "" => Vec::new(),
            // A limit is passed by a small number or by a large one, never by both.
            number if is_number(number) => {
                let whole = number.split_once(['.', 'e', 'E']).map_or(number, |(whole, _)| whole);
                vec![
                    other(whole),
                    format!("{}00000", other(whole)),
                    "0".to_owned(),
                    format!("-{}", other(whole).replace('-', "")),
                ]
            }
            text => vec![other(text)],
        },
    }
}

fn is_number(text: &str) -> bool {
    candor_json::from_str::<candor_json::Number>(text).is_ok()
}

/// The value with other letters and digits, of the same length. A date remains a date; of a reference the last step
/// changes.
fn other(text: &str) -> String {
    let (kept, changed) = match text.rsplit_once('/') {
        Some((before, after)) if !after.is_empty() => text.split_at(before.len() + 1),
        _ => ("", text),
    };
    let year = changed.get(..4).filter(|year| {
        (year.starts_with("19") || year.starts_with("20"))
            && year.bytes().all(|byte| byte.is_ascii_digit())
            && changed.len() >= 8
            && changed.get(4..5).is_some_and(|next| next == "-" || next.as_bytes().iter().all(u8::is_ascii_digit))
    });
    if let Some(year) = year {
        // A leap day of another leap year is a day, too.
        let earlier = year.parse::<u32>().unwrap_or(2028).saturating_sub(28);
        return format!("{kept}{earlier}{}", changed.get(4..).unwrap_or_default());
    }
    let mut escaped = false;
    let mut first = true;
    let turned = changed.chars().map(|c| {
        // What is escaped stays: `\n`, `\T\`.
        if c == '\\' || escaped {
            escaped = c == '\\' && !escaped;
            return c;
        }
        let turned = match c {
            'a'..='z' => turn(c, b'a', 13, 26),
            'A'..='Z' => turn(c, b'A', 13, 26),
            // A number must not begin with 0.
            '0'..='9' if first && c == '5' => '7',
            '0'..='9' => turn(c, b'0', 5, 10),
            other => other,
        };
        first = first && !c.is_ascii_digit();
        turned
    });
    format!("{kept}{}", turned.collect::<String>())
}

fn turn(c: char, from: u8, by: u8, of: u8) -> char {
    let place = u8::try_from(c).unwrap_or(from).saturating_sub(from);
    char::from(from + (place + by) % of)
}
