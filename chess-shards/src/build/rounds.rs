//! Blocks of a source, read by a thread of their own and handled side by side, some at a time.

use std::sync::mpsc;
use std::thread;

use rayon::prelude::*;

use super::error::BuildError;
use super::source::{Block, BlockGames, Reading, Source, SourceError};

/// Blocks that each worker has in a round: enough that all are done at about the same time.
const BLOCKS_A_WORKER: usize = 4;
/// More would only take memory.
const MOST_WORKERS: usize = 1024;

/// The threads that work on blocks.
pub(super) struct Workers {
    pool: rayon::ThreadPool,
    count: usize,
}

/// Blocks as they come from the reading thread.
pub(super) struct Rounds<'a> {
    blocks: mpsc::IntoIter<Result<Block, SourceError>>,
    workers: &'a Workers,
}

impl Workers {
    pub(super) fn new(count: usize) -> Result<Self, BuildError> {
        let count = threads(count);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        Ok(Self { pool, count })
    }

    /// Reads blocks while `work` goes through them.
    pub(super) fn read<T>(&self, source: &Source<'_>, work: impl FnOnce(Rounds<'_>) -> T) -> T {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(self.count * BLOCKS_A_WORKER);
            scope.spawn(move || {
                for block in source.blocks() {
                    let failed = block.is_err();
                    // Nobody takes any more when the work is done or has failed.
                    if sender.send(block).is_err() || failed {
                        return;
                    }
                }
            });
            let blocks = receiver.into_iter();
            work(Rounds {
                blocks,
                workers: self,
            })
        })
    }

    /// `map` over `items`, side by side, in order.
    pub(super) fn map<T: Sync, S, R: Send>(
        &self,
        items: &[T],
        state: impl Fn() -> S + Sync + Send,
        map: impl Fn(&mut S, &T) -> R + Sync + Send,
    ) -> Vec<R> {
        let work = || items.par_iter().map_init(state, map).collect();
        self.pool.install(work)
    }
}

impl Rounds<'_> {
    /// The next block, as it is.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>, BuildError> {
        Ok(self.blocks.next().transpose()?)
    }

    /// As many blocks as make a round.
    pub(super) fn round_len(&self) -> usize {
        self.workers.count * BLOCKS_A_WORKER
    }

    /// What each block has.
    pub(super) fn games(&self, blocks: &[(Block, Reading)]) -> Vec<BlockGames> {
        let read = |(): &mut (), (block, reading): &(Block, Reading)| block.read(*reading);
        self.workers.map(blocks, || (), read)
    }
}

/// How many threads there are for so many asked for.
fn threads(asked: usize) -> usize {
    asked.clamp(1, MOST_WORKERS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn threads_have_bounds() {
        for (asked, threads) in [
            (0, 1),
            (1, 1),
            (1024, 1024),
            (1025, 1024),
            (usize::MAX, 1024),
        ] {
            assert_eq!(super::threads(asked), threads);
        }
    }
}
