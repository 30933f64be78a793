//! Groups in order, decompressed by several threads.

use std::collections::BTreeMap;
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
/// should be ends them. Threads keep at most [`ZdatStream::AHEAD`] groups each ready or in work, and
/// end when the stream is dropped.
///
/// As an iterator it gives out a new buffer for each group; [`ZdatStream::fill`] uses them again.
pub struct ZdatStream {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    end: u64,
}

struct Shared {
    state: Mutex<State>,
    /// A group was given out, or there is nothing more to do.
    room: Condvar,
    /// A group was read, or a thread has panicked.
    ready: Condvar,
}

struct State {
    /// The group that the next idle thread takes.
    next_to_read: u64,
    /// The group that is given out next.
    next_to_give: u64,
    end: u64,
    /// How far reading may be ahead of giving.
    window: u64,
    ready: BTreeMap<u64, Result<ZdatGroup, ZdatGroupError>>,
    /// Buffers to be used again.
    spare: Vec<ZdatGroup>,
    stop: bool,
    panicked: bool,
}

impl ZdatStream {
    /// How many groups a thread may be ahead.
    pub const AHEAD: usize = 2;

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
        // More threads than groups would have nothing to do.
        let threads = threads
            .get()
            .min((groups.end - groups.start).try_into().unwrap_or(usize::MAX));
        let shared = Arc::new(Shared::new(&groups, threads));
        let start = |_| {
            let (shared, view) = (Arc::clone(&shared), Arc::clone(&view));
            thread::spawn(move || shared.read_groups(&view))
        };
        Self {
            threads: (0..threads).map(start).collect(),
            end: groups.end,
            shared,
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
        self.shared.lock().keep(used);
        Ok(true)
    }
}

impl Iterator for ZdatStream {
    type Item = Result<ZdatGroup, ZdatGroupError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut state = self.shared.lock();
        if state.next_to_give == self.end || state.stop {
            return None;
        }
        let group = loop {
            let next = state.next_to_give;
            if let Some(group) = state.ready.remove(&next) {
                break group;
            }
            assert!(
                !state.panicked,
                "a thread that decompresses groups has panicked"
            );
            state = wait(&self.shared.ready, state);
        };
        state.next_to_give += 1;
        state.stop = group.is_err();
        drop(state);
        self.shared.room.notify_all();
        Some(group)
    }
}

impl FusedIterator for ZdatStream {}

impl Drop for ZdatStream {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.room.notify_all();
        for thread in self.threads.drain(..) {
            // That it has panicked was noticed where its groups were waited for.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for ZdatStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = self.shared.lock().next_to_give;
        f.debug_struct("ZdatStream")
            .field("groups", &(next..self.end))
            .field("threads", &self.threads.len())
            .finish()
    }
}

impl Shared {
    fn new(groups: &Range<u64>, threads: usize) -> Self {
        Self {
            state: Mutex::new(State {
                next_to_read: groups.start,
                next_to_give: groups.start,
                end: groups.end,
                window: (threads * ZdatStream::AHEAD) as u64,
                ready: BTreeMap::new(),
                spare: Vec::new(),
                stop: false,
                panicked: false,
            }),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole whenever the lock is let go.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does.
    fn read_groups<D: AsRef<[u8]>>(&self, view: &ZdatView<D>) {
        let _notice = PanicNotice(self);
        let mut decoder = view.decoder();
        while let Some((index, mut group)) = self.take() {
            let read = decoder.read_group(index, &mut group).map(|()| group);
            self.lock().ready.insert(index, read);
            self.ready.notify_one();
        }
    }

    /// The next group to be read and a buffer for it, when there is room; `None` when there is
    /// nothing more to do.
    fn take(&self) -> Option<(u64, ZdatGroup)> {
        let mut state = self.lock();
        loop {
            if state.stop || state.next_to_read == state.end {
                return None;
            }
            if state.next_to_read - state.next_to_give < state.window {
                let index = state.next_to_read;
                state.next_to_read += 1;
                return Some((index, state.spare.pop().unwrap_or_default()));
            }
            state = wait(&self.room, state);
        }
    }
}

impl State {
    fn keep(&mut self, used: ZdatGroup) {
        if used.bytes.capacity() > 0 && (self.spare.len() as u64) < self.window {
            self.spare.push(used);
        }
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
