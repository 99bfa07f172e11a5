//! A reading of a source that the criteria of a run share if they ask at the same time.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::oneshot;

use super::Sandbox;
use crate::outcome::{Obstacle, Unverifiable};

type Answer<T> = Result<T, Unverifiable>;
type Asked<A, T> = Vec<(A, oneshot::Sender<Answer<T>>)>;

/// The questions of criteria about a source that is read from its beginning to its end: `A` is a question, `T` its answer.
/// Criteria of one run ([`Work::one_run`](crate::work::Work::one_run)) that ask at the same time share a pass.
pub struct SharedReading<A, T>(Mutex<HashMap<u64, Asked<A, T>>>);

impl<A, T> Default for SharedReading<A, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<A: Clone, T> SharedReading<A, T> {
    /// Answers `ask`. `pass` gets all that is asked at the same time, and answers each, in order. If it cannot answer all
    /// together (`Err`), is dropped or breaks on the way, it is called for each alone.
    ///
    /// # Errors
    /// The answer of `pass` for this one.
    pub async fn read<F>(&self, sandbox: &Sandbox, ask: A, pass: impl Fn(Vec<A>) -> F) -> Answer<T>
    where
        F: Future<Output = Result<Vec<Answer<T>>, Unverifiable>>,
    {
        if let Some(run) = sandbox.work().run() {
            let (give, answer) = oneshot::channel();
            self.waiting().entry(run).or_default().push((ask.clone(), give));
            others_ask().await;
            let asked = self.waiting().remove(&run);
            if let Some(asked) = asked {
                let (asks, gives): (Vec<A>, Vec<_>) = asked.into_iter().unzip();
                let is_shared = asks.len() > 1;
                match pass(asks).await {
                    Ok(answers) => gives.into_iter().zip(answers).for_each(|(give, answer)| drop(give.send(answer))),
                    Err(why) if !is_shared => return Err(why),
                    Err(_) => drop(gives),
                }
            }
            if let Ok(answer) = answer.await {
                return answer;
            }
        }
        let nothing = || Err(Unverifiable::new(Obstacle::Undecidable, "the reading gave no answer"));
        pass(vec![ask]).await?.pop().unwrap_or_else(nothing)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Asked<A, T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the other criteria of the run be polled.
async fn others_ask() {
    let mut asked = false;
    poll_fn(|context| {
        if std::mem::replace(&mut asked, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
