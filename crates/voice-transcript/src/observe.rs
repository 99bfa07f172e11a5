//! Chooses the calls that are meant, and has a judge asked where the assertion needs one.

use candor_check::{Sandbox, Unverifiable};

use crate::matching::Heard;
use crate::seen::{Call, Seen};
use crate::semantic::{Answers, Question};
use crate::settings::Settings;
use crate::source::Calls;

/// How many ids of other calls are kept.
const MOST_OTHERS: usize = 5;

pub(crate) async fn observe(settings: &Settings, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = Calls::of(sandbox, settings.format).await?;
    let meant = |id: &str| settings.call.as_deref().is_none_or(|call| call == id);
    let others = source.calls.iter().filter(|call| !meant(&call.id));
    let calls: Vec<Call> = source.calls.iter().filter(|call| meant(&call.id)).cloned().collect();
    Ok(Seen {
        answers: Answers::of(sandbox, questions(settings, &calls)).await,
        place: source.place.clone(),
        calls,
        considered: source.calls.iter().map(|call| call.turns.len() as u64).sum(),
        others: others.take(MOST_OTHERS).map(|call| call.id.clone()).collect(),
        unread: source.unread.iter().filter(|call| call.id.as_deref().is_none_or(meant)).cloned().collect(),
        notes: source.notes.clone(),
    })
}

fn questions(settings: &Settings, calls: &[Call]) -> Vec<Question> {
    let phrases = || settings.contains.iter().chain(&settings.not_contains);
    if phrases().all(|phrase| phrase.statements.is_empty()) {
        return Vec::new();
    }
    let mut questions = Vec::new();
    for call in calls {
        let heard = Heard::new(&call.turns, &settings.speakers);
        for phrase in phrases() {
            let role = phrase.role.as_deref();
            let ask = |statement: &String| Question::new(statement, role, heard.spoken());
            questions.extend(phrase.statements.iter().map(ask));
        }
    }
    questions
}
