//! A shuffle that reads blocks from start to end.

use std::ops::Range;
use std::vec::Vec;

use crate::permutation::{GOLDEN_GAMMA, mix};
use crate::{Dataset, Permutation};

/// The order [`Order::Blocks`](crate::Order::Blocks) of one epoch, of which one window is kept open.
#[derive(Clone, Debug)]
pub(super) struct BlockWalk {
    blocks: Permutation,
    window_count: u64,
    key: u64,
    open: Option<Window>,
}

/// Some blocks and how much of them has been taken.
///
/// A shuffle of as many slots as there are samples says in which order the blocks take turns: the
/// first slots stand for the first block, and so on. Which of its slots comes first does not matter
/// to a block: it gives its samples in their own order.
#[derive(Clone, Debug)]
struct Window {
    number: u64,
    /// The position of its first sample.
    start: u64,
    taken: u64,
    slots: Permutation,
    blocks: Vec<OpenBlock>,
}

#[derive(Clone, Debug)]
struct OpenBlock {
    slots_end: u64,
    next_sample: u64,
}

impl BlockWalk {
    pub(super) fn new(block_count: u64, window: u32, key: u64) -> Self {
        Self {
            blocks: Permutation::new(block_count, key),
            window_count: block_count.div_ceil(u64::from(window)),
            key,
            open: None,
        }
    }

    /// The sample at a position. Fast where positions rise; a position before the last one costs a
    /// walk through its window, and one before the open window a look at all blocks before it.
    pub(super) fn index<D: Dataset + ?Sized>(&mut self, dataset: &D, position: u64) -> u64 {
        let mut window = match self.open.take() {
            Some(window) if window.position() <= position => window,
            Some(window) if window.start <= position => {
                self.window(dataset, window.number, window.start)
            }
            _ => self.window(dataset, 0, 0),
        };
        while window.end() <= position {
            window = self.window(dataset, window.number + 1, window.end());
        }
        while window.position() < position {
            window.take();
        }
        let sample = window.take();
        self.open = Some(window);
        sample
    }

    fn window<D: Dataset + ?Sized>(&self, dataset: &D, number: u64, start: u64) -> Window {
        assert!(
            number < self.window_count,
            "the blocks of a dataset hold all its samples"
        );
        let range = self.boundary(number)..self.boundary(number + 1);
        let key = mix(self.key ^ mix(number.wrapping_add(GOLDEN_GAMMA)));
        let blocks = self.blocks.iter_from(range.start);
        let blocks = blocks.take((range.end - range.start) as usize);
        Window::new(number, start, blocks.map(|block| dataset.block(block)), key)
    }

    /// Where the windows are cut: after how many of the shuffled blocks window `number` begins.
    fn boundary(&self, number: u64) -> u64 {
        let blocks = u128::from(number) * u128::from(self.blocks.len());
        // Not over the number of blocks, as `number` is not over the number of windows.
        (blocks / u128::from(self.window_count)) as u64
    }
}

impl Window {
    fn new(number: u64, start: u64, blocks: impl Iterator<Item = Range<u64>>, key: u64) -> Self {
        let mut slots_end = 0;
        let blocks = blocks.map(|samples| {
            slots_end += samples.end - samples.start;
            OpenBlock {
                slots_end,
                next_sample: samples.start,
            }
        });
        let blocks = blocks.collect();
        Self {
            number,
            start,
            taken: 0,
            slots: Permutation::new(slots_end, key),
            blocks,
        }
    }

    /// The position of the sample that is taken next.
    const fn position(&self) -> u64 {
        self.start + self.taken
    }

    const fn end(&self) -> u64 {
        self.start + self.slots.len()
    }

    fn take(&mut self) -> u64 {
        let slot = self.slots.get(self.taken).expect("a sample is left");
        self.taken += 1;
        let block = self.blocks.partition_point(|block| block.slots_end <= slot);
        let block = &mut self.blocks[block];
        block.next_sample += 1;
        block.next_sample - 1
    }
}
