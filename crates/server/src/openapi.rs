//! The OpenAPI 3.1 document, made of the table of routes.

use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, InfoBuilder, OpenApi, OpenApiBuilder, Paths, RefOr, Required, ResponseBuilder,
    ResponsesBuilder, ServerBuilder,
};

use crate::call::{Opens, Route, Subject, Takes};

pub(crate) fn document(url: &str, routes: &[Route]) -> OpenApi {
    let mut paths = Paths::new();
    for route in routes {
        let path = route.path.replace("{*path}", "{path}");
        let item = PathItem::new(method(route), operation(route));
        match paths.paths.get_mut(&path) {
            Some(known) => known.merge_operations(item),
            None => drop(paths.paths.insert(path, item)),
        }
    }
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Candor").version(env!("CARGO_PKG_VERSION")).build())
        .servers(Some([ServerBuilder::new().url(url).build()]))
        .paths(paths)
        .components(Some(ComponentsBuilder::new().security_scheme("token", token).schema("Error", error()).build()))
        .build()
}

fn method(route: &Route) -> HttpMethod {
    match route.method {
        "GET" => HttpMethod::Get,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Post,
    }
}

fn operation(route: &Route) -> utoipa::openapi::path::Operation {
    let mut operation = OperationBuilder::new().summary(Some(route.does)).operation_id(Some(id(route)));
    for name in parameters(route.path) {
        operation = operation.parameter(parameter(name, ParameterIn::Path, string()));
    }
    for name in queries(route) {
        operation = operation.parameter(parameter(name, ParameterIn::Query, query(route, name)));
    }
    if let Some(body) = body(route) {
        operation = operation.request_body(Some(body));
    }
    if route.opens != Opens::Anyone {
        operation = operation.security(SecurityRequirement::new::<_, [&str; 0], &str>("token", []));
    }
    let mut responses = ResponsesBuilder::new();
    for status in route.answers {
        let mut response = ResponseBuilder::new().description(route.does);
        if !matches!(*status, 204 | 303) {
            response = response.content(answered_as(route), Content::new(Some(anything())));
            if route.has_page() && answered_as(route) == "application/json" {
                response = response.content("text/html", Content::new(Some(string())));
            }
            if route.method == "GET" && route.formats().contains(&"ndjson") {
                response = response.content("application/x-ndjson", Content::new(Some(string())));
            }
        }
        responses = responses.response(status.to_string(), response.build());
    }
    for status in failures(route) {
        let (kind, schema) = match route.is_fhir() {
            true => (
                "application/fhir+json",
                RefOr::T(Schema::from(object().property("resourceType", string()).required("resourceType").build())),
            ),
            false => ("application/json", RefOr::Ref(utoipa::openapi::Ref::from_schema_name("Error"))),
        };
        let mut response = ResponseBuilder::new().description("An error").content(kind, Content::new(Some(schema)));
        if route.has_page() {
            response = response.content("text/html", Content::new(Some(string())));
        }
        responses = responses.response(status.to_string(), response.build());
    }
    operation.responses(responses.build()).build()
}

/// The statuses of errors that a route can have.
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

fn query(route: &Route, name: &str) -> Schema {
    match name {
        "limit" => number(1.0, Some(100.0)),
        "page" | "_count" | "_offset" | "seed" => number(0.0, None),
        "mutants" => number(0.0, Some(500.0)),
        "verdict" => one_of_texts(&["", "pass", "partial", "fail", "inconclusive"]),
        "format" => one_of_texts(route.formats()),
        _ => string(),
    }
}

fn parameter(name: &str, place: ParameterIn, schema: Schema) -> Parameter {
    let required = if matches!(place, ParameterIn::Path) || matches!(name, "task_run_id" | "before") {
        Required::True
    } else {
        Required::False
    };
    ParameterBuilder::new().name(name).parameter_in(place).required(required).schema(Some(schema)).build()
}

fn object() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Object)
}

fn string() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).build().into()
}

fn boolean() -> Schema {
    ObjectBuilder::new().schema_type(Type::Boolean).build().into()
}

/// Any JSON at all: a schema without a keyword.
fn anything() -> Schema {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
}

fn name() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(200)).build().into()
}

fn one_of_texts(texts: &[&str]) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(texts.iter().copied())).build().into()
}

fn number(least: f64, most: Option<f64>) -> Schema {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(most).build().into()
}

/// One of these, or several.
fn one_or_more(of: &dyn Fn() -> Schema) -> Schema {
    let several = ArrayBuilder::new().items(RefOr::T(of())).min_items(Some(1)).build();
    OneOfBuilder::new().item(of()).item(several).build().into()
}

fn list(of: Schema) -> Schema {
    ArrayBuilder::new().items(RefOr::T(of)).build().into()
}

/// The same, or null, which is read as a member that is not there.
fn or_null(schema: Schema) -> Schema {
    OneOfBuilder::new().item(schema).item(ObjectBuilder::new().schema_type(Type::Null)).build().into()
}

fn error() -> Schema {
    let error = object()
        .property("code", string())
        .property("message", string())
        .property("details", ObjectBuilder::new().schema_type(SchemaType::AnyValue).build())
        .required("code")
        .required("message")
        .required("details");
    object().property("error", error.build()).required("error").build().into()
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

fn body(route: &Route) -> Option<RequestBody> {
    let binary = || -> Schema {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
            .build()
            .into()
    };
    let of = |kind: &str, schema: Schema, required: Required| {
        RequestBodyBuilder::new().content(kind, Content::new(Some(schema))).required(Some(required)).build()
    };
    Some(match route.takes {
        Takes::Nothing => return None,
        Takes::Json if route.subject == Subject::TaskRun => {
            of("application/json", object().build().into(), Required::False)
        }
        Takes::Json => of("application/json", json_body(route), Required::True),
        Takes::Fhir if !route.path.contains("{type}") => {
            let bundle = object()
                .property("resourceType", one_of_texts(&["Bundle"]))
                .property("type", one_of_texts(&["batch", "transaction"]))
                .property("entry", list(anything()))
                .required("resourceType")
                .required("type");
            of("application/fhir+json", bundle.build().into(), Required::True)
        }
        Takes::Form if route.path.ends_with("/delete") => {
            let confirmed = object().property("confirm", one_of_texts(&["yes"])).required("confirm");
            of("application/x-www-form-urlencoded", confirmed.build().into(), Required::True)
        }
        Takes::Fhir => of(
            "application/fhir+json",
            object().property("resourceType", string()).required("resourceType").build().into(),
            Required::True,
        ),
        Takes::Form => of("application/x-www-form-urlencoded", object().build().into(), Required::False),
        Takes::Hl7 => of("application/hl7-v2", binary(), Required::True),
        Takes::X12 => of("application/edi-x12", binary(), Required::True),
        Takes::JsonOrForm => {
            let schema = || -> Schema {
                match route.path {
                    "/login" => object().property("key", name()).required("key").build().into(),
                    "/logout" => object().build().into(),
                    _ => object().property("expires_in", one_of_texts(&["1d", "7d", "30d"])).build().into(),
                }
            };
            let form = Content::new(Some(schema()));
            RequestBodyBuilder::new()
                .content("application/json", Content::new(Some(schema())))
                .content("application/x-www-form-urlencoded", form)
                .required(Some(Required::True))
                .build()
        }
        // A file may be empty.
        Takes::Bytes => of("application/octet-stream", binary(), Required::False),
    })
}

fn criterion() -> Schema {
    // A criterion that is wrong in itself is stored, and invalid in each run.
    let assertion = object().property("assert", string()).required("assert");
    let criterion = object().property("id", string()).property("assertion", assertion.build());
    criterion.required("id").required("assertion").build().into()
}

fn json_body(route: &Route) -> Schema {
    let turn = || -> Schema {
        object()
            .property("speaker", string())
            .property("text", string())
            .required("speaker")
            .required("text")
            .build()
            .into()
    };
    match route.path {
        "/tasks" => object()
            .property("id", name())
            .property("name", string())
            .property("prompt", string())
            .property("criteria", or_null(list(criterion())))
            .required("id")
            .build()
            .into(),
        "/benchmarks" => {
            let entry =
                object().property("task", name()).property("id", or_null(name())).property("sandbox", object().build());
            object()
                .property("id", name())
                .property("name", or_null(name()))
                .property("tasks", or_null(list(entry.required("task").build().into())))
                .required("id")
                .build()
                .into()
        }
        "/v1/benchmark-runs" => object()
            .property("benchmark", name())
            .property("scored", boolean())
            .property("agent_id", or_null(name()))
            .required("benchmark")
            .build()
            .into(),
        "/nemo/close" => object().build().into(),
        "/nemo/aggregate_metrics" => {
            object().property("verify_responses", list(anything())).required("verify_responses").build().into()
        }
        "/nemo/seed_session" | "/nemo/verify" => {
            object().property("candor", object().property("task_id", string()).build()).build().into()
        }
        "/v1/grade" => object()
            .property("task", object().build())
            .property("sandbox", object().build())
            .property("baseline", object().build())
            .required("task")
            .required("sandbox")
            .build()
            .into(),
        // A wrong entry is answered with an error of its own, so each may be anything.
        "/v1/grade/batch" => object().property("entries", object().build()).required("entries").build().into(),
        "/v1/sandboxes/{id}/voice/turns" => one_or_more(&turn),
        "/v1/sandboxes/{id}/events" => {
            let event = || -> Schema {
                object()
                    .property("type", one_of_texts(&["hl7_outbound", "x12_response", "voice_turn"]))
                    .property("payload", anything())
                    .required("type")
                    .required("payload")
                    .build()
                    .into()
            };
            one_or_more(&event)
        }
        "/v1/sandboxes/{id}/portal/{table}" => one_or_more(&|| object().build().into()),
        _ => object().build().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::document;
    use crate::routes::table::ROUTES;

    #[test]
    fn the_document_has_every_route_and_no_other() {
        let document = serde_json::to_value(document("http://localhost", ROUTES)).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        let mut listed = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                listed.insert(format!("{} {path}", method.to_uppercase()));
                assert!(ids.insert(operation["operationId"].to_string()), "{operation}");
                let named: BTreeSet<&str> = operation["parameters"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|one| one["in"] == "path")
                    .map(|one| one["name"].as_str().unwrap())
                    .collect();
                assert_eq!(named.len(), path.matches('{').count(), "{path}");
                assert!(operation["responses"].as_object().is_some_and(|responses| responses.len() > 5), "{path}");
            }
        }
        let routes: BTreeSet<String> = ROUTES
            .iter()
            .map(|route| format!("{} {}", route.method, route.path.replace("{*path}", "{path}")))
            .collect();
        assert_eq!(listed, routes);
        assert_eq!(routes.len(), ROUTES.len());
        assert!(document["components"]["securitySchemes"]["token"] != Value::Null);
    }
}
