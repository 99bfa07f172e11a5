//! URLs: how a search is written in one, and where a link of a server's leads.

/// Writes name and value pairs as a query, or as the body of a form.
#[must_use]
pub fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        encode(name, &mut out);
        out.push('=');
        encode(value, &mut out);
    }
    out
}

/// Percent-encodes the characters that a query cannot contain. It can contain `/`, `:` and `,`, which stay readable.
pub fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b',' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// The parameters of a URL's query, decoded; of those without a value nothing.
#[must_use]
pub fn parameters(url: &str) -> Vec<(String, String)> {
    let url = url.split('#').next().unwrap_or_default();
    let Some((_, query)) = url.split_once('?') else { return Vec::new() };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(name), decode(value))).filter(|(_, value)| !value.is_empty()).collect()
}

fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let mut ahead = bytes.clone();
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                match (digit(ahead.next()), digit(ahead.next())) {
                    (Some(high), Some(low)) => {
                        out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                        bytes = ahead;
                    }
                    _ => out.push(byte),
                }
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Scheme, host and port of an absolute URL, with the usual port if it names none; `None` if it is not an `http` URL.
#[must_use]
pub fn origin(url: &str) -> Option<(String, String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    // The text before an `@` is not a host, and no link of a server has reason to hold any.
    if authority.contains(['@', '\\']) {
        return None;
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, "")) => (host, usual),
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, usual),
    };
    (!host.is_empty()).then(|| (scheme, host.to_ascii_lowercase(), port))
}

/// The target of a link in the answer to `asked`; relative links are resolved against `base`. Source: FHIR R4, Bundle,
/// 2.36.4 (links of a searchset may be relative to the server's base).
#[must_use]
pub fn resolve(base: &str, asked: &str, link: &str) -> Option<String> {
    if link.is_empty() || link.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return None;
    }
    if let Some((scheme, _)) = link.split_once("://")
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return Some(link.to_owned());
    }
    let end = base.find("://").map(|at| at + 3)?;
    let root = base.get(end..)?.find('/').map_or(base, |at| base.get(..end + at).unwrap_or(base));
    Some(match link.as_bytes().first() {
        Some(b'/') if link.starts_with("//") => return None,
        Some(b'/') => format!("{root}{link}"),
        Some(b'?') => format!("{}{link}", asked.split('?').next().unwrap_or(asked)),
        _ => format!("{base}/{link}"),
    })
}
