//! Files that are read apart.

use candor_json::json;

use crate::store::Builder;

#[test]
fn files_that_were_read_apart_are_as_files_read_one_after_another() {
    let requests = json!({"resourceType": "Bundle", "type": "transaction", "entry": [
        {"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient"}, "request": {"method": "POST", "url": "Patient"}},
        {"fullUrl": "urn:uuid:2", "resource": {"resourceType": "Task", "id": "a", "for": {"reference": "urn:uuid:1"}},
            "request": {"method": "PUT", "url": "Task/a"}},
        {"request": {"method": "DELETE", "url": "Task/b"}},
        {"resource": {"resourceType": "Binary"}, "request": {"method": "PATCH", "url": "Task/c"}},
    ]});
    let page = json!({"resourceType": "Bundle", "type": "searchset", "total": 3,
        "link": [{"relation": "next", "url": "https://a.example/r4/Task?page=2"}],
        "entry": [{"resource": {"resourceType": "Task", "id": "d"}}]});
    let list = json!({"transactionTime": "2026-11-20T10:00:00Z", "output": [{"type": "Task", "count": 9}]});
    let lines =
        "{\"resourceType\": \"Task\", \"id\": \"b\"}\nno JSON\n{\"resourceType\": \"Task\", \"id\": \"a\", \"st";
    let files = [
        ("a.ndjson", lines.to_owned()),
        ("b.json", requests.to_string()),
        ("c.json", page.to_string()),
        ("d.json", requests.to_string()),
        ("e.json", list.to_string()),
        ("f.ndjson", lines.to_owned()),
    ];
    let (mut one, mut apart) = (Builder::default(), Builder::default());
    for (name, text) in &files {
        one.file(name, text.as_bytes());
        apart.append(Builder::of_file(name, text.as_bytes().to_vec()));
    }
    let sequences = |builder: &Builder| {
        let Builder { resources, deleted, changes, unreadable, pages, manifests, .. } = builder;
        format!("{:#?}", (resources, deleted, changes, unreadable, pages, manifests))
    };
    assert_eq!(sequences(&apart), sequences(&one));
    assert!(one.resources.iter().filter(|resource| resource.id.is_none() && resource.key().is_some()).count() == 2);
    assert!(one.changes.len() > 2 && one.deleted.len() == 2 && one.pages.len() == 1 && one.manifests.len() == 1);
    assert_eq!(apart.named, one.named);
    assert_eq!(apart.containers, one.containers);
    let (apart, one) = (apart.of_containers, one.of_containers);
    assert_eq!((apart.put, apart.requests), (one.put, one.requests));
}
