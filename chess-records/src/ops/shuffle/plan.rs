//! How much is done in memory at a time.

use std::ops::Range;
use std::vec::Vec;

use super::order::{Buckets, Order};
use crate::ops::spill::Spill;
use crate::ops::{FilesError, Shuffle};

/// How the output is cut into stretches of whole buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Where each bucket starts in the output, and the end.
    starts: Vec<u64>,
    /// The buckets of each stretch.
    stretches: Vec<Buckets>,
    /// The size of a write buffer in pass 1.
    pub(super) buffer_bytes: usize,
}

/// A bucket's number in its stretch is written in 16 bits.
const MAX_BUCKETS: usize = 1 << 16;

impl Plan {
    /// What is not for stretches, buffers and tables: everything small.
    const OVERHEAD: u64 = 4 << 20;
    /// What a bucket takes in tables.
    const BYTES_PER_BUCKET: u64 = 32;

    pub(super) fn new(order: &Order, record_bytes: u64, memory: u64) -> Result<Self, FilesError> {
        let needed = needed(order, record_bytes);
        if memory < needed {
            return Err(FilesError::Memory {
                given: memory,
                records: order.records(),
                needed,
            });
        }
        let starts = order.starts();
        let usable = memory - Self::OVERHEAD - order.buckets() as u64 * Self::BYTES_PER_BUCKET;
        let in_memory = order.records().saturating_mul(record_bytes) <= usable;
        let stretches = if in_memory {
            std::iter::once(0..order.buckets()).collect()
        } else {
            // A stretch is filled while the one before is written.
            cut(&starts, usable / 2 / record_bytes)
        };
        let buffer = usable / (stretches.len() + Spill::SPARES) as u64;
        Ok(Self {
            starts,
            stretches,
            buffer_bytes: buffer.min(Spill::MAX_BUFFER_BYTES as u64) as usize,
        })
    }

    pub(super) fn stretches(&self) -> &[Buckets] {
        &self.stretches
    }

    /// The places of a stretch in the output.
    pub(super) fn places(&self, stretch: usize) -> Range<u64> {
        let buckets = &self.stretches[stretch];
        self.starts[buckets.start]..self.starts[buckets.end]
    }

    /// Where each bucket of a stretch starts in the stretch, and the end.
    pub(super) fn starts_in(&self, stretch: usize) -> Vec<usize> {
        let buckets = &self.stretches[stretch];
        let starts = &self.starts[buckets.start..=buckets.end];
        starts
            .iter()
            .map(|start| (start - starts[0]) as usize)
            .collect()
    }

    /// Records in the longest stretch.
    pub(super) fn longest(&self) -> usize {
        let lens = (0..self.stretches.len()).map(|stretch| {
            let places = self.places(stretch);
            places.end - places.start
        });
        lens.max().unwrap_or(0) as usize
    }

    /// For each bucket, its stretch and its number there.
    pub(super) fn routes(&self) -> Vec<(u32, u16)> {
        let numbered = (0..).zip(&self.stretches);
        numbered
            .flat_map(|(stretch, buckets)| {
                (0..buckets.len()).map(move |here| (stretch, here as u16))
            })
            .collect()
    }
}

/// The least memory: that of buffers for as many stretches as there will be, at most twice as many
/// as their size asks for since they are made of whole buckets.
fn needed(order: &Order, record_bytes: u64) -> u64 {
    let bytes = u128::from(order.records()) * u128::from(record_bytes);
    let root = (4 * bytes * Spill::MIN_BUFFER_BYTES as u128).isqrt() as u64;
    let buffers = root + (Spill::SPARES * Spill::MIN_BUFFER_BYTES) as u64;
    let tables = order.buckets() as u64 * Plan::BYTES_PER_BUCKET;
    (buffers + tables + Plan::OVERHEAD).max(Shuffle::MIN_MEMORY)
}

/// Stretches of at most so many records, if a bucket does not have more by itself.
fn cut(starts: &[u64], records: u64) -> Vec<Buckets> {
    let (mut stretches, mut first) = (Vec::new(), 0);
    for bucket in 0..starts.len() - 1 {
        let too_long = starts[bucket + 1] - starts[first] > records;
        if bucket > first && (too_long || bucket - first == MAX_BUCKETS) {
            stretches.push(first..bucket);
            first = bucket;
        }
    }
    stretches.push(first..starts.len() - 1);
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_to_the_memory() {
        let order = Order::new(10, 32, 0);
        assert!(matches!(
            Plan::new(&order, 32, Shuffle::MIN_MEMORY - 1),
            Err(FilesError::Memory { needed, .. }) if needed == Shuffle::MIN_MEMORY
        ));
        for (records, memory) in [(0, 8), (1, 8), (1 << 20, 8), (1 << 20, 20), (1 << 20, 300)] {
            let (order, memory) = (Order::new(records, 32, 0), memory << 20);
            let plan = Plan::new(&order, 32, memory).unwrap();
            let stretches = plan.stretches().len();
            assert_eq!(plan.places(0).start, 0);
            assert_eq!(plan.places(stretches - 1).end, records);
            assert_eq!(plan.routes().len(), order.buckets());
            if stretches > 1 {
                assert!(2 * 32 * plan.longest() as u64 <= memory - Plan::OVERHEAD);
            }
            assert!(plan.buffer_bytes * (stretches + Spill::SPARES) <= memory as usize);
            assert!(plan.buffer_bytes >= Spill::MIN_BUFFER_BYTES);
        }
    }

    #[test]
    fn the_least_memory_leaves_room_for_buffers() {
        for log in [20, 30, 36, 40] {
            let order = Order::new(1 << log, 32, 0);
            let needed = needed(&order, 32);
            let tables = order.buckets() as u64 * Plan::BYTES_PER_BUCKET;
            let usable = needed - Plan::OVERHEAD - tables;
            // Buckets of half a mebibyte to one, so that stretches are over half full.
            let stretches = 2 * (32 << log) / (usable / 2) + 1;
            let buffer = usable / (stretches + Spill::SPARES as u64);
            assert!(
                buffer >= Spill::MIN_BUFFER_BYTES as u64 * 9 / 10,
                "2^{log}: {buffer}"
            );
        }
    }

    #[test]
    fn stretches_are_whole_buckets() {
        assert_eq!(cut(&[0, 3, 6, 9, 20, 21], 6), [0..2, 2..3, 3..4, 4..5]);
        assert!(cut(&[0, 3], 1).into_iter().eq(std::iter::once(0..1)));
        let many: Vec<u64> = (0..=70_000).collect();
        assert_eq!(cut(&many, 1 << 40), [0..65_536, 65_536..70_000]);
    }
}
