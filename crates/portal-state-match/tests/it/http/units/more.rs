//! Signs that there are more rows than were given out.

use proptest::prelude::*;

use crate::http::more::Said;

fn path(text: &str) -> Vec<String> {
    text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

fn beyond(answer: &str) -> Option<String> {
    let items = if answer.contains("\"rows\": [") { path("data.rows") } else { path("data") };
    Said::by(answer, &items, &[]).beyond(1, 1).map(str::to_owned)
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
        (r#""meta": {"page": {"offset": 0, "limit": 1, "total": 4}}"#, "`meta.page.total` is 4"),
        (r#""meta": {"page": {"currentPage": 1, "lastPage": 2}}"#, "`meta.page.lastPage` is 2"),
        (r#""links": {"self": "/a?page=1", "last": "/a?page=3"}"#, "`links.last` is /a?page=3"),
        (r#""_links": {"self": {"href": "/a"}, "last": {"href": "/b"}}"#, "`_links.last` is /b"),
        (r#""recordsTotal": 6, "recordsFiltered": 6"#, "`recordsTotal` is 6"),
        (r#""pagination": {"page": 1, "pages": 3}"#, "`pagination.pages` is 3"),
        (r#""pagination": {"page": 1, "page_count": 3}"#, "`pagination.page_count` is 3"),
        (r#""totalSize": 1, "done": false"#, "`done` is false"),
        (r#""totalSize": 6"#, "`totalSize` is 6"),
        (r#""nextRecordsUrl": "/next""#, "`nextRecordsUrl` is"),
        (r#""response_metadata": {"next_cursor": "dXNl"}"#, "`response_metadata.next_cursor` is"),
        (r#""offset": "itrX/recY""#, "`offset` is"),
        (r#""next_page_uri": "/2""#, "`next_page_uri` is"),
        (r#""metadata": {"continue": "abc"}"#, "`metadata.continue` is"),
        (r#""metadata": {"remainingItemCount": 4}"#, "`metadata.remainingItemCount` is 4"),
        (r#""Count": 1, "LastEvaluatedKey": {"id": 2}"#, "`LastEvaluatedKey` is"),
        (r#""numFound": 6, "start": 0"#, "`numFound` is 6"),
        (r#""total": {"value": 6, "relation": "eq"}"#, "`total` is {"),
        (r#""timed_out": true"#, "`timed_out` is true"),
        (r#""_shards": {"total": 1, "failed": 1}"#, "`_shards.failed` is 1"),
        (r#""NextContinuationToken": "x", "IsTruncated": true"#, "`NextContinuationToken` is"),
        (r#""hasnextpage": true"#, "`hasnextpage` is true"),
        (r#""hydra:totalItems": 6"#, "`hydra:totalItems` is 6"),
        (r#""hydra:view": {"hydra:next": "/a?page=2"}"#, "`hydra:view.hydra:next` is"),
        (r#""nbHits": 6"#, "`nbHits` is 6"),
        (r#""exceededTransferLimit": true"#, "`exceededTransferLimit` is true"),
        (r#""terminated_early": true"#, "`terminated_early` is true"),
        (r#""pager": {"total": 6}"#, "`pager.total` is 6"),
        (r#""pages": {"page": 1, "total_pages": 3}"#, "`pages.total_pages` is 3"),
        (r#""metadata": {"resultset": {"count": 6, "offset": 1}}"#, "`metadata.resultset.count` is 6"),
        (r#""additional_data": {"pagination": {"more_items": true}}"#, "`additional_data.pagination.more_items` is"),
        (r#""finished": false"#, "`finished` is false"),
        (r#""resumptionToken": "x""#, "`resumptionToken` is"),
        (r#""PaginationToken": "x""#, "`PaginationToken` is"),
        (r#""query-continue": {"a": "x"}"#, "`query-continue` is"),
        (r#""total": {"value": 1, "relation": "gte"}"#, "`total` is {"),
        (r#""page": {"size": 1, "totalElements": 4, "totalPages": 4, "number": 0}"#, "`page.totalElements` is 4"),
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
        r#""page": {"size": 20, "totalElements": 1, "totalPages": 1, "number": 0}"#,
        r#""meta": {"page": {"currentPage": 1, "lastPage": 1, "perPage": 15}}"#,
        r#""links": {"self": "/a?page=1", "last": "/a?page=1"}"#,
        r#""pageInfo": {"hasNextPage": false, "endCursor": "x", "startCursor": "w"}"#,
        r#""has_more": false, "cursor": "x""#,
        r#""metadata": {"continue": "", "remainingItemCount": 0}"#,
        r#""Count": 1, "ScannedCount": 9"#,
        r#""next_appointment": "2026-12-01", "moreInfo": "https://a.example", "unread_count": 12"#,
        r#""timed_out": false, "_shards": {"total": 1, "failed": 0}"#,
        r#""done": true, "totalSize": 1"#,
        r#""_shards": {"total": 5, "successful": 5, "failed": 0}"#,
        r#""additional": {"note": "x"}, "end": "2026-12-01", "settings": {"total": 5}"#,
    ] {
        let answer = format!(r#"{{"data": [{{"id": 1, "total": 7, "next": "x", "error": "x"}}], {members}}}"#);
        assert_eq!(beyond(&answer), None, "{members}");
        assert_eq!(Said::by(&answer, &path("data"), &[]).error, None, "{members}");
    }
    assert_eq!(Said::by(r#"[{"total": 7, "next": "x"}]"#, &[], &[]), Said::default());
    assert!(Said::by(r#"{"data": [], "next": null}"#, &path("data"), &[]).last);
    assert!(!Said::by(r#"{"data": []}"#, &path("data"), &[]).last);
}

#[test]
fn header_fields_say_it_as_well() {
    let beyond = |name: &str, value: &str| {
        let fields = [(name.to_owned(), value.to_owned())];
        Said::by(r#"{"data": [{"id": 1}]}"#, &path("data"), &fields).beyond(1, 1).map(str::to_owned)
    };
    for (name, value) in [
        ("x-total-count", "6"),
        ("x-next-page", "2"),
        ("x-total", "6"),
        ("content-range", "0-0/6"),
        ("x-wp-total", "6"),
        ("x-wp-totalpages", "3"),
        ("x-ms-continuation", "abc"),
        ("total-count", "6"),
        ("pagination-next-page", "2"),
        ("next-cursor", "abc"),
    ] {
        assert!(beyond(name, value).is_some_and(|said| said.contains(value)), "{name}");
    }
    let pagination = beyond("x-pagination", "{\"TotalCount\": 6, \"PageSize\": 1}");
    assert_eq!(pagination.as_deref(), Some("`x-pagination.TotalCount` is 6"));
    for (name, value) in [
        ("x-total-count", "1"),
        ("x-next-page", ""),
        ("content-range", "0-0/*"),
        ("content-range", "0-0/1"),
        ("x-wp-totalpages", "1"),
        ("x-ratelimit-remaining", "59"),
        ("x-request-id", "9000"),
        ("x-per-page", "20"),
        ("x-page", "2"),
        ("age", "6"),
        ("ratelimit-remaining", "59"),
        ("x-pagination", "{\"TotalCount\": 1, \"PageSize\": 20}"),
    ] {
        assert_eq!(beyond(name, value), None, "{name}");
    }
}

#[test]
fn what_went_wrong() {
    let error = |answer: &str, items: &str| Said::by(answer, &path(items), &[]).error;
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
        let _ = Said::by(&answer, &path(&items), &[]);
        let _ = Said::by(&format!("{{\"a\": [], \"meta\": {answer}}}"), &path("a"), &[("x-next".to_owned(), answer)]);
    }
}
