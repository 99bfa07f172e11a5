//! The access that the scopes of a token give. Source: SMART App Launch 2.2, Scopes for requesting FHIR resources
//! (`system/Patient.rs`), and 1.0 (`system/Patient.read`).

/// True if a scope lets resources of a type be read (`r`) or searched (`s`). One that names no resources at all says
/// nothing of them, and allows.
pub(super) fn allows(scope: &str, resource_type: &str, interaction: char) -> bool {
    let mut of_resources = scope.split_whitespace().filter_map(parse).peekable();
    of_resources.peek().is_none()
        || of_resources.any(|(named, permissions)| {
            (named == "*" || named == resource_type)
                && (permissions == "*"
                    || permissions == "read"
                    || (permissions != "write" && permissions.contains(interaction)))
        })
}

/// The resource type and the permissions: `Patient` and `rs` of `system/Patient.rs?gender=female`.
fn parse(one: &str) -> Option<(&str, &str)> {
    let (context, rest) = one.split_once('/')?;
    let (named, permissions) = rest.split('?').next()?.split_once('.')?;
    matches!(context, "system" | "user" | "patient").then_some((named, permissions))
}
