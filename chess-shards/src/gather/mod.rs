//! Rows from anywhere into a batch.

mod columns;
mod prefetch;

pub use columns::FlatColumns;

use crate::FlatRecord;
use prefetch::prefetch;

/// How many rows ahead of the one that is copied the memory is asked for.
const AHEAD: usize = 16;

/// Where rows are gathered to.
pub(crate) trait Sink: Send + Sized {
    /// Writes the row `slot`.
    fn put(&mut self, slot: usize, record: &FlatRecord);

    /// The rows before and from `slot` on.
    fn split_at(self, slot: usize) -> (Self, Self);
}

impl Sink for &mut [FlatRecord] {
    #[inline]
    fn put(&mut self, slot: usize, record: &FlatRecord) {
        self[slot].copy_from(record);
    }

    fn split_at(self, slot: usize) -> (Self, Self) {
        self.split_at_mut(slot)
    }
}

/// What stands in the place of a record that was not looked up yet.
static NONE_YET: FlatRecord = FlatRecord::from_bytes(&[0; FlatRecord::BYTES]);

/// Copies `count` records to the slots that `slot` has for their numbers. They lie anywhere in memory,
/// so that each is looked up by `find` and asked for some rows before it is copied. What `find` has not
/// is for `fetch` to get.
///
/// Both are called at one place, so that the way of most rows is compiled into the loop.
#[inline]
pub(crate) fn copy<'a, E>(
    count: usize,
    find: impl Fn(usize) -> Option<&'a FlatRecord>,
    fetch: impl Fn(usize) -> Result<&'a FlatRecord, E>,
    slot: impl Fn(usize) -> usize,
    sink: &mut impl Sink,
) -> Result<(), E> {
    let mut ahead = [&NONE_YET; AHEAD];
    for number in 0..count + AHEAD {
        let place = number % AHEAD;
        if number >= AHEAD {
            sink.put(slot(number - AHEAD), ahead[place]);
        }
        if number < count {
            let record = match find(number) {
                Some(record) => record,
                None => seldom(&fetch, number)?,
            };
            prefetch(record);
            ahead[place] = record;
        }
    }
    Ok(())
}

/// Keeps what is seldom done out of the loop.
#[cold]
#[inline(never)]
fn seldom<T>(fetch: impl Fn(usize) -> T, number: usize) -> T {
    fetch(number)
}
