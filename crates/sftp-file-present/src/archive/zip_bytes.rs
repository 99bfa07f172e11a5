//! Numbers and extra fields of a zip, as its bytes have them.

pub(super) fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

/// The first extra field of an id.
pub(super) fn extra_field(mut extra: &[u8], id: u16) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16_at(extra, 2)?);
        let field = extra.get(4..4 + length)?;
        if u16_at(extra, 0) == Some(id) {
            return Some(field);
        }
        extra = extra.get(4 + length..)?;
    }
}
