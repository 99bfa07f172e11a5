//! Statements of an answer in addition to its rows: that there are more of them, how many there are, that something
//! went wrong.
//!
//! No standard names these members, so the words of a name decide, however it is written: `hasMore`, `has_more`,
//! `X-Total-Count`. The table of the tests has the answers of JSON:API, HAL, OData, FHIR, Django REST framework, Spring,
//! Laravel, Stripe, Relay, Google, GraphQL, GitLab, PostgREST, WordPress, Salesforce, Slack, Airtable, Twilio, Kubernetes,
//! DynamoDB, Solr, Elasticsearch and others.

use candor_json::Value;

use super::envelope;

/// A number in a member whose name is made of these words alone, one of [`TOTALS`] among them, counts rows or pages.
const COUNTED: [&str; 33] = [
    "total",
    "count",
    "found",
    "records",
    "record",
    "pages",
    "page",
    "rows",
    "row",
    "items",
    "item",
    "results",
    "result",
    "elements",
    "element",
    "entries",
    "hits",
    "documents",
    "docs",
    "matches",
    "objects",
    "num",
    "number",
    "all",
    "size",
    "x",
    "wp",
    "odata",
    "full",
    "remaining",
    "nb",
    "hydra",
    "pagination",
];
const TOTALS: [&str; 7] = ["total", "count", "found", "records", "pages", "remaining", "nb"];
/// A name with one of [`MORE`], and otherwise of these words and of [`COUNTED`], says that there is more.
const LEADS: [&str; 26] = [
    "has",
    "is",
    "next",
    "more",
    "cursor",
    "continue",
    "continuation",
    "truncated",
    "incomplete",
    "partial",
    "token",
    "url",
    "uri",
    "link",
    "href",
    "offset",
    "marker",
    "key",
    "batch",
    "set",
    "available",
    "exists",
    "id",
    "ms",
    "query",
    "resumption",
];
const MORE: [&str; 9] =
    ["next", "more", "cursor", "continue", "continuation", "truncated", "incomplete", "partial", "resumption"];
/// `false` in a member of this name says that there are more rows.
const DONE: [&str; 13] = [
    "done",
    "complete",
    "completed",
    "final",
    "finished",
    "end",
    "isend",
    "exhausted",
    "last",
    "islast",
    "lastpage",
    "islastpage",
    "iscomplete",
];
/// `true` in a member of this name says that rows were left out.
const CUT_OFF: [&str; 5] = ["timedout", "terminatedearly", "limitexceeded", "limitreached", "exceededtransferlimit"];
/// A member of this name leads to more rows unless it is empty.
const KEYS: [&str; 3] = ["lastevaluatedkey", "paginationtoken", "skiptoken"];
/// Words of objects that hold such members.
const AROUND: [&str; 17] = [
    "meta",
    "metadata",
    "pagination",
    "paginator",
    "paging",
    "pager",
    "page",
    "pages",
    "pageinfo",
    "links",
    "link",
    "info",
    "shards",
    "total",
    "view",
    "set",
    "additional",
];
const ERRORS: [&str; 2] = ["error", "errors"];

/// The longest text of a member that is examined.
const LONGEST: usize = 64 << 10;
/// How many objects may be around such a member.
const DEEPEST: usize = 3;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) more: Option<String>,
    /// True if a member says that there are no more.
    pub(super) last: bool,
    pub(super) total: Option<(u64, String)>,
    pub(super) pages: Option<(u64, String)>,
    pub(super) error: Option<String>,
    /// A cursor, which is the end of an answer whose flag says that there are no more.
    cursor: Option<String>,
    flagged_last: bool,
}

impl Said {
    pub(super) fn by(answer: &str, items: &[String], fields: &[(String, String)]) -> Self {
        let mut said = Self::default();
        for depth in 0..items.len() {
            let (above, within) = items.split_at_checked(depth).unwrap_or_default();
            let Ok(Some(object)) = envelope::at(answer, above) else { break };
            let path = |name: &str| above.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
            for (name, value) in envelope::members(object) {
                if within.first() == Some(&name) || value.len() > LONGEST {
                    continue;
                }
                if let Ok(value) = candor_json::from_str::<Value>(value) {
                    said.member(&path(&name), &name, &value, 0);
                }
            }
        }
        for (name, value) in fields {
            said.field(name, value);
        }
        // A cursor may lead to the page that was just read.
        if !said.flagged_last {
            said.more = said.more.take().or(said.cursor.take());
        }
        said
    }

    /// `X-Total-Count: 6`, `X-Next-Page: 2`, `X-Pagination: {"total": 6}`, `Content-Range: 0-1/6` (RFC 9110, 14.4).
    fn field(&mut self, name: &str, value: &str) {
        let shown = format!("the header field `{name}` is {value}");
        if name.eq_ignore_ascii_case("content-range") {
            let total = value.rsplit_once('/').and_then(|(_, total)| total.trim().parse().ok());
            self.counted(false, total, shown);
        } else {
            let object = candor_json::from_str(value).ok().filter(Value::is_object);
            self.member(name, name, &object.unwrap_or_else(|| Value::from(value)), 1);
        }
    }

    fn member(&mut self, path: &str, name: &str, value: &Value, depth: usize) {
        let words = words(name);
        let bare = words.concat();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let shown = || format!("`{path}` is {}", cut(&value.to_string()));
        let more = |said: &mut Self| said.more = said.more.take().or_else(|| Some(shown()));
        if ERRORS.contains(&bare.as_str()) && depth == 0 && !is_nothing(value) {
            self.error = self.error.take().or_else(|| Some(shown()));
        } else if bare == "failed" && number(value).is_some_and(|failed| failed > 0) && path.contains("shards")
            || value == true && CUT_OFF.contains(&bare.as_str())
            || KEYS.contains(&bare.as_str()) && !is_nothing(value)
            || bare == "offset" && value.as_str().is_some_and(|text| !is_nothing(value) && text.parse::<f64>().is_err())
            || DONE.contains(&bare.as_str()) && value == false
        {
            more(self);
        } else if DONE.contains(&bare.as_str()) && value == true {
            (self.last, self.flagged_last) = (true, true);
        } else if has(&MORE) && words.iter().all(|word| is_known(word)) {
            match (is_nothing(value), value.is_boolean() || value.as_str() == Some("false")) {
                (true, flag) => (self.last, self.flagged_last) = (true, self.flagged_last || flag),
                (false, _) if has(&["cursor"]) => self.cursor = self.cursor.take().or_else(|| Some(shown())),
                (false, _) => more(self),
            }
        } else if counts(&words)
            && !path.contains("shards")
            && (number(value).is_some() || value.get("value").and_then(number).is_some())
        {
            let number = number(value).or_else(|| value.get("value").and_then(number));
            let is_pages = has(&["pages"]) || bare == "lastpage" || bare == "pagecount";
            match has(&["remaining"]) {
                true if number > Some(0) => more(self),
                true => {}
                // Elasticsearch counts to a bound.
                false if value.get("relation").is_some_and(|relation| relation == "gte") => more(self),
                false => self.counted(is_pages, number, shown()),
            }
        } else if bare == "lastpage" {
            self.counted(true, number(value), shown());
        } else if has(&AROUND) && depth < DEEPEST {
            match value {
                Value::Object(members) => {
                    self.last_of(path, members);
                    for (name, value) in members {
                        self.member(&format!("{path}.{name}"), name, value, depth + 1);
                    }
                }
                Value::Array(links) => self.links(path, links),
                _ => {}
            }
        }
    }

    fn counted(&mut self, pages: bool, number: Option<u64>, shown: String) {
        let so_far = if pages { &mut self.pages } else { &mut self.total };
        if let Some(number) = number.filter(|number| so_far.as_ref().is_none_or(|(so_far, _)| number > so_far)) {
            *so_far = Some((number, shown));
        }
    }

    /// Links to this page and to the last one that lead to two pages.
    fn last_of(&mut self, path: &str, members: &candor_json::Map<String, Value>) {
        let target = |name: &str| {
            let link = members.get(name)?;
            link.as_str().or_else(|| link.get("href")?.as_str())
        };
        if let (Some(own), Some(last)) = (target("self"), target("last"))
            && own != last
        {
            self.more = self.more.take().or_else(|| Some(format!("`{path}.last` is {}", cut(last))));
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

    /// The member that says that there are more rows, or more pages, than were read: the end of a sentence.
    pub(super) fn beyond(&self, rows: u64, pages: u64) -> Option<&str> {
        let total = self.total.as_ref().filter(|(total, _)| *total > rows).map(|(_, shown)| shown);
        let of_pages = self.pages.as_ref().filter(|(number, _)| *number > pages).map(|(_, shown)| shown);
        self.more.as_ref().or(total).or(of_pages).map(String::as_str)
    }
}

/// The words of a name, in lower case: `recordsTotal`, `X-WP-Total`, `@odata.nextLink`.
fn words(name: &str) -> Vec<String> {
    /// Longer names are not made of the known words.
    const LONGEST_NAME: usize = 40;
    if name.len() > LONGEST_NAME {
        return vec![name.to_owned()];
    }
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    let mut begins = true;
    for c in name.chars() {
        begins |= was_lower && c.is_uppercase();
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        match (c.is_alphanumeric(), words.last_mut()) {
            (false, _) => begins = true,
            (true, Some(word)) if !begins => word.extend(c.to_lowercase()),
            (true, _) => {
                words.push(c.to_lowercase().collect());
                begins = false;
            }
        }
    }
    // What is written without a sign between its words: `totalcount`, `hasnextpage`.
    words.into_iter().flat_map(|word| parts(&word).unwrap_or_else(|| vec![word])).collect()
}

fn is_known(word: &str) -> bool {
    COUNTED.contains(&word) || LEADS.contains(&word)
}

fn parts(word: &str) -> Option<Vec<String>> {
    if is_known(word) {
        return Some(vec![word.to_owned()]);
    }
    COUNTED.iter().chain(&LEADS).filter(|known| known.len() > 1).find_map(|known| {
        let mut rest = parts(word.strip_prefix(known).filter(|rest| !rest.is_empty())?)?;
        rest.insert(0, (*known).to_owned());
        Some(rest)
    })
}

fn counts(words: &[String]) -> bool {
    let all = words.iter().all(|word| COUNTED.contains(&word.as_str()));
    let of_page = words.iter().any(|word| word == "page") && words.iter().any(|word| word == "size");
    let number = words.iter().any(|word| word == "page") && words.iter().any(|word| word == "number");
    all && !of_page && !number && words.iter().any(|word| TOTALS.contains(&word.as_str()))
}

/// True for a value that says that there is nothing: for a link, `{"href": null}` as well.
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

fn cut(text: &str) -> String {
    const LONGEST_SHOWN: usize = 80;
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
