//! Groups in order, decompressed by several threads.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::iter::FusedIterator;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::vec::Vec;

use super::group::{ZdatGroup, ZdatGroupError};
use super::view::ZdatView;

/// Groups one after another, decompressed ahead by threads of its own.
///
/// The groups come in the same order for any number of threads, and the first that is not what it
/// should be ends them. Threads take runs of groups, of [`ZdatStream::RUN_BYTES`] or one group if
/// that is larger; they keep at most [`ZdatStream::AHEAD`] runs each ready or in work, and end when
/// the stream is dropped.
///
/// As an iterator it gives out a new buffer for each group; [`ZdatStream::fill`] uses them again.
pub struct ZdatStream {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// What is left of the run that is being given out.
    run: Run,
    /// Buffers that were given back, until the lock is taken anyway.
    spare: Vec<ZdatGroup>,
    failed: bool,
}

/// Groups in order; the first that failed ends it.
type Run = VecDeque<Result<ZdatGroup, ZdatGroupError>>;

struct Shared {
    groups: Range<u64>,
    /// How many groups make a run; the last may have fewer.
    run: u64,
    state: Mutex<State>,
    /// A group was given out, or there is nothing more to do.
    room: Condvar,
    /// A group was read, or a thread has panicked.
    ready: Condvar,
}

struct State {
    /// The run that the next idle thread takes.
    next_to_read: u64,
    /// The run that is given out next.
    next_to_give: u64,
    /// How many runs there are.
    end: u64,
    /// How far reading may be ahead of giving.
    window: u64,
    ready: BTreeMap<u64, Run>,
    /// Buffers to be used again.
    spare: Vec<ZdatGroup>,
    stop: bool,
    panicked: bool,
}

impl ZdatStream {
    /// How many runs a thread may be ahead.
    pub const AHEAD: usize = 2;

    /// How many bytes of records a run of groups has, unless one group has more. Handing every small
    /// group over by itself would cost as much as decompressing it.
    pub const RUN_BYTES: usize = 1 << 20;

    /// The groups `groups` of a view, by so many threads.
    ///
    /// # Panics
    ///
    /// When the range is not within the view, or no thread can be started.
    pub fn new<D>(view: Arc<ZdatView<D>>, groups: Range<u64>, threads: NonZeroUsize) -> Self
    where
        D: AsRef<[u8]> + Send + Sync + 'static,
    {
        let count = view.group_count();
        assert!(
            groups.start <= groups.end && groups.end <= count,
            "groups {groups:?} of {count}"
        );
        let run = (Self::RUN_BYTES / view.header().group_bytes()).max(1) as u64;
        let runs = (groups.end - groups.start).div_ceil(run);
        // More threads than runs would have nothing to do.
        let threads = threads
            .get()
            .min(usize::try_from(runs).unwrap_or(usize::MAX));
        let shared = Arc::new(Shared::new(groups, run, threads));
        let start = |_| {
            let (shared, view) = (Arc::clone(&shared), Arc::clone(&view));
            thread::spawn(move || shared.read_runs(&view))
        };
        Self {
            threads: (0..threads).map(start).collect(),
            shared,
            run: Run::new(),
            spare: Vec::new(),
            failed: false,
        }
    }

    /// Puts the next group into `group`, whose memory serves for a later one; false at the end.
    ///
    /// # Errors
    ///
    /// When the group is not what it should be. `group` is then as it was, and nothing follows.
    pub fn fill(&mut self, group: &mut ZdatGroup) -> Result<bool, ZdatGroupError> {
        let Some(next) = self.next() else {
            return Ok(false);
        };
        let used = std::mem::replace(group, next?);
        self.spare.push(used);
        Ok(true)
    }
}

impl Iterator for ZdatStream {
    type Item = Result<ZdatGroup, ZdatGroupError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        if self.run.is_empty() {
            self.run = self.next_run()?;
        }
        let group = self.run.pop_front()?;
        if group.is_err() {
            self.failed = true;
            self.shared.stop();
        }
        Some(group)
    }
}

impl ZdatStream {
    /// Waits for the next run; `None` at the end.
    fn next_run(&mut self) -> Option<Run> {
        let mut state = self.shared.lock();
        if state.next_to_give == state.end {
            return None;
        }
        state.keep(&mut self.spare, self.shared.run);
        let run = loop {
            let next = state.next_to_give;
            if let Some(run) = state.ready.remove(&next) {
                break run;
            }
            assert!(
                !state.panicked,
                "a thread that decompresses groups has panicked"
            );
            state = wait(&self.shared.ready, state);
        };
        state.next_to_give += 1;
        drop(state);
        self.shared.room.notify_all();
        Some(run)
    }
}

impl FusedIterator for ZdatStream {}

impl Drop for ZdatStream {
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // That it has panicked was noticed where its groups were waited for.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for ZdatStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZdatStream")
            .field("groups", &self.shared.groups)
            .field("threads", &self.threads.len())
            .finish()
    }
}

impl Shared {
    fn new(groups: Range<u64>, run: u64, threads: usize) -> Self {
        Self {
            run,
            state: Mutex::new(State {
                next_to_read: 0,
                next_to_give: 0,
                end: (groups.end - groups.start).div_ceil(run),
                window: (threads * ZdatStream::AHEAD) as u64,
                ready: BTreeMap::new(),
                spare: Vec::new(),
                stop: false,
                panicked: false,
            }),
            room: Condvar::new(),
            ready: Condvar::new(),
            groups,
        }
    }

    fn stop(&self) {
        self.lock().stop = true;
        self.room.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole whenever the lock is let go.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does.
    fn read_runs<D: AsRef<[u8]>>(&self, view: &ZdatView<D>) {
        let _notice = PanicNotice(self);
        let mut decoder = view.decoder();
        while let Some((number, mut spare)) = self.take() {
            let mut run = Run::new();
            for index in self.groups_of(number) {
                let mut group = spare.pop().unwrap_or_default();
                let read = decoder.read_group(index, &mut group).map(|()| group);
                let failed = read.is_err();
                run.push_back(read);
                if failed {
                    break;
                }
            }
            self.lock().ready.insert(number, run);
            self.ready.notify_one();
        }
    }

    fn groups_of(&self, run: u64) -> Range<u64> {
        let start = self.groups.start + run * self.run;
        start..self.groups.end.min(start + self.run)
    }

    /// The next run to be read and buffers for it, when there is room; `None` when there is nothing
    /// more to do.
    fn take(&self) -> Option<(u64, Vec<ZdatGroup>)> {
        let mut state = self.lock();
        loop {
            if state.stop || state.next_to_read == state.end {
                return None;
            }
            if state.next_to_read - state.next_to_give < state.window {
                let number = state.next_to_read;
                state.next_to_read += 1;
                let kept = state.spare.len().saturating_sub(self.run as usize);
                return Some((number, state.spare.split_off(kept)));
            }
            state = wait(&self.room, state);
        }
    }
}

impl State {
    /// Keeps buffers to be used again, no more than are in use at any time.
    fn keep(&mut self, used: &mut Vec<ZdatGroup>, run: u64) {
        self.spare
            .extend(used.drain(..).filter(|group| group.bytes.capacity() > 0));
        let most = self.window.saturating_mul(run);
        self.spare
            .truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
}

fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    condition
        .wait(state)
        .unwrap_or_else(PoisonError::into_inner)
}

/// Tells the one who waits for groups if its thread panics.
struct PanicNotice<'a>(&'a Shared);

impl Drop for PanicNotice<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().panicked = true;
            self.0.ready.notify_one();
        }
    }
}
