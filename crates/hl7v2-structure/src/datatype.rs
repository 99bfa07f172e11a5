//! Simple data types; a value is rejected only if it is wrong for certain (HL7 v2.8.2, chapter 2A).

/// The types whose values can be certainly wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simple {
    Dt,
    Tm,
    /// Date and time: TS in its first component, DTM.
    Dtm,
    Nm,
    /// Whole number of 0 or more.
    Si,
}

/// The place of a simple type in a field: the component and, within it, the subcomponent, counted from 1.
pub(crate) type Part = (u32, u32, Simple);

/// The parts of a data type that are checked; empty for every other type.
pub(crate) fn parts(data_type: &str) -> &'static [Part] {
    use Simple::{Dt, Dtm, Nm, Si, Tm};
    match data_type {
        "DT" => &[(1, 1, Dt)],
        "TM" => &[(1, 1, Tm)],
        "TS" | "DTM" => &[(1, 1, Dtm)],
        "NM" => &[(1, 1, Nm)],
        "SI" => &[(1, 1, Si)],
        "DR" => &[(1, 1, Dtm), (2, 1, Dtm)],
        "CQ" | "MO" => &[(1, 1, Nm)],
        "CP" => &[(1, 1, Nm)],
        "SN" => &[(2, 1, Nm), (4, 1, Nm)],
        _ => &[],
    }
}

/// A component: its number and its name.
pub(crate) type Required = (u32, &'static str);

/// The components that a value of a data type has by the standard (HL7 v2.5.1, chapter 2A). Before 2.5 it does not say.
pub(crate) fn required(data_type: &[u8]) -> &'static [Required] {
    match data_type {
        b"CNE" => &[(1, "Identifier")],
        b"ED" => &[(2, "Type of Data"), (4, "Encoding"), (5, "Data")],
        b"RP" => &[(1, "Pointer"), (2, "Application ID")],
        _ => &[],
    }
}

/// Table 0125 and the data types of every version, in order.
const DATA_TYPES: [&str; 99] = [
    "AD", "AUI", "CCD", "CCP", "CD", "CE", "CF", "CK", "CM", "CN", "CNE", "CNN", "CP", "CQ", "CSU", "CWE", "CX", "DDI",
    "DIN", "DLD", "DLN", "DLT", "DR", "DT", "DTM", "DTN", "ED", "EI", "EIP", "ELD", "ERL", "FC", "FN", "FT", "GTS",
    "HD", "HED", "ICD", "ID", "IS", "JCC", "LA1", "LA2", "MA", "MF", "MO", "MOC", "MOP", "MSG", "NA", "NDL", "NM",
    "NR", "OCD", "OG", "OSD", "OSP", "PIP", "PL", "PLN", "PN", "PPN", "PRL", "PT", "PTA", "QIP", "QSC", "RCD", "RFR",
    "RI", "RMC", "RP", "RPT", "SAD", "SCV", "SI", "SN", "SNM", "SPD", "SPS", "SRT", "ST", "TM", "TN", "TQ", "TS", "TX",
    "UD", "UVC", "VH", "VID", "VR", "WVI", "WVS", "XAD", "XCN", "XON", "XPN", "XTN",
];

/// True if OBX-2 may have this value: a data type of any version, or a local one, which begins with Z.
pub(crate) fn is_data_type(text: &[u8]) -> bool {
    let is_local = matches!(text, [b'Z', _, ..]) && text.len() <= 3 && text.iter().all(u8::is_ascii_alphanumeric);
    is_local || DATA_TYPES.iter().any(|known| known.as_bytes() == text)
}

impl Simple {
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Dt => "a date YYYY[MM[DD]]",
            Self::Tm => "a time HH[MM[SS[.SSSS]]][+/-ZZZZ]",
            Self::Dtm => "a time stamp YYYY[MM[DD[HH[MM[SS[.SSSS]]]]]][+/-ZZZZ]",
            Self::Nm => "a number",
            Self::Si => "a whole number",
        }
    }

    /// True if a text is certainly not a value of this type. An empty text, spaces around it and the HL7 null `""` are
    /// never wrong; spaces alone do not have a digit.
    pub(crate) fn rejects(self, text: &[u8]) -> bool {
        let written = text;
        let text = text.trim_ascii();
        if text.is_empty() || text == b"\"\"" {
            return text.is_empty() && !written.is_empty();
        }
        !match self {
            Self::Dt => is_date(text),
            Self::Tm => is_time(text),
            Self::Dtm => is_time_stamp(text),
            Self::Nm => is_number(text),
            Self::Si => text.iter().all(u8::is_ascii_digit),
        }
    }
}

fn is_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    let mut parts = digits.splitn(2, |&byte| byte == b'.');
    let (whole, fraction) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let all = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    all(whole) && all(fraction) && !(whole.is_empty() && fraction.is_empty())
}

fn two(text: &[u8]) -> Option<(u32, &[u8])> {
    let (pair, rest) = text.split_first_chunk::<2>()?;
    pair.iter().all(u8::is_ascii_digit).then(|| {
        let number = pair.iter().fold(0, |sum, &digit| sum * 10 + u32::from(digit - b'0'));
        (number, rest)
    })
}

/// Reads YYYY[MM[DD]]; gives the rest, and whether the day was there.
fn date(text: &[u8]) -> Option<(&[u8], bool)> {
    let (century, rest) = two(text)?;
    let (year, rest) = two(rest)?;
    let year = century * 100 + year;
    if year == 0 {
        return None;
    }
    let Some((month, rest)) = two(rest) else { return Some((rest, false)) };
    let days = days(year, month)?;
    let Some((day, rest)) = two(rest) else { return Some((rest, false)) };
    (1..=days).contains(&day).then_some((rest, true))
}

fn days(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => Some(if leap { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

fn is_date(text: &[u8]) -> bool {
    matches!(date(text), Some((b"", _)))
}

/// Reads HH[MM[SS[.S…]]]; 24:00 is the end of a day, and a minute may have a leap second.
fn time(text: &[u8]) -> Option<&[u8]> {
    let (hour, rest) = two(text)?;
    let Some((minute, rest)) = two(rest) else { return (hour <= 23).then_some(rest) };
    let Some((second, rest)) = two(rest) else {
        return (hour <= 23 && minute <= 59 || hour == 24 && minute == 0).then_some(rest);
    };
    if !(hour <= 23 && minute <= 59 && second <= 60 || hour == 24 && minute == 0 && second == 0) {
        return None;
    }
    let Some(fraction) = rest.strip_prefix(b".") else { return Some(rest) };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Four digits at the most (HL7 v2.8.2, 2A.2.75).
    if (1..=4).contains(&digits) { fraction.get(digits..) } else { None }
}

/// True if this is empty or a zone: +HHMM or -HHMM.
fn is_zone(text: &[u8]) -> bool {
    let Some(digits) = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")) else { return text.is_empty() };
    let zone = two(digits).and_then(|(hours, rest)| two(rest).map(|(minutes, rest)| (hours, minutes, rest)));
    matches!(zone, Some((0..=14, 0..=59, b"")))
}

fn is_time(text: &[u8]) -> bool {
    time(text).is_some_and(is_zone)
}

fn is_time_stamp(text: &[u8]) -> bool {
    match date(text) {
        Some((rest, _)) if is_zone(rest) => true,
        Some((rest, true)) => is_time(rest),
        _ => false,
    }
}
