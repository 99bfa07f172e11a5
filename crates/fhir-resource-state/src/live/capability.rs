//! The server's own description: asked only where an answer cannot be understood without it.

use candor_http_source::{Ask, Budget, Client};
use candor_json::Value;

use super::page;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Capability {
    types: Vec<String>,
}

impl Capability {
    /// The server's own description; `None` where it does not.
    pub(super) fn ask(client: &Client, budget: &mut Budget) -> Option<Self> {
        let url = format!("{}/metadata", client.server.url);
        let answer = client.ask(Ask::get(&url, "the request for the CapabilityStatement"), budget).ok()?;
        let text = page::checked(&answer.body, &answer.content_type).ok().filter(|_| answer.status == 200)?;
        Self::read(&candor_json::from_str(text).ok()?)
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        text(value, "resourceType").filter(|name| name == "CapabilityStatement")?;
        let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let served = list(value, "rest").into_iter().flat_map(|rest| list(&rest, "resource"));
        let types = served.filter_map(|served| text(&served, "type")).collect();
        Some(Self { types })
    }

    pub(super) fn into_types(self) -> Vec<String> {
        let mut types = Vec::new();
        for one in self.types {
            // The name becomes that of a file.
            if !types.contains(&one) && one.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !one.is_empty() {
                types.push(one);
            }
        }
        types
    }

    pub(super) fn serves(&self, resource_type: &str) -> bool {
        self.types.iter().any(|one| one == resource_type)
    }
}
