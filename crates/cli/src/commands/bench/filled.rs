//! Fills the names in the command and the URL of an agent.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// A word of a command with its names replaced. What is put in is not looked through again.
pub(super) fn filled(word: &OsStr, names: &[(&str, &OsStr)]) -> OsString {
    let (mut out, mut rest) = (Vec::new(), word.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let found = names.iter().find_map(|(name, value)| Some((rest.strip_prefix(name.as_bytes())?, value)));
        rest = match found {
            Some((after, value)) => {
                out.extend_from_slice(value.as_bytes());
                after
            }
            None => {
                out.push(*first);
                after
            }
        };
    }
    OsString::from_vec(out)
}

/// A URL with its names replaced, and what is put in percent-encoded: <https://www.rfc-editor.org/rfc/rfc3986#section-2.1>.
pub(super) fn url_filled(url: &str, names: &[(&str, &OsStr)]) -> String {
    let encoded = |value: &OsStr| -> OsString {
        let byte = |byte: &u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(*byte).to_string(),
            other => format!("%{other:02X}"),
        };
        value.as_bytes().iter().map(byte).collect::<String>().into()
    };
    let values: Vec<(&str, OsString)> = names.iter().map(|(name, value)| (*name, encoded(value))).collect();
    let values: Vec<(&str, &OsStr)> = values.iter().map(|(name, value)| (*name, value.as_os_str())).collect();
    filled(url.as_ref(), &values).to_string_lossy().into_owned()
}
