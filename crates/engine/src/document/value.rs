//! Documents that a program made: a JSON value, without a file.

use std::path::PathBuf;

use candor_json::Value;

use super::places::Places;
use super::{Document, FileError};

/// The deepest nesting that is taken, as of files.
const MAX_DEPTH: usize = 127;

impl Document {
    /// A document that a program made. Its errors name the member (`criteria[0].weight`), because there is no line.
    ///
    /// # Errors
    /// When it is nested deeper than a file may be.
    pub fn from_value(value: Value) -> Result<Self, FileError> {
        let document =
            Self { file: PathBuf::new(), value, places: Places::default(), comments: Vec::new(), bytes: None };
        match is_deeper(&document.value, MAX_DEPTH) {
            true => Err(document.error(&[], format!("it is nested deeper than {MAX_DEPTH} levels"))),
            false => Ok(document),
        }
    }
}

/// Returns `true` if it holds a value below this many levels.
pub(crate) fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(members) => levels == 0 || members.values().any(|member| is_deeper(member, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;
    use candor_json::json;

    fn errors(value: Value) -> Vec<String> {
        let document = Document::from_value(value).unwrap();
        Task::from_document(document).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn errors_name_the_member_in_place_of_a_line() {
        let task = json!({"id": "t", "criteria": [{"id": "a", "wieght": 2, "assertion": {}}]});
        let message = "criteria[0].wieght: unknown key `wieght` in criterion 1; did you mean `weight`?";
        assert_eq!(errors(task), [message]);
        assert_eq!(errors(json!([])), ["the task is an array; expected an object"]);
    }

    #[test]
    fn a_value_is_as_deep_as_a_file_may_be() {
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(Document::from_value(nested(MAX_DEPTH)).is_ok());
        let error = Document::from_value(nested(MAX_DEPTH + 1)).unwrap_err();
        assert_eq!(error.to_string(), "it is nested deeper than 127 levels");
    }
}
