//! What an answer says beside its rows: that there are more of them, how many there are, that something went wrong.
//!
//! No standard names these members. The tables below hold the names that common interfaces use: JSON:API (`links.next`),
//! HAL (`_links.next.href`), OData (`@odata.nextLink`, `@odata.count`), FHIR (`link.relation`), Django REST framework
//! (`next`, `count`), Spring (`page.totalElements`), Stripe (`has_more`), Relay (`pageInfo.hasNextPage`), Google
//! (`nextPageToken`), GraphQL (`errors`). Case, hyphens and underscores are left out.

use serde_json::Value;

use super::envelope;

/// Members that say whether there are more rows.
const FLAGS: &[&str] =
    &["hasmore", "hasnext", "hasnextpage", "more", "moreresults", "truncated", "istruncated", "incompleteresults"];
/// Members that say whether this was the last page: `false` says that there are more rows.
const LAST: &[&str] = &["last", "islast", "lastpage", "islastpage"];
/// Members that lead to more rows.
const NEXT: &[&str] = &[
    "next",
    "nextpage",
    "nextcursor",
    "nexturl",
    "nexturi",
    "nextlink",
    "nexttoken",
    "nextpagetoken",
    "@odata.nextlink",
    "continuationtoken",
];
/// Members that say how many rows there are in all.
const TOTALS: &[&str] = &[
    "total",
    "totalcount",
    "totalrows",
    "totalresults",
    "totalitems",
    "totalelements",
    "totalrecords",
    "count",
    "@odata.count",
];
/// Objects that hold such members.
const AROUND: &[&str] = &["meta", "metadata", "pagination", "paging", "page", "pageinfo", "links", "link", "info"];
/// Members that say what went wrong.
const ERRORS: &[&str] = &["error", "errors"];

/// The longest text of a member that is looked at.
const LONGEST: usize = 64 << 10;

/// What an answer says beside its rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The member that says that there are more rows, with its value.
    pub(super) more: Option<String>,
    /// Whether a member says that there are no more.
    pub(super) last: bool,
    /// The largest number of all rows that it says, with the member.
    pub(super) total: Option<(u64, String)>,
    /// The member that says what went wrong, with its value.
    pub(super) error: Option<String>,
}

impl Said {
    /// Reads the objects that lead to the rows.
    pub(super) fn by(answer: &str, items: &[String]) -> Self {
        let mut said = Self::default();
        for depth in 0..items.len() {
            let (above, within) = items.split_at_checked(depth).unwrap_or_default();
            let Ok(Some(object)) = envelope::at(answer, above) else { break };
            let path = |name: &str| above.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
            for (name, value) in envelope::members(object) {
                if within.first() == Some(&name) || value.len() > LONGEST {
                    continue;
                }
                said.member(&path(&name), &plain(&name), value, true);
            }
        }
        said
    }

    fn member(&mut self, path: &str, name: &str, value: &str, outer: bool) {
        let known = [FLAGS, LAST, NEXT, TOTALS, AROUND, ERRORS].iter().any(|names| names.contains(&name));
        let Some(value) = known.then(|| serde_json::from_str::<Value>(value).ok()).flatten() else { return };
        let shown = || format!("`{path}` is {}", cut(&value.to_string()));
        if FLAGS.contains(&name) || NEXT.contains(&name) {
            match is_nothing(&value) {
                true => self.last = true,
                false => self.more = self.more.take().or_else(|| Some(shown())),
            }
        } else if let Some(last) = value.as_bool().filter(|_| LAST.contains(&name)) {
            match last {
                true => self.last = true,
                false => self.more = self.more.take().or_else(|| Some(shown())),
            }
        } else if let Some(total) = TOTALS.contains(&name).then(|| number(&value)).flatten() {
            if self.total.as_ref().is_none_or(|(so_far, _)| total > *so_far) {
                self.total = Some((total, shown()));
            }
        } else if ERRORS.contains(&name) && outer && !is_nothing(&value) {
            self.error = self.error.take().or_else(|| Some(shown()));
        } else if AROUND.contains(&name) && outer {
            match &value {
                Value::Object(members) => {
                    for (name, value) in members {
                        self.member(&format!("{path}.{name}"), &plain(name), &value.to_string(), false);
                    }
                }
                Value::Array(links) => self.links(path, links),
                _ => {}
            }
        }
    }

    /// Links as `[{"rel": "next", "href": …}]`, their relations compared without case.
    fn links(&mut self, path: &str, links: &[Value]) {
        let is_next = |link: &&Value| {
            let relation = ["rel", "relation"].iter().find_map(|name| link.get(name)).and_then(Value::as_str);
            let target = ["href", "url", "uri"].iter().find_map(|name| link.get(name));
            relation.is_some_and(|relation| relation.eq_ignore_ascii_case("next"))
                && target.is_some_and(|target| !is_nothing(target))
        };
        if let Some(link) = links.iter().find(is_next) {
            self.more = self.more.take().or_else(|| Some(format!("`{path}` holds {}", cut(&link.to_string()))));
        }
    }

    /// What says that there are more rows than were given out, as the end of a sentence.
    pub(super) fn beyond(&self, rows: u64) -> Option<&str> {
        let above = self.total.as_ref().filter(|(total, _)| *total > rows).map(|(_, shown)| shown);
        self.more.as_ref().or(above).map(String::as_str)
    }
}

/// A name without what interfaces write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Whether a value says that there is none: of a link `{"href": null}` as well.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(said) => !said,
        Value::Number(number) => number.as_f64().is_some_and(|number| number <= 0.0),
        Value::String(text) => {
            let text = text.trim();
            ["", "false", "no", "null", "none", "0"].iter().any(|none| text.eq_ignore_ascii_case(none))
        }
        Value::Array(items) => items.iter().all(is_nothing),
        Value::Object(members) => members.values().all(is_nothing),
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// As much of a value as a sentence bears.
fn cut(text: &str) -> String {
    const LONGEST_SHOWN: usize = 80;
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(text: &str) -> Vec<String> {
        text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
    }

    fn beyond(answer: &str) -> Option<String> {
        let items = if answer.contains("\"rows\": [") { path("data.rows") } else { path("data") };
        Said::by(answer, &items).beyond(1).map(str::to_owned)
    }

    #[test]
    fn more_rows_than_were_given_out() {
        for (members, shown) in [
            (r#""has_more": true"#, "`has_more` is true"),
            (r#""hasMore": "true""#, "`hasMore` is \"true\""),
            (r#""next": "/more?page=2""#, "`next` is \"/more?page=2\""),
            (r#""meta": {"next": "abc"}"#, "`meta.next` is \"abc\""),
            (r#""_links": {"next": {"href": "/p2"}}"#, "`_links.next` is {\"href\":\"/p2\"}"),
            (r#""links": [{"rel": "NEXT", "href": "/p2"}]"#, "`links` holds {"),
            (r#""link": [{"relation": "Next", "url": "/p2"}]"#, "`link` holds {"),
            (r#""@odata.nextLink": "/p2""#, "`@odata.nextLink` is"),
            (r#""pageInfo": {"hasNextPage": true}"#, "`pageInfo.hasNextPage` is true"),
            (r#""last": false"#, "`last` is false"),
            (r#""page": {"isLast": false}"#, "`page.isLast` is false"),
            (r#""incomplete_results": true"#, "`incomplete_results` is true"),
            (r#""total": 10"#, "`total` is 10"),
            (r#""meta": {"total-count": "10"}"#, "`meta.total-count` is \"10\""),
            (r#""total": 1, "count": 2"#, "`count` is 2"),
        ] {
            let said = beyond(&format!(r#"{{"data": [{{"id": 1}}], {members}}}"#)).unwrap_or_default();
            assert!(said.starts_with(shown), "{members}: {said}");
        }
        assert!(beyond(r#"{"data": {"rows": [{"id": 1}], "next": "x"}}"#).is_some());
        assert!(beyond(r#"{"data": {"rows": [{"id": 1}]}, "next": "x"}"#).is_some());
    }

    #[test]
    fn no_more_rows_than_were_given_out() {
        for members in [
            r#""has_more": false"#,
            r#""last": true"#,
            r#""last": "Smith""#,
            r#""next": null"#,
            r#""next": """#,
            r#""meta": {"next": null, "total": 1, "prev": "/p0"}"#,
            r#""links": {"next": {"href": null}, "last": "/p1"}"#,
            r#""links": [{"rel": "next", "href": null}, {"rel": "prev", "href": "/p0"}]"#,
            r#""total": 1"#,
            r#""total": 0"#,
            r#""total": 1204.50"#,
            r#""summary": {"total": 950}"#,
            r#""limit": 100, "offset": 0"#,
        ] {
            let answer = format!(r#"{{"data": [{{"id": 1, "total": 7, "next": "x", "error": "x"}}], {members}}}"#);
            assert_eq!(beyond(&answer), None, "{members}");
            assert_eq!(Said::by(&answer, &path("data")).error, None, "{members}");
        }
        assert_eq!(Said::by(r#"[{"total": 7, "next": "x"}]"#, &[]), Said::default());
        assert!(Said::by(r#"{"data": [], "next": null}"#, &path("data")).last);
        assert!(!Said::by(r#"{"data": []}"#, &path("data")).last);
    }

    #[test]
    fn what_went_wrong() {
        let error = |answer: &str, items: &str| Said::by(answer, &path(items)).error;
        assert!(error(r#"{"data": [], "error": "session expired"}"#, "data").is_some());
        assert!(error(r#"{"data": {"rows": []}, "errors": [{"message": "not authorized"}]}"#, "data.rows").is_some());
        assert!(error(r#"{"data": {"rows": [], "errors": ["x"]}}"#, "data.rows").is_some());
        for nothing in ["null", "false", "\"\"", "[]", "{}", "0", "{\"code\": 0, \"message\": null}"] {
            assert_eq!(error(&format!(r#"{{"data": [], "error": {nothing}, "errors": {nothing}}}"#), "data"), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: candor_test_size::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_answer(answer in "[\\[\\]{}\":,a-z0-9 ]{0,60}", items in "[a-c]{0,1}") {
            let _ = Said::by(&answer, &path(&items));
            let _ = Said::by(&format!("{{\"a\": [], \"meta\": {answer}}}"), &path("a"));
        }
    }
}
