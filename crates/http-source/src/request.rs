//! Requests to a server and its answers, in every build, even one that cannot ask.

use std::sync::Arc;

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The URL, absolute.
    pub url: &'a str,
    /// The body of a form, which makes it a POST.
    pub form: Option<&'a str>,
    /// The object of the request, as a sentence names it: `the search for Appointment`.
    pub what: &'a str,
    /// A header field of this request's own.
    pub header: Option<(&'static str, &'static str)>,
}

impl<'a> Ask<'a> {
    /// A GET.
    #[must_use]
    pub fn get(url: &'a str, what: &'a str) -> Self {
        Self { url, form: None, what, header: None }
    }

    /// A POST of a form.
    #[must_use]
    pub fn post(url: &'a str, form: &'a str, what: &'a str) -> Self {
        Self { url, form: Some(form), what, header: None }
    }
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The media type that the server gives for the body; empty if it gives none.
    pub content_type: String,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// The fields `Link`, joined as one. Source: RFC 8288, 3.
    pub link: Option<String>,
    /// The fields `Content-Range` and `X-…`, with their names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body, unpacked.
    pub body: Arc<Vec<u8>>,
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "a build without `client` asks nothing again"))]
    pub(crate) retry_after: Option<String>,
}

/// How the servers of one part of a sandbox are asked.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// The part, as `sandbox.toml` names its table: `fhir`.
    pub part: &'static str,
    /// The field `Accept`.
    pub accept: &'static str,
    /// Further fields of every request.
    pub fields: &'static [(&'static str, &'static str)],
    /// The scope to request from Google, if Google gives out the tokens.
    pub google_scope: &'static str,
}

/// A URL for a sentence: without its query, which holds what was searched for.
#[must_use]
pub fn place(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}
