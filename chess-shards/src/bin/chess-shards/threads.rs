//! How many threads work.

use std::thread;

/// More are a slip of the keyboard.
pub(crate) const MAX_THREADS: i64 = 1024;

/// One for each processor.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
