//! Files that are opened when they are needed, a limited number at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What is open of so many files.
#[derive(Debug)]
pub(super) enum Pool<T> {
    /// All may be open at a time: nothing is ever closed, and what is open can be borrowed.
    All(Vec<OnceLock<T>>),
    /// The one not used for the longest time is closed where there would be too many.
    Limited(Mutex<Recent<T>>),
}

#[derive(Debug)]
pub(super) struct Recent<T> {
    open: HashMap<usize, (Arc<T>, u64)>,
    most: usize,
    clock: u64,
}

impl<T> Pool<T> {
    pub(super) fn new(files: usize, most: usize) -> Self {
        if files <= most {
            return Self::All((0..files).map(|_| OnceLock::new()).collect());
        }
        Self::Limited(Mutex::new(Recent {
            open: HashMap::new(),
            most,
            clock: 0,
        }))
    }

    /// How many are open.
    #[cfg(test)]
    pub(super) fn open_count(&self) -> usize {
        match self {
            Self::All(slots) => slots.iter().filter(|slot| slot.get().is_some()).count(),
            Self::Limited(recent) => recent.lock().unwrap().open.len(),
        }
    }
}

/// What is open of one file; opens it where it is not.
#[inline]
pub(super) fn borrow<T, E>(
    slot: &OnceLock<T>,
    open: impl FnOnce() -> Result<T, E>,
) -> Result<&T, E> {
    if let Some(found) = slot.get() {
        return Ok(found);
    }
    // Where another thread was faster, its file stays and ours is closed.
    let opened = open()?;
    Ok(slot.get_or_init(|| opened))
}

impl<T> Recent<T> {
    /// What is open of one file; opens it where it is not, and closes another one for that. Whoever
    /// holds on to what is closed here keeps it open.
    pub(super) fn get<E>(
        recent: &Mutex<Self>,
        file: usize,
        open: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let lock = || recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().find(file) {
            return Ok(found);
        }
        let opened = Arc::new(open()?);
        Ok(lock().keep(file, opened))
    }

    fn find(&mut self, file: usize) -> Option<Arc<T>> {
        self.clock += 1;
        let (found, used) = self.open.get_mut(&file)?;
        *used = self.clock;
        Some(Arc::clone(found))
    }

    fn keep(&mut self, file: usize, opened: Arc<T>) -> Arc<T> {
        if let Some(found) = self.find(file) {
            return found;
        }
        if self.open.len() >= self.most {
            let oldest = self.open.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(file) = oldest.map(|(file, _)| *file) {
                self.open.remove(&file);
            }
        }
        self.open.insert(file, (Arc::clone(&opened), self.clock));
        opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn the_least_recently_used_is_closed() {
        let Pool::Limited(recent) = Pool::new(9, 2) else {
            panic!("nine do not fit");
        };
        let get = |file: usize| {
            let mut opened = false;
            let got = Recent::get(&recent, file, || {
                opened = true;
                Ok::<_, Infallible>(file)
            });
            assert_eq!(*got.unwrap(), file);
            opened
        };
        assert!(get(1) && get(2));
        assert!(!get(1));
        assert!(get(3), "in the place of 2");
        assert!(!get(1));
        assert!(get(2), "in the place of 3");
        assert!(get(3), "in the place of 1");
        assert!(get(1));
        assert_eq!(recent.lock().unwrap().open.len(), 2);
        assert_eq!(Recent::get(&recent, 8, || Err("no")), Err("no"));
    }

    #[test]
    fn files_that_all_fit_stay_open() {
        let pool = Pool::new(3, 3);
        let Pool::All(slots) = &pool else {
            panic!("three fit");
        };
        assert_eq!(borrow(&slots[1], || Err::<u8, _>("no")), Err("no"));
        assert_eq!(borrow(&slots[1], || Ok::<_, &str>(7)), Ok(&7));
        assert_eq!(borrow(&slots[1], || Err("no")), Ok(&7));
        assert_eq!(pool.open_count(), 1);
    }
}
