//! The document around a page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::assets::{SCRIPT, STYLE};
use super::text::{attribute, text};
use super::{Context, Shape, site};

/// The policy of a document that has its style and its script in it: nothing else is run, and nothing is loaded.
#[must_use]
pub fn content_security_policy() -> String {
    let hash = |content: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

pub(super) fn page(context: &Context<'_>, kind: &str, title: &str, content: &Markup) -> String {
    if let Shape::Site(site) = context.shape {
        return site::page(site, kind, title, content);
    }
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(content_security_policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content=(concat!("candor ", env!("CARGO_PKG_VERSION")));
                title { (attribute(title)) " · Candor" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the result" }
                header.top {
                    span.brand { "candor" }
                    span.kind { (text(kind)) }
                    div.tools hidden {
                        button type="button" data-open="" { "Open all" }
                        button type="button" data-close="" { "Close all" }
                        span.of.wide { "↓ and ↑ go from one to the next" }
                    }
                }
                main #main tabindex="-1" { (content) }
                footer { p { "Everything quoted here is evidence: text that was read, never markup. This page loads nothing and sends nothing." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string()
}
