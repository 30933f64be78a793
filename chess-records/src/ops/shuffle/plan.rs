//! How much is done in memory at a time.

use std::ops::Range;

use crate::ops::spill::Spill;
use crate::ops::{FilesError, Shuffle};

/// How the output is cut into stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Records in all.
    pub(super) records: u64,
    /// Records in a stretch; the last may have fewer.
    pub(super) stretch: u64,
    pub(super) stretches: usize,
    /// The size of a write buffer in pass 1.
    pub(super) buffer_bytes: usize,
}

impl Plan {
    /// What is not for stretches and buffers: input and output buffers and everything small.
    pub(super) const OVERHEAD: u64 = 4 << 20;

    pub(super) fn new(records: u64, record_bytes: u64, memory: u64) -> Result<Self, FilesError> {
        let too_few = |needed| FilesError::Memory {
            given: memory,
            records,
            needed,
        };
        if memory < Shuffle::MIN_MEMORY {
            return Err(too_few(Shuffle::MIN_MEMORY));
        }
        // A byte more for each record: a bit tells whether its place is filled.
        let usable = memory - Self::OVERHEAD;
        let fits = (usable / (record_bytes + 1)).min(1 << 32);
        let stretches = records.div_ceil(fits).max(1);
        let buffer_bytes = usable / stretches;
        let stretch = records.div_ceil(stretches).max(1);
        if buffer_bytes < Spill::MIN_BUFFER_BYTES as u64 {
            let bytes = u128::from(records) * u128::from(record_bytes + 1);
            let root = (bytes * Spill::MIN_BUFFER_BYTES as u128).isqrt() as u64;
            // Stretches are whole numbers, so that a little more than the root is needed.
            return Err(too_few(root + root / 8 + Self::OVERHEAD));
        }
        Ok(Self {
            records,
            stretch,
            stretches: stretches as usize,
            buffer_bytes: buffer_bytes.min(Spill::MAX_BUFFER_BYTES as u64) as usize,
        })
    }

    /// The places of a stretch.
    pub(super) fn places(&self, stretch: usize) -> Range<u64> {
        let start = stretch as u64 * self.stretch;
        start.min(self.records)..(start + self.stretch).min(self.records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_to_the_memory() {
        assert!(matches!(
            Plan::new(10, 32, Shuffle::MIN_MEMORY - 1),
            Err(FilesError::Memory { needed, .. }) if needed == Shuffle::MIN_MEMORY
        ));
        for (records, memory) in [
            (0, 8 << 20),
            (1, 8 << 20),
            (1 << 26, 256 << 20),
            (1 << 33, 1 << 30),
            (1 << 36, 300 << 30),
        ] {
            let plan = Plan::new(records, 32, memory).unwrap();
            let usable = memory - Plan::OVERHEAD;
            assert!(plan.stretch * 33 <= usable + 33, "{plan:?}");
            assert!((plan.buffer_bytes * plan.stretches) as u64 <= usable);
            assert!(plan.stretch * plan.stretches as u64 >= records);
            assert_eq!(plan.places(plan.stretches - 1).end, records);
        }
        let Err(FilesError::Memory { needed, .. }) = Plan::new(1 << 36, 32, 64 << 20) else {
            panic!("two terabytes by 64 MiB");
        };
        assert!(Plan::new(1 << 36, 32, needed).is_ok(), "{needed}");
        assert!(Plan::new(1 << 36, 32, needed / 5 * 4).is_err(), "{needed}");
    }
}
