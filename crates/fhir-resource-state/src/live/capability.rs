//! The server's own description: asked only where an answer cannot be understood without it.

use candor_http_source::{Ask, Budget, Client};
use candor_json::Value;

use super::page;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Capability {
    version: String,
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

    fn read(value: &Value) -> Option<Self> {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        text(value, "resourceType").filter(|name| name == "CapabilityStatement")?;
        let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let served = list(value, "rest").into_iter().flat_map(|rest| list(&rest, "resource"));
        let types = served.filter_map(|served| text(&served, "type")).collect();
        Some(Self { version: text(value, "fhirVersion").unwrap_or_default(), types })
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

    /// True if elements may be elsewhere than where R4's search parameters look for them.
    pub(super) fn is_after_r4(&self) -> bool {
        is_after_r4(&self.version)
    }

    pub(super) fn serves(&self, resource_type: &str) -> bool {
        self.types.iter().any(|one| one == resource_type)
    }
}

/// 4.0 is R4, 4.3 (and 4.1) is R4B; what R5 came from begins with 4.2, 4.4 and up.
pub(super) fn is_after_r4(version: &str) -> bool {
    let known = ["1.", "3.", "4.0", "4.1", "4.3"];
    !version.is_empty() && !known.iter().any(|start| version.starts_with(start))
}

#[cfg(test)]
mod tests {
    use candor_json::json;

    use super::*;

    #[test]
    fn what_a_server_says() {
        let of = |version: &str| {
            Capability::read(&json!({"resourceType": "CapabilityStatement", "fhirVersion": version,
                "rest": [{"mode": "server", "resource": [{"type": "Patient"}]}]}))
            .unwrap()
        };
        assert!(of("4.0.1").serves("Patient") && !of("4.0.1").serves("Appointment"));
        assert!(of("5.0.0").is_after_r4() && !of("4.3.0").is_after_r4() && !of("4.0.1").is_after_r4());
        assert_eq!(Capability::read(&json!({"resourceType": "Patient"})), None);
    }
}
