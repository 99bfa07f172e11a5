//! The members of a task and of a criterion.

pub(crate) const TASK_KEYS: &[&str] = &[
    "id",
    "name",
    "prompt",
    "timeout",
    "pass",
    "zone",
    "inputs",
    "entities",
    "criteria",
    "loop",
    "lint",
    "audit",
    "sandbox",
    "agent_writes",
];

pub(crate) const CRITERION_KEYS: &[&str] =
    &["id", "label", "weight", "axis", "input_entity_id", "gate", "partial_credit", "assertion", "undecidable", "zone"];
