//! The header field `Link`. Source: RFC 8288, 3, and its appendix B.2 (parsing).

/// The target of the first link that leads to the next page; `None` if no link does.
///
/// # Errors
/// When the field cannot be read, so that it may name one.
pub(super) fn next(field: &str) -> Result<Option<String>, &'static str> {
    let mut rest = field.trim_start_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let open = rest.strip_prefix('<').ok_or("a link begins with no `<`")?;
        let (target, behind) = open.split_once('>').ok_or("a link ends with no `>`")?;
        let (link, behind) = parameters(behind)?;
        if link.is_next && !link.of_another {
            return Ok(Some(target.trim().to_owned()));
        }
        rest = behind.trim_start_matches([' ', '\t', ',']);
    }
    Ok(None)
}

#[derive(Default)]
struct Link {
    is_next: bool,
    /// True if it leads from elsewhere than from the answer: it has an `anchor`.
    of_another: bool,
}

fn parameters(text: &str) -> Result<(Link, &str), &'static str> {
    let mut link = Link::default();
    let mut has_relation = false;
    let mut rest = text.trim_start();
    while let Some(behind) = rest.strip_prefix(';') {
        let behind = behind.trim_start();
        let end = behind.find(['=', ';', ',']).unwrap_or(behind.len());
        let (name, after) = behind.split_at_checked(end).unwrap_or((behind, ""));
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => value_of(value.trim_start())?,
            None => (String::new(), after),
        };
        match name.trim().to_ascii_lowercase().as_str() {
            // Of several the first counts.
            "rel" if !has_relation => {
                has_relation = true;
                link.is_next = value.split_ascii_whitespace().any(|relation| relation.eq_ignore_ascii_case("next"));
            }
            "anchor" => link.of_another = true,
            _ => {}
        }
        rest = after.trim_start();
    }
    match rest.is_empty() || rest.starts_with(',') {
        true => Ok((link, rest)),
        false => Err("text follows a link"),
    }
}

fn value_of(text: &str) -> Result<(String, &str), &'static str> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        let (value, behind) = text.split_at_checked(end).unwrap_or((text, ""));
        return Ok((value.trim().to_owned(), behind));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Ok((value, quoted.get(at + 1..).unwrap_or_default())),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    Err("a quotation in a link is never closed")
}
