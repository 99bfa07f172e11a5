//! A file's content less the trailer that its control numbers are in.

use crate::content::{Input, Malformed};
use crate::format::Format;
use crate::hygiene::split_trailer;
use crate::settings::Settings;

/// The content of a file less its trailer, and the trailer, if it has one.
///
/// # Errors
/// The first byte that is not in the encoding of the format.
pub(crate) fn input<'a>(
    settings: &Settings,
    bytes: &'a [u8],
    format: Format,
) -> Result<(Input<'a>, Option<String>), Malformed> {
    let charset = settings.encoding.as_ref().map(|(charset, _)| *charset);
    let input = Input::new(bytes, format, charset, &settings.shape)?;
    if !settings.has_trailer() {
        return Ok((input, None));
    }
    let (records, trailer) = split_trailer(input.text());
    let (length, trailer) = (records.len(), trailer.to_owned());
    Ok((input.cut(length), Some(trailer)))
}
