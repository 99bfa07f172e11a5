//! Threads of Candor's own. No test here has a tokio runtime.

use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use candor_check::{Obstacle, Unverifiable};

use crate::work::{Budget, Work, WorkError, cancelled, hold, side_by_side, until_cancelled};

/// Only a hang takes longer.
const LONG: Duration = Duration::from_secs(120);

/// A time limit that no test reaches.
const HOUR: Duration = Duration::from_secs(3600);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Polls a future once, so that it begins.
fn begin<F: Future>(future: Pin<&mut F>) {
    assert!(future.poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

fn eventually(is_so: impl Fn() -> bool) -> bool {
    let end = Instant::now() + LONG;
    while !is_so() && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    is_so()
}

fn threads(threads: usize) -> Work {
    Work::new(Budget { threads, ..Budget::default() })
}

fn name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

#[test]
fn works_on_threads_of_its_own_without_a_runtime() {
    let work = Work::default();
    assert!(block_on(work.judge(name)).unwrap().starts_with("candor-work-"));
    assert!(block_on(work.read(LONG, "x", || Ok(name()))).unwrap().starts_with("candor-work-"));
    assert!(block_on(work.ask(LONG, "x", || Ok(name()))).unwrap().starts_with("candor-wait-"));
    assert!(block_on(work.wait(name)).unwrap().starts_with("candor-wait-"));
    let began = Instant::now();
    block_on(work.sleep(Duration::from_millis(30)));
    assert!(began.elapsed() >= Duration::from_millis(30));
    assert!(work.settle(LONG));
}

#[test]
fn a_time_limit_counts_work_and_not_the_wait_for_a_thread() {
    let work = threads(1);
    let limit = Duration::from_secs(3);
    let slow = || {
        work.read(limit, "x", || {
            thread::sleep(Duration::from_millis(100));
            Ok(())
        })
    };
    let mut jobs: Vec<_> = (0..35).map(|_| Box::pin(slow())).collect();
    jobs.iter_mut().for_each(|job| begin(job.as_mut()));
    let began = Instant::now();
    for job in jobs {
        assert_eq!(block_on(job), Ok(()));
    }
    assert!(began.elapsed() > limit, "{:?}", began.elapsed());
}

#[test]
fn a_job_whose_time_is_over_is_cancelled_and_makes_way() {
    let work = threads(1);
    let (saw, release) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (sees, released) = (Arc::clone(&saw), Arc::clone(&release));
    let stubborn = work.read(Duration::from_millis(20), "x", move || {
        while !released.load(Ordering::SeqCst) {
            sees.store(cancelled(), Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    });
    let late = block_on(stubborn).unwrap_err();
    assert_eq!((late.obstacle, late.details.as_str()), (Obstacle::Timeout, "reading x took longer than 20 ms"));
    assert!(eventually(|| saw.load(Ordering::SeqCst)));
    // Its thread is not free, and yet the next job runs.
    assert_eq!(block_on(work.judge(|| 7)), Ok(7));
    assert!(!work.settle(Duration::from_millis(1)));
    release.store(true, Ordering::SeqCst);
    assert!(work.settle(LONG));
}

#[test]
fn dropping_the_future_stops_a_read_and_judging() {
    let work = threads(2);
    for judging in [false, true] {
        let rounds = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&rounds);
        let count = move || {
            while !cancelled() {
                counted.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(1));
            }
            Ok::<(), Unverifiable>(())
        };
        {
            let job = async {
                match judging {
                    true => work.judge(count).await.map(drop),
                    false => work.read(HOUR, "x", count).await.map_err(|_| WorkError::TimedOut),
                }
            };
            let mut job = pin!(job);
            begin(job.as_mut());
            assert!(eventually(|| rounds.load(Ordering::SeqCst) > 3));
        }
        // Only cancelling ends it.
        assert!(work.settle(LONG));
        let then = rounds.load(Ordering::SeqCst);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(rounds.load(Ordering::SeqCst), then);
    }
}

#[test]
fn a_reader_ends_with_an_error_once_its_job_is_cancelled() {
    let work = threads(1);
    let (ended, end) = std::sync::mpsc::channel();
    let read = work.read(Duration::from_millis(20), "x", move || {
        let read = io::copy(&mut until_cancelled(io::repeat(0)), &mut io::sink());
        let _ = ended.send(read.unwrap_err().to_string());
        Ok(())
    });
    assert_eq!(block_on(read).unwrap_err().obstacle, Obstacle::Timeout);
    assert_eq!(end.recv_timeout(LONG).unwrap(), "the caller no longer waits for it");
}

#[test]
fn a_job_that_waits_is_never_run_once_it_is_dropped() {
    let work = threads(1);
    let (go, ran) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (going, running) = (Arc::clone(&go), Arc::clone(&ran));
    let mut first = pin!(work.judge(move || while !going.load(Ordering::SeqCst) {
        thread::yield_now();
    }));
    begin(first.as_mut());
    {
        let mut second = pin!(work.judge(move || running.store(true, Ordering::SeqCst)));
        begin(second.as_mut());
    }
    go.store(true, Ordering::SeqCst);
    assert_eq!(block_on(first), Ok(()));
    assert_eq!(block_on(work.judge(|| ())), Ok(()));
    assert!(!ran.load(Ordering::SeqCst));
}

#[test]
fn a_panic_is_told_and_ends_no_thread_for_the_others() {
    let work = threads(1);
    let broke = block_on(work.judge(|| -> u8 { panic!("boom") }));
    assert_eq!(broke, Err(WorkError::Broke("boom".to_owned())));
    let read = block_on(work.read(LONG, "x/", || -> Result<u8, Unverifiable> { panic!("boom {}", 1) })).unwrap_err();
    assert_eq!(read.obstacle, Obstacle::Undecidable);
    assert!(read.details.contains("reading x/ broke the reader") && read.details.contains("boom 1"), "{read:?}");
    assert_eq!(block_on(work.judge(|| 7)), Ok(7));
}

#[test]
fn judging_comes_first_and_then_the_older_look() {
    let work = threads(1);
    let go = Arc::new(AtomicBool::new(false));
    let going = Arc::clone(&go);
    let mut first = pin!(work.judge(move || while !going.load(Ordering::SeqCst) {
        thread::yield_now();
    }));
    begin(first.as_mut());
    assert!(eventually(|| !work.settle(Duration::ZERO)));
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let order = Arc::clone(&order);
        move || {
            order.lock().unwrap().push(what);
            Ok::<(), Unverifiable>(())
        }
    };
    let (older, younger) = (work.look(), work.look());
    let of_younger = note("younger read");
    let of_older = note("older read");
    let mut a = pin!(younger.read(LONG, "x", of_younger));
    begin(a.as_mut());
    let mut b = pin!(older.read(LONG, "x", of_older));
    begin(b.as_mut());
    let mut c = pin!(younger.judge(note("younger judge")));
    begin(c.as_mut());
    go.store(true, Ordering::SeqCst);
    block_on(first).unwrap();
    block_on(a).unwrap();
    block_on(b).unwrap();
    block_on(c).unwrap().unwrap();
    assert_eq!(*order.lock().unwrap(), ["younger judge", "older read", "younger read"]);
}

#[test]
fn no_read_begins_beyond_the_budget_of_memory_but_one() {
    let work = Work::new(Budget { threads: 4, memory: 100 << 20, ..Budget::default() });
    let (most, now) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // One that meets others goes on until another one runs at the same time.
    let read = |look: Work, meets: bool| {
        let (most, now) = (Arc::clone(&most), Arc::clone(&now));
        async move {
            look.read(HOUR, "x", move || {
                hold(80 << 20);
                let at_once = now.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(at_once, Ordering::SeqCst);
                match meets {
                    true => assert!(eventually(|| most.load(Ordering::SeqCst) > 1)),
                    false => thread::sleep(Duration::from_millis(100)),
                }
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
            .await
        }
    };
    // The first two hold 160 MiB until they are dropped; nothing else runs next to a third one.
    let mut held: Vec<_> = (0..2).map(|_| work.look()).collect();
    for look in &held {
        block_on(read(look.clone(), false)).unwrap();
    }
    let mut jobs: Vec<_> = (0..6).map(|_| Box::pin(read(work.look(), false))).collect();
    jobs.iter_mut().for_each(|job| begin(job.as_mut()));
    for job in jobs {
        block_on(job).unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 1);
    held.clear();
    let mut jobs: Vec<_> = (0..6).map(|_| Box::pin(read(work.look(), true))).collect();
    jobs.iter_mut().for_each(|job| begin(job.as_mut()));
    for job in jobs {
        block_on(job).unwrap();
    }
    assert!(most.load(Ordering::SeqCst) > 1);
}

#[test]
fn threads_end_with_the_last_that_needs_them() {
    let work = threads(2);
    let shared = Arc::downgrade(&work.pool.shared);
    let other = work.clone();
    block_on(work.read(LONG, "x", || Ok(()))).unwrap();
    drop(work);
    block_on(other.sleep(Duration::from_millis(1)));
    assert!(shared.upgrade().is_some());
    drop(other);
    assert!(eventually(|| shared.upgrade().is_none()));
}

#[test]
fn as_many_read_side_by_side_as_the_budget_has_threads_and_the_results_are_in_order() {
    for budget in [1, 2, 4] {
        let work = threads(budget);
        let most = block_on(work.judge(move || {
            let (most, now) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let items: Vec<u8> = (0..40).collect();
            let read = side_by_side(
                &items,
                |_| 1 << 20,
                |item| {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let met = eventually(|| most.load(Ordering::SeqCst) >= budget);
                    now.fetch_sub(1, Ordering::SeqCst);
                    (*item, met)
                },
            );
            assert!(read.into_iter().eq(items.into_iter().map(|item| (item, true))));
            most.into_inner()
        }));
        assert_eq!(most, Ok(budget));
        assert!(eventually(|| work.pool.shared.lend(9).len() == budget));
    }
}

#[test]
fn a_thread_is_started_neither_for_a_few_bytes_nor_for_one_file() {
    let work = threads(4);
    for (files, bytes) in [(9, 100), (1, 1 << 30)] {
        let names = block_on(work.judge(move || side_by_side(&vec![(); files], |()| bytes, |()| name()))).unwrap();
        assert_eq!(names.len(), files);
        assert!(names.iter().all(|name| name.starts_with("candor-work-") && !name.ends_with("side")), "{names:?}");
    }
    assert_eq!(side_by_side(&[1, 2], |_| 1 << 30, |item| item * 2), [2, 4]);
}

#[test]
fn a_job_that_waits_gets_the_thread_that_was_lent() {
    const FILES: usize = 20_000;
    let work = threads(2);
    let (read, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, is_over) = (Arc::clone(&read), Arc::clone(&over));
    let mut reading = pin!(work.judge(move || {
        let file = |(): &()| {
            counted.fetch_add(1, Ordering::SeqCst);
            if !is_over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        side_by_side(&[(); FILES], |()| 1 << 20, file).len()
    }));
    begin(reading.as_mut());
    assert!(eventually(|| read.load(Ordering::SeqCst) > 10));
    let before = block_on(work.judge(move || {
        let before = read.load(Ordering::SeqCst);
        over.store(true, Ordering::SeqCst);
        before
    }));
    assert!(before.unwrap() < FILES);
    assert_eq!(block_on(reading), Ok(FILES));
}

#[test]
fn threads_that_help_see_that_their_job_is_cancelled() {
    let work = threads(3);
    let running = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&running);
    {
        let mut job = pin!(work.read(HOUR, "x", move || {
            let file = |(): &()| {
                counted.fetch_add(1, Ordering::SeqCst);
                while !cancelled() {
                    thread::sleep(Duration::from_millis(1));
                }
            };
            side_by_side(&[(); 3], |()| 1 << 20, file);
            Ok(())
        }));
        begin(job.as_mut());
        assert!(eventually(|| running.load(Ordering::SeqCst) == 3));
    }
    assert!(work.settle(LONG));
}

#[test]
fn the_first_panic_side_by_side_is_that_of_the_job() {
    let work = threads(4);
    let file = |item: &u8| {
        if *item == 3 {
            thread::sleep(Duration::from_millis(50));
        }
        assert!(*item < 3, "boom {item}");
    };
    let items: Vec<u8> = (0..40).collect();
    let broke = block_on(work.judge(move || side_by_side(&items, |_| 1 << 20, file)));
    assert_eq!(broke, Err(WorkError::Broke("boom 3".to_owned())));
    assert!(eventually(|| work.pool.shared.lend(9).len() == 4));
}
