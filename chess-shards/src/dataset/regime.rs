//! How rows are fetched from storage.

use std::fmt;

/// How rows of mapped shards are fetched.
///
/// Which is best depends on what the system has in memory and on the storage; on a machine of two
/// cores, one thread gathered rows per second:
///
/// | set | `Cached` | `Cold` | `Pread` |
/// |---|---|---|---|
/// | in the page cache | tens of millions | under a million | about a million |
/// | on a local disk | hundreds to thousands | the disk's 4 KiB reads at depth 32 | one read at a time |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Regime {
    /// From a map, as if all were in memory. The system reads ahead of what it has to read, which
    /// suits [`Order::Blocks`](chess_records::Order::Blocks) on sets larger than memory and ruins
    /// scattered rows there.
    Cached,
    /// From a map without read-ahead (`MADV_RANDOM`), where each row of a batch is asked for
    /// (`MADV_WILLNEED`) before the first is looked at. Systems without such advice do as with
    /// [`Cached`](Self::Cached).
    Cold,
    /// By a read of 202 bytes for each row, on as many [threads](super::ShardOptions::threads) as
    /// allowed: for network file systems, where maps are slow, and the only way that needs no promise.
    Pread,
    /// Whichever of the others is fastest for some rows, measured when the shards are opened.
    Auto,
}

/// How rows are fetched, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RegimeChoice {
    /// How: never [`Regime::Auto`]. `None` where all rows are in memory.
    pub regime: Option<Regime>,
    /// What was measured, where [`Regime::Auto`] was asked for.
    pub measured: Option<Measured>,
}

/// What [`Regime::Auto`] has measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// How many rows were read one by one.
    pub sampled: u64,
    /// How many of them came so fast that they were in memory.
    pub in_memory: u64,
    /// Rows per second of [`Regime::Cold`], where not nearly all were in memory.
    pub cold: Option<f64>,
    /// Rows per second of [`Regime::Pread`], where not nearly all were in memory.
    pub pread: Option<f64>,
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cached => "cached",
            Self::Cold => "cold",
            Self::Pread => "pread",
            Self::Auto => "auto",
        })
    }
}

/// A line for a log, such as `cached: 64 of 64 rows were in memory`.
impl fmt::Display for RegimeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(regime) = self.regime else {
            return f.write_str("all rows are in memory");
        };
        write!(f, "{regime}: ")?;
        let Some(measured) = self.measured else {
            return f.write_str("as asked for");
        };
        let Measured {
            sampled, in_memory, ..
        } = measured;
        write!(f, "{in_memory} of {sampled} rows were in memory")?;
        match (measured.cold, measured.pread) {
            (Some(cold), Some(pread)) => {
                write!(f, ", {cold:.0} rows/s cold, {pread:.0} by pread")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "mmap")]
pub(super) mod measure {
    use std::time::{Duration, Instant};

    use chess_records::Permutation;

    use super::{Measured, Regime, RegimeChoice};
    use crate::FlatRecord;
    use crate::dataset::{FlatDataset, Source};

    /// How many rows each way is tried on.
    const ROWS: u64 = 64;
    /// Nothing but memory answers in this time.
    const FAST: Duration = Duration::from_micros(20);

    /// Rows that are measured: other ones for each of three ways, as what was read once is in memory.
    struct Rows(Permutation);

    impl Rows {
        fn of(dataset: &FlatDataset) -> Self {
            // From the clock, so that one run does not warm up what the next one measures.
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let seed = now.map_or(0, |now| now.as_nanos() as u64);
            Self(Permutation::new(dataset.len(), seed))
        }

        fn part(&self, part: u64) -> Vec<u64> {
            let each = ROWS.min(self.0.len().div_ceil(3));
            self.0.iter_from(part * each).take(each as usize).collect()
        }

        /// How many of some rows come from memory, and of how many.
        fn in_memory(&self, dataset: &FlatDataset) -> (u64, u64) {
            let rows = self.part(0);
            let fast = rows.iter().filter(|&&index| {
                let start = Instant::now();
                let read = dataset.get(index);
                read.is_ok() && start.elapsed() < FAST
            });
            (fast.count() as u64, rows.len() as u64)
        }

        /// Rows per second; 0 where they cannot be read.
        fn rate(&self, dataset: &FlatDataset, part: u64) -> f64 {
            let rows = self.part(part);
            let mut batch = vec![FlatRecord::zeroed(); rows.len()];
            let start = Instant::now();
            match dataset.gather_records(&rows, &mut batch) {
                Ok(()) => rows.len() as f64 / start.elapsed().as_secs_f64(),
                Err(_) => 0.0,
            }
        }
    }

    /// Measures a dataset that reads row by row, and as a cold map where not nearly all rows are in
    /// memory. `map_cold` makes it one and returns what it was.
    pub(in crate::dataset) fn choose(
        dataset: &mut FlatDataset,
        map_cold: impl FnOnce(&mut FlatDataset) -> Source,
    ) -> RegimeChoice {
        let rows = Rows::of(dataset);
        let (in_memory, sampled) = rows.in_memory(dataset);
        let mut measured = Measured {
            sampled,
            in_memory,
            cold: None,
            pread: None,
        };
        let mut regime = Regime::Cached;
        if 10 * in_memory < 9 * sampled {
            let pread = rows.rate(dataset, 1);
            let read = map_cold(dataset);
            let cold = rows.rate(dataset, 2);
            dataset.source = read;
            (measured.cold, measured.pread) = (Some(cold), Some(pread));
            regime = if cold >= pread {
                Regime::Cold
            } else {
                Regime::Pread
            };
        }
        RegimeChoice {
            regime: Some(regime),
            measured: Some(measured),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_say_why() {
        let text = |regime, measured| RegimeChoice { regime, measured }.to_string();
        assert_eq!(text(None, None), "all rows are in memory");
        assert_eq!(text(Some(Regime::Pread), None), "pread: as asked for");
        let mut measured = Measured {
            sampled: 64,
            in_memory: 64,
            cold: None,
            pread: None,
        };
        assert_eq!(
            text(Some(Regime::Cached), Some(measured)),
            "cached: 64 of 64 rows were in memory"
        );
        measured.in_memory = 3;
        (measured.cold, measured.pread) = (Some(71_000.4), Some(5_000.0));
        assert_eq!(
            text(Some(Regime::Cold), Some(measured)),
            "cold: 3 of 64 rows were in memory, 71000 rows/s cold, 5000 by pread"
        );
        assert_eq!(Regime::Auto.to_string(), "auto");
    }
}
