//! Base64 and hexadecimal digits.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

pub(crate) fn base64(data: &str) -> Option<Vec<u8>> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let data: String = data.split_whitespace().collect();
    ENGINE.decode(data).ok()
}

pub(crate) fn hex(data: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        let is_hex = pair.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
    };
    (digits.len().is_multiple_of(2) && !digits.is_empty()).then(|| digits.chunks(2).map(byte).collect()).flatten()
}
