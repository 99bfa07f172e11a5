//! The OpenAPI 3.1 document, made of the table of routes.

use std::collections::BTreeMap;

use candor_json::{Map, Value, json};

use crate::call::{Opens, Route, Subject, Takes};

pub(crate) fn document(url: &str, routes: &[Route]) -> Value {
    let mut paths = BTreeMap::<String, Map<String, Value>>::new();
    for route in routes {
        let item = paths.entry(route.path.replace("{*path}", "{path}")).or_default();
        item.insert(route.method.to_ascii_lowercase(), operation(route));
    }
    let error = json!({"code": string(), "message": string(), "details": {}});
    let error = object(json!({"error": object(error, &["code", "message", "details"])}), &["error"]);
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Candor", "version": env!("CARGO_PKG_VERSION")},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": {"Error": error},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn operation(route: &Route) -> Value {
    let in_path = parameters(route.path).map(|name| parameter(name, "path", string()));
    let in_query = queries(route).iter().map(|name| parameter(name, "query", query(route, name)));
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let answers = route.answers.iter().map(|status| (status.to_string(), answer(route, *status)));
    let failures = failures(route).into_iter().map(|status| (status.to_string(), failure(route)));
    let responses: Map<String, Value> = answers.chain(failures).collect();
    let tokens = if route.opens == Opens::Anyone { json!([]) } else { json!([{"token": []}]) };
    let mut operation = json!({
        "summary": route.does,
        "operationId": id(route),
        "parameters": parameters,
        "responses": responses,
        "security": tokens,
    });
    if let (Some(members), Some(body)) = (operation.as_object_mut(), body(route)) {
        members.insert("requestBody".to_owned(), body);
    }
    operation
}

fn answer(route: &Route, status: u16) -> Value {
    if matches!(status, 204 | 303) {
        return json!({"description": route.does});
    }
    let kind = answered_as(route);
    let page = (route.has_page() && kind == "application/json").then(|| ("text/html", string()));
    let has_lines = route.method == "GET" && route.formats().contains(&"ndjson");
    let lines = has_lines.then(|| ("application/x-ndjson", string()));
    json!({"description": route.does, "content": contents([(kind, json!({}))].into_iter().chain(page).chain(lines))})
}

fn failure(route: &Route) -> Value {
    let error = match route.is_fhir() {
        true => ("application/fhir+json", resource()),
        false => ("application/json", json!({"$ref": "#/components/schemas/Error"})),
    };
    let page = route.has_page().then(|| ("text/html", string()));
    json!({"description": "An error", "content": contents([error].into_iter().chain(page))})
}

fn contents<'k>(kinds: impl Iterator<Item = (&'k str, Value)>) -> Value {
    kinds.map(|(kind, schema)| (kind.to_owned(), json!({"schema": schema}))).collect::<Map<_, _>>().into()
}

fn failures(route: &Route) -> Vec<u16> {
    let mut statuses = vec![400, 405, 413, 429, 500, 503];
    if route.opens != Opens::Anyone {
        statuses.extend([401, 403]);
    }
    if route.opens == Opens::Anyone && route.method == "POST" {
        statuses.push(401);
    }
    if route.is_nemo()
        || route.path.contains('{')
        || route.path == "/v1/benchmark-runs"
        || route.path == "/criterion-runs"
    {
        statuses.push(404);
    }
    if route.method != "GET" || route.subject == Subject::Sandbox {
        statuses.extend([409, 422]);
    }
    if !matches!(route.takes, Takes::Nothing) {
        statuses.push(415);
    }
    if route.is_fhir() {
        statuses.extend([406, 410, 412]);
    }
    statuses.retain(|status| !route.answers.contains(status));
    statuses
}

fn id(route: &Route) -> String {
    let path = route.path.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    format!("{}{}", route.method.to_ascii_lowercase(), path.trim_end_matches('_'))
        + if route.path.len() > 1 && route.path.ends_with('/') { "_slash" } else { "" }
}

fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|step| Some(step.strip_prefix('{')?.strip_suffix('}')?.trim_start_matches('*')))
}

fn queries(route: &Route) -> &'static [&'static str] {
    match (route.method, route.path) {
        ("GET", "/benchmark-runs" | "/v1/sandboxes/{id}/portal/{table}") => &["limit", "cursor"],
        ("GET", "/criterion-runs") => &["task_run_id", "limit", "cursor"],
        ("GET", "/benchmark-runs/{id}") => &["format", "verdict", "axis", "reason", "text", "page"],
        ("GET", "/benchmark-runs/{id}/shared") => {
            &["token", "task_run", "format", "verdict", "axis", "reason", "text", "page"]
        }
        ("GET", "/benchmark-runs/{id}/comparison") => &["before", "format"],
        ("GET", "/task-runs/{id}/audit") => &["mutants", "seed", "format"],
        ("GET", "/task-runs/{id}" | "/task-runs/{id}/difference" | "/criterion-runs/{id}") => &["format"],
        ("GET", "/nemo/reverify_mode") => &["task_id"],
        ("GET", "/login") => &["next"],
        ("GET", "/v1/sandboxes/{id}/fhir/{type}") => &["_id", "_count", "_offset", "_sort", "_lastUpdated"],
        _ => &[],
    }
}

fn query(route: &Route, name: &str) -> Value {
    match name {
        "limit" => json!({"type": "integer", "minimum": 1, "maximum": 100}),
        "page" | "_count" | "_offset" | "seed" => json!({"type": "integer", "minimum": 0}),
        "mutants" => json!({"type": "integer", "minimum": 0, "maximum": 500}),
        "verdict" => one_of_texts(&["", "pass", "partial", "fail", "inconclusive"]),
        "format" => one_of_texts(route.formats()),
        _ => string(),
    }
}

fn parameter(name: &str, place: &str, schema: Value) -> Value {
    let required = place == "path" || matches!(name, "task_run_id" | "before");
    json!({"name": name, "in": place, "required": required, "schema": schema})
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn any_object() -> Value {
    json!({"type": "object"})
}

fn resource() -> Value {
    object(json!({"resourceType": string()}), &["resourceType"])
}

fn string() -> Value {
    json!({"type": "string"})
}

fn name() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": 200})
}

fn one_of_texts(texts: &[&str]) -> Value {
    json!({"type": "string", "enum": texts})
}

fn one_or_more(of: &Value) -> Value {
    json!({"oneOf": [of, {"type": "array", "items": of, "minItems": 1}]})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// The same, or null, which is read as a member that is not there.
fn or_null(schema: Value) -> Value {
    json!({"oneOf": [schema, {"type": "null"}]})
}

fn answered_as(route: &Route) -> &'static str {
    match (route.method, route.path) {
        _ if route.is_fhir() => "application/fhir+json",
        ("GET", "/metrics") => "text/plain",
        ("GET", "/assets/{name}") => "text/css",
        ("GET", "/task-runs/{id}/sandbox.tar") => "application/x-tar",
        ("POST", "/v1/sandboxes/{id}/hl7") => "application/hl7-v2",
        ("GET", "/v1/sandboxes/{id}/files/{*path}") => "application/octet-stream",
        _ => "application/json",
    }
}

fn body(route: &Route) -> Option<Value> {
    const JSON: &str = "application/json";
    const FHIR: &str = "application/fhir+json";
    const FORM: &str = "application/x-www-form-urlencoded";
    let binary = || json!({"type": "string", "format": "binary"});
    let (kinds, schema, required): (&[&str], Value, bool) = match route.takes {
        Takes::Nothing => return None,
        Takes::Json => (&[JSON], json_body(route), route.subject != Subject::TaskRun),
        Takes::Fhir if !route.path.contains("{type}") => {
            let (bundle, sent) = (one_of_texts(&["Bundle"]), one_of_texts(&["batch", "transaction"]));
            let bundle = json!({"resourceType": bundle, "type": sent, "entry": list(json!({}))});
            (&[FHIR], object(bundle, &["resourceType", "type"]), true)
        }
        Takes::Fhir => (&[FHIR], resource(), true),
        Takes::Form if route.path.ends_with("/delete") => {
            (&[FORM], object(json!({"confirm": one_of_texts(&["yes"])}), &["confirm"]), true)
        }
        Takes::Form => (&[FORM], any_object(), false),
        Takes::Hl7 => (&["application/hl7-v2"], binary(), true),
        Takes::X12 => (&["application/edi-x12"], binary(), true),
        Takes::JsonOrForm => {
            let schema = match route.path {
                "/login" => object(json!({"key": name()}), &["key"]),
                "/logout" => any_object(),
                _ => object(json!({"expires_in": one_of_texts(&["1d", "7d", "30d"])}), &[]),
            };
            (&[JSON, FORM], schema, true)
        }
        // A file may be empty.
        Takes::Bytes => (&["application/octet-stream"], binary(), false),
    };
    let content = contents(kinds.iter().map(|kind| (*kind, schema.clone())));
    Some(json!({"content": content, "required": required}))
}

fn json_body(route: &Route) -> Value {
    match route.path {
        "/tasks" => {
            // A criterion that is wrong in itself is stored, and invalid in each run.
            let assertion = object(json!({"assert": string()}), &["assert"]);
            let criterion = object(json!({"id": string(), "assertion": assertion}), &["id", "assertion"]);
            let criteria = or_null(list(criterion));
            object(json!({"id": name(), "name": string(), "prompt": string(), "criteria": criteria}), &["id"])
        }
        "/benchmarks" => {
            let entry = json!({"task": name(), "id": or_null(name()), "sandbox": any_object()});
            let tasks = or_null(list(object(entry, &["task"])));
            object(json!({"id": name(), "name": or_null(name()), "tasks": tasks}), &["id"])
        }
        "/v1/benchmark-runs" => {
            let members = json!({"benchmark": name(), "scored": {"type": "boolean"}, "agent_id": or_null(name())});
            object(members, &["benchmark"])
        }
        "/nemo/aggregate_metrics" => object(json!({"verify_responses": list(json!({}))}), &["verify_responses"]),
        "/nemo/seed_session" | "/nemo/verify" => {
            object(json!({"candor": object(json!({"task_id": string()}), &[])}), &[])
        }
        "/v1/grade" => {
            let members = json!({"task": any_object(), "sandbox": any_object(), "baseline": any_object()});
            object(members, &["task", "sandbox"])
        }
        // A wrong entry is answered with an error of its own, so each may be anything.
        "/v1/grade/batch" => object(json!({"entries": any_object()}), &["entries"]),
        "/v1/sandboxes/{id}/voice/turns" => {
            one_or_more(&object(json!({"speaker": string(), "text": string()}), &["speaker", "text"]))
        }
        "/v1/sandboxes/{id}/events" => {
            let kinds = one_of_texts(&["hl7_outbound", "x12_response", "voice_turn"]);
            one_or_more(&object(json!({"type": kinds, "payload": {}}), &["type", "payload"]))
        }
        "/v1/sandboxes/{id}/portal/{table}" => one_or_more(&any_object()),
        _ => any_object(),
    }
}
