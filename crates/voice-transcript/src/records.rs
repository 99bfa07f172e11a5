//! The calls as records: each speaker's words, in order.

use std::ops::ControlFlow;

use candor_check::difference::{canonical_digest, leaves};
use candor_check::sandbox::{Gaps, PartRecord};
use candor_check::{Obstacle, Unverifiable};
use candor_json::{Map, Value, json};

use crate::seen::Call;
use crate::source::{Calls, PART};

impl Calls {
    pub(crate) fn visit_records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Gaps {
        let _ = self.calls.iter().try_for_each(|call| {
            let digest = canonical_digest(&content(call));
            visit(PartRecord { collection: String::new(), key: call.id.clone(), digest, place: call.source.place() })
        });
        self.unread.iter().map(|unread| unread.unreadable.clone()).collect()
    }

    /// The fields of the call that a record is: `turns.3.text`.
    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let is_it = |call: &&Call| call.id == record.key && call.source.place() == record.place;
        let call = self.calls.iter().find(is_it).ok_or_else(|| {
            let details = format!("{PART}/ has no call {} at its place", record.key);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })?;
        Ok(leaves(&content(call)))
    }
}

/// The content of a call that does not depend on the form in which it was written down.
fn content(call: &Call) -> Value {
    let turn = |turn: &crate::transcript::Turn| {
        let mut members = Map::new();
        for (name, label) in [("speaker", &turn.speaker), ("role", &turn.role)] {
            members.extend(label.as_ref().map(|label| (name.to_owned(), json!(label))));
        }
        members.insert("text".to_owned(), json!(turn.text));
        members.extend((!turn.spoken).then(|| ("spoken".to_owned(), json!(false))));
        Value::Object(members)
    };
    json!({"turns": call.turns.iter().map(turn).collect::<Vec<_>>()})
}
