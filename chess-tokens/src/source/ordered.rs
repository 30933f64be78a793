//! Work done side by side whose results come in order.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::SourceError;

/// Jobs that each thread may have waiting or done.
const JOBS_A_THREAD: usize = 3;

/// Gives a job away; breaks when nobody wants its result.
pub(super) type Send1<'a, J> = dyn FnMut(J) -> ControlFlow<()> + 'a;

/// The results of jobs, in the order of the jobs. It ends after an error. Dropped early, it stops the
/// threads.
pub(super) struct Ordered<O> {
    results: Receiver<Coming<O>>,
    ended: bool,
}

/// What comes next.
enum Coming<O> {
    Result(Receiver<O>),
    Error(SourceError),
    /// Nothing does. A thread that panics does not say so.
    End,
}

/// A job and where its result goes.
type Job<J, O> = (J, SyncSender<O>);

impl<O: Send + 'static> Ordered<O> {
    /// Starts a thread that makes jobs, and so many that do them.
    pub(super) fn start<J: Send + 'static>(
        threads: usize,
        make_jobs: impl FnOnce(&mut Send1<'_, J>) -> Result<(), SourceError> + Send + 'static,
        work: impl Fn(J) -> O + Send + Sync + 'static,
    ) -> Result<Self, SourceError> {
        // As the results that are waited for are bounded, so are the jobs.
        let (coming, results) = mpsc::sync_channel(threads * JOBS_A_THREAD);
        let (jobs, waiting) = mpsc::channel();
        let (waiting, work) = (Arc::new(Mutex::new(waiting)), Arc::new(work));
        for _ in 0..threads {
            let (waiting, work) = (Arc::clone(&waiting), Arc::clone(&work));
            spawn(move || do_jobs(&waiting, &*work))?;
        }
        spawn(move || {
            let made = make_jobs(&mut |job| give(job, &coming, &jobs));
            // Nobody hears it where nobody wants more.
            let _ = coming.send(made.map_or_else(Coming::Error, |()| Coming::End));
        })?;
        Ok(Self {
            results,
            ended: false,
        })
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), SourceError> {
    let thread = thread::Builder::new().name("games".into()).spawn(work);
    thread.map(drop).map_err(SourceError::Thread)
}

fn give<J, O>(job: J, coming: &SyncSender<Coming<O>>, jobs: &Sender<Job<J, O>>) -> ControlFlow<()> {
    let (result, receiver) = mpsc::sync_channel(1);
    let wanted = coming.send(Coming::Result(receiver)).is_ok();
    match wanted && jobs.send((job, result)).is_ok() {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

fn do_jobs<J, O>(waiting: &Mutex<Receiver<Job<J, O>>>, work: &impl Fn(J) -> O) {
    loop {
        // A thread that panics does so outside of the lock.
        let next = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok((job, result)) = next else {
            return;
        };
        // Nobody may want it any more.
        let _ = result.send(work(job));
    }
}

impl<O> Iterator for Ordered<O> {
    type Item = Result<O, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match self.results.recv() {
            Ok(Coming::Result(result)) => result.recv().map_err(|_| SourceError::Lost),
            Ok(Coming::Error(error)) => Err(error),
            Ok(Coming::End) => {
                self.ended = true;
                return None;
            }
            Err(_) => Err(SourceError::Lost),
        };
        self.ended = next.is_err();
        Some(next)
    }
}

impl<O> fmt::Debug for Ordered<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ordered")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Sends numbers as long as they are wanted.
    fn numbers(until: u64) -> impl FnOnce(&mut Send1<'_, u64>) -> Result<(), SourceError> {
        move |send| {
            (0..until).try_for_each(|number| send(number).is_continue().then_some(()));
            Ok(())
        }
    }

    #[test]
    fn results_come_in_order() {
        // The later ones are done first.
        let slow_at_first = |number: u64| {
            thread::sleep(Duration::from_millis(10_u64.saturating_sub(number)));
            number
        };
        let ordered = Ordered::start(7, numbers(100), slow_at_first).unwrap();
        let results: Result<Vec<_>, _> = ordered.collect();
        assert_eq!(results.unwrap(), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn jobs_wait_until_results_are_taken() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let endless = move |send: &mut Send1<'_, ()>| {
            while send(()).is_continue() {
                count.fetch_add(1, Ordering::SeqCst);
            }
            count.store(usize::MAX, Ordering::SeqCst);
            Ok(())
        };
        let mut ordered = Ordered::start(2, endless, |()| ()).unwrap();
        ordered.next().unwrap().unwrap();
        thread::sleep(Duration::from_millis(50));
        assert!(made.load(Ordering::SeqCst) <= 2 * JOBS_A_THREAD + 1);
        drop(ordered);
        while made.load(Ordering::SeqCst) != usize::MAX {
            thread::yield_now();
        }
    }

    #[test]
    fn errors_come_after_what_was_before_them() {
        let failing = |send: &mut Send1<'_, u64>| {
            assert!(send(1).is_continue());
            Err(SourceError::Lost)
        };
        let mut ordered = Ordered::start(1, failing, |number| number).unwrap();
        assert_eq!(ordered.next().unwrap().unwrap(), 1);
        let error = ordered.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "a thread that reads games ended early");
        assert!(ordered.next().is_none());
    }

    #[test]
    fn threads_that_panic_are_noticed() {
        let panics = |number: u64| assert_ne!(number, 2);
        let ordered = Ordered::start(1, numbers(5), panics).unwrap();
        let results: Vec<_> = ordered.collect();
        assert_eq!(results.len(), 3);
        assert!(matches!(results[2], Err(SourceError::Lost)));
        let nobody = |_: &mut Send1<'_, u64>| panic!("no jobs");
        let mut ordered = Ordered::start(1, nobody, |number| number).unwrap();
        assert!(matches!(ordered.next(), Some(Err(SourceError::Lost))));
    }
}
