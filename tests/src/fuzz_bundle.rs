//! The body of the fuzz target of evidence bundles.

use std::sync::OnceLock;

use candor::bundle::{Bundle, replay};
use candor::{Engine, Sandbox, Task, blocking, bundle};
use candor_json::json;

/// Reads any bytes as a bundle: a sentence, or a replay that is the same only if nothing of the file is damaged. Bytes that
/// begin with 1 are laid over a sound bundle, so that more than its first bytes is read.
///
/// # Panics
/// When they do not hold together.
pub fn bundle(data: &[u8]) {
    let bytes = match data {
        [1, high, low, rest @ ..] => laid_over(usize::from(*high) << 8 | usize::from(*low), rest),
        other => other.to_vec(),
    };
    let changed = bytes != sound();
    match Bundle::read(bytes) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(bundle) => {
            let replay = replay(&bundle, &Engine::standard(), None);
            assert!(!replay.same || !changed && bundle.damage().is_empty(), "{replay:?}");
            let criteria: Vec<String> = bundle.criteria().into_iter().map(str::to_owned).collect();
            assert!(bundle.redacted(&criteria).is_err() || bundle.damage().is_empty());
        }
    }
}

fn laid_over(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut whole = sound().to_vec();
    let at = at % whole.len();
    let end = (at + bytes.len()).min(whole.len());
    whole.splice(at..end, bytes.iter().copied());
    whole
}

fn sound() -> &'static [u8] {
    static SOUND: OnceLock<Vec<u8>> = OnceLock::new();
    SOUND.get_or_init(|| {
        let task = Task::from_value(json!({"id": "t", "criteria": [{"id": "paid", "assertion": {
            "assert": "portal-state-match", "correlate_by": {"resource": "claims", "key": "id", "value": 7},
            "assertions": [{"path": "status", "expected": "paid"}],
        }}]}));
        let sandbox = Sandbox::builder().portal("claims", json!([{"id": 7, "status": "paid"}])).build().unwrap();
        let (engine, task) = (Engine::standard().recording(), task.unwrap());
        let run = blocking::run(&engine, &task, &sandbox).unwrap();
        bundle::write(&engine, &task, &sandbox, &run, None).unwrap()
    })
}
