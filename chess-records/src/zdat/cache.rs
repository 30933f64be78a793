//! Decompressed groups that may be asked for again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::group::ZdatGroup;

/// A few groups, the one used last first. Bounded in bytes.
#[derive(Debug)]
pub(super) struct Cache(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    max_bytes: usize,
    groups: VecDeque<Arc<ZdatGroup>>,
    bytes: usize,
}

impl Cache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self(Mutex::new(Kept {
            max_bytes,
            groups: VecDeque::new(),
            bytes: 0,
        }))
    }

    /// Keeps at most so many bytes from now on.
    pub(super) fn set_max_bytes(&self, max_bytes: usize) {
        let mut kept = self.lock();
        kept.max_bytes = max_bytes;
        kept.make_room(0);
    }

    /// The group, read unless it is here. Nobody waits for another's reading: two threads that miss
    /// the same group both read it.
    pub(super) fn get_or_read<E>(
        &self,
        index: u64,
        read: impl FnOnce(&mut ZdatGroup) -> Result<(), E>,
    ) -> Result<Arc<ZdatGroup>, E> {
        if let Some(group) = self.lock().get(index) {
            return Ok(group);
        }
        let mut buffer = self.lock().spare().unwrap_or_default();
        read(&mut buffer)?;
        let group = Arc::new(buffer);
        self.lock().put(Arc::clone(&group));
        Ok(group)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // What is kept is whole at any time.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn get(&mut self, index: u64) -> Option<Arc<ZdatGroup>> {
        let at = self
            .groups
            .iter()
            .position(|group| group.index() == index)?;
        let group = self.groups.remove(at)?;
        self.groups.push_front(Arc::clone(&group));
        Some(group)
    }

    /// The memory of the group used longest ago, where the next one would push it out anyway and
    /// nobody holds it.
    fn spare(&mut self) -> Option<ZdatGroup> {
        let last = self.groups.back()?;
        if self.bytes + last.as_bytes().len() <= self.max_bytes {
            return None;
        }
        let last = self.groups.pop_back()?;
        self.bytes -= last.as_bytes().len();
        Arc::into_inner(last)
    }

    fn put(&mut self, group: Arc<ZdatGroup>) {
        let bytes = group.as_bytes().len();
        let known = self.groups.iter().any(|kept| kept.index() == group.index());
        if bytes > self.max_bytes || known {
            return;
        }
        self.make_room(bytes);
        self.bytes += bytes;
        self.groups.push_front(group);
    }

    fn make_room(&mut self, bytes: usize) {
        while self.bytes + bytes > self.max_bytes
            && let Some(last) = self.groups.pop_back()
        {
            self.bytes -= last.as_bytes().len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::vec;
    use std::vec::Vec;

    /// Asks for groups of 10 bytes and says which had to be read.
    fn reads(cache: &Cache, indices: &[u64]) -> Vec<u64> {
        let mut read = Vec::new();
        for &index in indices {
            let group = cache.get_or_read(index, |group| {
                read.push(index);
                group.index = index;
                group.bytes = vec![index as u8; 10];
                Ok::<(), Infallible>(())
            });
            let Ok(group) = group;
            assert_eq!(group.as_bytes(), [index as u8; 10]);
            let kept = cache.lock();
            assert!(kept.bytes <= kept.max_bytes);
            let bytes: usize = kept.groups.iter().map(|group| group.as_bytes().len()).sum();
            assert_eq!(kept.bytes, bytes);
        }
        read
    }

    #[test]
    fn the_group_used_longest_ago_goes_first() {
        let cache = Cache::new(25);
        assert_eq!(reads(&cache, &[1, 2, 1, 3, 1, 2, 2, 3]), [1, 2, 3, 2, 3]);
        cache.set_max_bytes(10);
        assert_eq!(reads(&cache, &[3, 2, 3]), [2, 3]);
    }

    #[test]
    fn groups_that_do_not_fit_are_not_kept() {
        let cache = Cache::new(9);
        assert_eq!(reads(&cache, &[1, 1]), [1, 1]);
        assert!(cache.lock().groups.is_empty());
    }

    #[test]
    fn what_fails_is_not_kept() {
        let cache = Cache::new(100);
        assert_eq!(cache.get_or_read(1, |_| Err("no")).unwrap_err(), "no");
        assert_eq!(reads(&cache, &[1, 1]), [1]);
    }

    #[test]
    fn memory_of_a_group_in_use_is_left_alone() {
        let cache = Cache::new(10);
        let read = |index, byte| {
            cache.get_or_read(index, |group| {
                group.index = index;
                group.bytes.clear();
                group.bytes.resize(10, byte);
                Ok::<(), Infallible>(())
            })
        };
        let Ok(held) = read(1, 1);
        let Ok(_) = read(2, 2);
        assert_eq!(held.as_bytes(), [1; 10]);
    }
}
