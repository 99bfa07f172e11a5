//! Where bytes are in short texts.

/// Where a byte is: most values are short, and looking at a few bytes is faster than getting ready to look at many.
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    const NEAR: usize = 16;
    let (near, far) = bytes.split_at_checked(NEAR).unwrap_or((bytes, &[]));
    let at = near.iter().position(|&b| b == byte);
    at.or_else(|| memchr::memchr(byte, far).map(|at| NEAR + at))
}

/// Where a byte is after so many others like it. Fields are short: to count a block is faster than to stop at each.
pub(crate) fn find_after(byte: u8, others: usize, bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 32;
    let (mut at, mut left) = (0, others);
    for block in bytes.as_chunks::<BLOCK>().0 {
        let count = usize::from(block.iter().fold(0_u8, |count, &b| count.wrapping_add(u8::from(b == byte))));
        if count > left {
            break;
        }
        left -= count;
        at += BLOCK;
    }
    let mut found = bytes.get(at..)?.iter().enumerate().filter(|(_, b)| **b == byte);
    found.nth(left).map(|(behind, _)| at + behind)
}
