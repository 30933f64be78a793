//! The transposition table: what earlier searches found out about positions.

use std::boxed::Box;
use std::mem;
use std::vec;

use cozy_chess::Move;

use super::prefetch::prefetch;

/// How a score bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) best: Option<Move>,
    /// With mates counted from the position.
    pub(super) score: i16,
    /// What the evaluation said; `None` in check, where it is not asked.
    pub(super) evaluation: Option<i16>,
    pub(super) depth: i8,
    pub(super) bound: Bound,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    entry: Entry,
    generation: u8,
}

/// A table of a fixed number of positions, two to a bucket.
#[derive(Clone, Debug)]
pub(super) struct Table {
    buckets: Box<[[Option<Slot>; 2]]>,
    generation: u8,
}

impl Table {
    /// A table of at most so many bytes, and at least one bucket.
    pub(super) fn with_bytes(bytes: usize) -> Self {
        let buckets = bytes / mem::size_of::<[Option<Slot>; 2]>();
        Self {
            buckets: vec![[None; 2]; buckets.max(1)].into(),
            generation: 0,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.fill([None; 2]);
        self.generation = 0;
    }

    /// A new search begins: what is older goes first.
    pub(super) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Says that a position will be asked for.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.buckets[self.index(key)]);
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let slots = self.buckets[self.index(key)].iter().flatten();
        let mut found = slots.filter(|slot| slot.key == key);
        found.next().map(|slot| slot.entry)
    }

    pub(super) fn put(&mut self, key: u64, mut entry: Entry) {
        let (index, generation) = (self.index(key), self.generation);
        let bucket = &mut self.buckets[index];
        let same = |slot: &Option<Slot>| slot.is_some_and(|slot| slot.key == key);
        let place = bucket.iter().position(same);
        let place = place.unwrap_or_else(|| worst(bucket, generation));
        if let Some(before) = bucket[place].filter(|before| before.key == key) {
            let deeper = before.generation == generation
                && before.entry.depth > entry.depth.saturating_add(3)
                && entry.bound != Bound::Exact;
            if deeper {
                return;
            }
            entry.best = entry.best.or(before.entry.best);
        }
        bucket[place] = Some(Slot {
            key,
            entry,
            generation,
        });
    }

    /// How full the table is of this search's positions, in thousandths, by its first buckets.
    pub(super) fn permille(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(500)];
        let slots = sample.iter().flatten().flatten();
        let used = slots.filter(|slot| slot.generation == self.generation);
        (used.count() * 1000 / (2 * sample.len())) as u32
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }
}

/// The place to give up: an empty one, then one of an older search, then the shallower.
fn worst(bucket: &[Option<Slot>; 2], generation: u8) -> usize {
    let worth =
        |slot: &Option<Slot>| slot.map(|slot| (slot.generation == generation, slot.entry.depth));
    usize::from(worth(&bucket[1]) < worth(&bucket[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i8) -> Entry {
        Entry {
            best: None,
            score: 7,
            evaluation: None,
            depth,
            bound: Bound::Lower,
        }
    }

    fn depth(table: &Table, key: u64) -> Option<i8> {
        table.get(key).map(|entry| entry.depth)
    }

    #[test]
    fn the_shallowest_goes_first_but_older_ones_before_it() {
        let mut table = Table::with_bytes(0);
        table.put(1, entry(5));
        table.put(2, entry(9));
        table.put(3, entry(1));
        assert_eq!(
            [1, 2, 3].map(|key| depth(&table, key)),
            [None, Some(9), Some(1)]
        );
        table.age();
        table.put(4, entry(1));
        table.put(5, entry(2));
        assert_eq!([2, 3].map(|key| depth(&table, key)), [None, None]);
        table.clear();
        assert_eq!(depth(&table, 5), None);
    }

    #[test]
    fn a_move_is_kept_when_none_is_found() {
        let mut table = Table::with_bytes(1 << 16);
        let best = "e2e4".parse().ok();
        table.put(u64::MAX, Entry { best, ..entry(3) });
        table.put(u64::MAX, entry(4));
        let found = table.get(u64::MAX).unwrap();
        assert_eq!((found.best, found.depth), (best, 4));
        table.put(u64::MAX, entry(0));
        assert_eq!(depth(&table, u64::MAX), Some(4));
    }
}
