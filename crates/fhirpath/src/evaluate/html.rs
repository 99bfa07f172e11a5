//! Narrative: whether a text is the limited XHTML that FHIR allows, <https://hl7.org/fhir/R4/narrative.html#xhtml>.

/// Elements: HTML 4's chapters 7 to 11 and 15 without forms, links, images and what is deprecated, as FHIR lists them.
const ELEMENTS: &str = " a abbr acronym address area b bdo big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 \
    h4 h5 h6 hr i img kbd li map ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var ";

/// Their attributes. None begins with `on`: those call scripts.
const ATTRIBUTES: &str = " abbr accesskey align alt axis border cellpadding cellspacing char charoff charset cite class colspan coords \
    dir frame headers height href hreflang id lang longdesc name nohref rel rev rowspan rules scope shape span src start style \
    summary tabindex target title type usemap valign value width xml:lang xmlns ";

/// The XHTML namespace.
const NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

fn listed(list: &str, name: &str) -> bool {
    !name.is_empty() && list.split_ascii_whitespace().any(|known| known == name)
}

/// Whether the text is one `div` of allowed elements and attributes, well formed, with something to read in it.
pub(super) fn is_narrative(text: &str) -> bool {
    read(text.trim()).unwrap_or(false)
}

/// `None` where the text is not well formed.
fn read(text: &str) -> Option<bool> {
    let mut open: Vec<&str> = Vec::new();
    let (mut rest, mut shows, mut allowed, mut ended) = (text, false, true, false);
    while !rest.is_empty() {
        if ended {
            return None;
        }
        let Some(behind) = rest.strip_prefix('<') else {
            let (content, next) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            if open.is_empty() || content.contains(']') && content.contains("]]>") || !entities_end(content) {
                return None;
            }
            shows |= !content.trim().is_empty();
            rest = next;
            continue;
        };
        if let Some(comment) = behind.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        if let Some(closing) = behind.strip_prefix('/') {
            let (name, next) = closing.split_once('>')?;
            if open.pop()? != name.trim_end() {
                return None;
            }
            ended = open.is_empty();
            rest = next;
            continue;
        }
        let tag = tag(behind)?;
        allowed &= listed(ELEMENTS, tag.name) && tag.attributes.iter().all(|(name, _)| listed(ATTRIBUTES, name));
        if open.is_empty() {
            allowed &= tag.name == "div" && tag.attributes.contains(&("xmlns", NAMESPACE));
        }
        shows |= tag.name == "img";
        if tag.closed {
            ended = open.is_empty();
        } else {
            open.push(tag.name);
        }
        rest = tag.rest;
    }
    Some(ended && allowed && shows)
}

/// Whether every `&` begins an entity.
fn entities_end(content: &str) -> bool {
    content.split('&').skip(1).all(|part| part.find(';').is_some_and(|end| end > 0 && end < 12))
}

struct Tag<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
    closed: bool,
    rest: &'t str,
}

/// A tag behind its `<`.
fn tag(text: &str) -> Option<Tag<'_>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.');
    let (name, mut rest) = text.split_at(text.find(|c| !is_name(c))?);
    let mut attributes: Vec<(&str, &str)> = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix("/>") {
            return Some(Tag { name, attributes, closed: true, rest });
        }
        if let Some(rest) = rest.strip_prefix('>') {
            return Some(Tag { name, attributes, closed: false, rest });
        }
        let (attribute, behind) = rest.split_at(rest.find(|c| !is_name(c))?);
        let behind = behind.trim_start().strip_prefix('=')?.trim_start();
        let quote = behind.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, behind) = behind.get(1..)?.split_once(quote)?;
        if attribute.is_empty() || value.contains('<') || attributes.iter().any(|(known, _)| *known == attribute) {
            return None;
        }
        attributes.push((attribute, value));
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::is_narrative;

    #[test]
    fn narrative_is_limited() {
        let within = |inner: &str| is_narrative(&format!("<div xmlns=\"http://www.w3.org/1999/xhtml\">{inner}</div>"));
        for good in ["text", "<p class='a'>a<br/>b</p>", "<!-- c --><b>a &amp; b</b>", "<img src=\"a.png\" alt=\"\"/>"]
        {
            assert!(within(good), "{good}");
        }
        for bad in [
            "",
            " <p> </p>",
            "<script>a</script>",
            "<p onclick=\"x\">a</p>",
            "<p>a",
            "a</p>",
            "<p><b>a</p></b>",
            "a & b",
            "<form>a</form>",
            "<p class=a>a</p>",
            "<p",
        ] {
            assert!(!within(bad), "{bad}");
        }
        assert!(!is_narrative("<div>a</div>") && !is_narrative("a") && !is_narrative(""));
    }
}
