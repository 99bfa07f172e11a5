//! The texts of `meta`.

use std::sync::Arc;

use candor_json::{Value, json};
use proptest::prelude::*;

use crate::store::content::Content;

proptest! {
    #[test]
    fn a_text_of_meta_is_what_a_reader_finds(text in any::<String>(), other in "[a\"\\\\{}:,]{0,6}", kind in 0..4_u8) {
        let value = match kind {
            0 => json!(1),
            1 => json!({"versionId": text}),
            2 => json!(""),
            _ => json!(text),
        };
        let meta = json!({"profile": [other, {"versionId": "0"}], other.as_str(): other, "versionId": value});
        let read = meta.get("versionId").and_then(Value::as_str).filter(|text| !text.is_empty());
        let resource = json!({other.as_str(): {"versionId": "0"}, "meta": meta}).to_string().into_bytes();
        let span = 0..resource.len();
        let content = Content::new(Arc::new(resource), span);
        let found = content.text_of_meta("versionId");
        prop_assert_eq!(found.as_deref(), read);
    }
}
