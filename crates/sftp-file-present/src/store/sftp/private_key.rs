//! Private keys.

/// True if a private key is encrypted; `None` if the text is not a private key.
pub(super) fn is_encrypted(text: &str) -> Option<bool> {
    let (begin, body) = text.split_once("PRIVATE KEY-----")?;
    if begin.trim_end().ends_with("BEGIN OPENSSH") {
        // "openssh-key-v1", a NUL, and the cipher's name with its length before it: here `none`, in base64.
        return Some(!body.trim_start().starts_with("b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"));
    }
    Some(begin.contains("ENCRYPTED") || body.contains("Proc-Type: 4,ENCRYPTED"))
}
