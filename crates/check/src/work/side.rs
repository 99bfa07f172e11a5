//! Several files of one job, read side by side.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::job;
use super::pool::Lent;

/// The least number of bytes that a thread is started for.
const WORTH: u64 = 1 << 20;

/// Calls `read` with each item and returns the results in order, as if one call followed the other.
///
/// Threads of the budget that are free when this is called take a part of the items. None is waited for, and each is given
/// back once a job waits for it. Without a free thread, outside a job, and for items of less than a MiB in all, this thread
/// reads every item. `bytes` says how large an item is.
///
/// In `read`, [`cancelled`](super::cancelled) answers for the job that called. All results are held at the same time, so
/// the caller bounds their number and size.
///
/// # Panics
/// With the panic of the first item, in order, whose `read` panics.
///
/// ```
/// let lengths = candor_check::work::side_by_side(&["a", "bc"], |_| 1, |text| text.len());
/// assert_eq!(lengths, [1, 2]);
/// ```
pub fn side_by_side<I: Sync, T: Send>(items: &[I], bytes: impl Fn(&I) -> u64, read: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let is_worth_it = items.len() > 1 && items.iter().map(bytes).fold(0, u64::saturating_add) >= WORTH;
    let Some((flag, look)) = job::current().filter(|_| is_worth_it) else { return items.iter().map(read).collect() };
    let lent = look.lend(items.len() - 1);
    let next = AtomicUsize::new(0);
    let some = |lent: Option<&Lent>| {
        let mut done = Vec::new();
        while lent.is_none_or(|lent| !lent.is_wanted()) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = catch_unwind(AssertUnwindSafe(|| read(item)));
            if result.is_err() {
                // Those before it were taken before it, and the others are not needed any more.
                next.fetch_max(items.len(), Ordering::Relaxed);
            }
            done.push((at, result));
        }
        done
    };
    let some = &some;
    let mut done = thread::scope(|scope| {
        let help = |lent: Lent| {
            let (flag, look) = (flag.clone(), Arc::clone(&look));
            let thread = thread::Builder::new().name("candor-work-side".to_owned());
            thread.spawn_scoped(scope, move || job::within(flag, look, || some(Some(&lent)))).ok()
        };
        let helpers: Vec<_> = lent.into_iter().filter_map(help).collect();
        let mut done = some(None);
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}
