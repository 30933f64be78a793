//! The positions of games as a dataset.

use std::boxed::Box;
use std::ops::Range;
use std::vec::Vec;

use super::{ViriFault, ViriFile, ViriFilter, ViriGames, ViriPositions};
use crate::dataset::Kept;
use crate::{Dataset, DatasetError, FileBytes, Filtered, LabelledPosition};

/// The positions before each move, in the order of the games. Positions are replayed from their
/// game's start; a gather replays each game once, however its indices are ordered.
///
/// [`Dataset::game_start`] is exact. A block is whole games of at least
/// [`ViriGames::POSITIONS_PER_BLOCK`] positions; the last may have fewer.
impl<D: AsRef<[u8]> + Send + Sync> Dataset for ViriGames<D> {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.position_count()
    }

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        batch.clear();
        let len = self.position_count();
        if let Some(&index) = indices.iter().find(|&&index| index >= len) {
            return Err(DatasetError::OutOfRange { index, len });
        }
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_unstable_by_key(|&slot| indices[slot]);
        let mut replay = Replay::new(self);
        for slot in order {
            let labelled = replay.position(indices[slot])?;
            if batch.is_empty() {
                // What the other slots hold until their turn does not matter.
                batch.resize(indices.len(), labelled);
            }
            batch[slot] = labelled;
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.blocks.len() as u64
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let next = self.blocks.get(block as usize + 1);
        self.blocks[block as usize]..next.copied().unwrap_or_else(|| self.position_count())
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        let len = self.position_count();
        assert!(index < len, "position {index} of {len}");
        let (_, ply) = self.index.find(index);
        Some(ply == 0)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> ViriGames<D> {
    /// The positions that a filter keeps, as a dataset: replays every game once to find them.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Record`] for the first fault in the games.
    pub fn filtered(self, filter: &ViriFilter) -> Result<Filtered<Self>, DatasetError> {
        let kept = self.kept(filter)?;
        Ok(Filtered::of(self, kept))
    }

    fn kept(&self, filter: &ViriFilter) -> Result<Kept, DatasetError> {
        let mut kept = Kept::new(self.position_count());
        for (index, here) in (0..).zip(self.positions()) {
            if filter.keeps(&here.map_err(|fault| position_error(index, fault))?) {
                kept.add(index);
            }
        }
        Ok(kept)
    }
}

impl ViriFile {
    /// The positions that a filter keeps, as a dataset: replays every game once to find them.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Source`] with the path, for the first fault in the games.
    pub fn filtered(self, filter: &ViriFilter) -> Result<Filtered<Self>, DatasetError> {
        let kept = self.games().kept(filter);
        let kept = kept.map_err(|source| self.named(source))?;
        Ok(Filtered::of(self, kept))
    }

    fn named(&self, source: DatasetError) -> DatasetError {
        DatasetError::Source {
            name: std::format!("{}", self.path().display()),
            source: Box::new(source),
        }
    }
}

/// Goes through positions in ascending order without replaying a game twice.
struct Replay<'a, D> {
    games: &'a ViriGames<D>,
    positions: Option<ViriPositions<'a>>,
    /// Those of the game being replayed.
    range: Range<u64>,
    last: Option<(u64, LabelledPosition)>,
}

impl<'a, D: AsRef<[u8]>> Replay<'a, D> {
    const fn new(games: &'a ViriGames<D>) -> Self {
        Self {
            games,
            positions: None,
            range: 0..0,
            last: None,
        }
    }

    fn position(&mut self, index: u64) -> Result<LabelledPosition, DatasetError> {
        match self.last {
            Some((last, labelled)) if last == index => return Ok(labelled),
            _ => {}
        }
        if !self.range.contains(&index) {
            let (game, _) = self.games.index.find(index);
            let of_games = &self.games.index;
            self.range = of_games.positions_before(game)..of_games.positions_before(game + 1);
            self.positions = self.games.get(game).map(|game| game.positions());
        }
        let ply = index - self.range.start;
        let mut positions = self.positions.iter_mut().flatten();
        let found = positions.find(|here| !matches!(here, Ok(here) if here.ply < ply));
        match found {
            Some(Ok(here)) => {
                self.last = Some((index, here.labelled));
                Ok(here.labelled)
            }
            Some(Err(fault)) => Err(position_error(index, fault)),
            // Only bytes that an odd `AsRef` has taken away since `new` get here.
            None => Err(DatasetError::OutOfRange { index, len: 0 }),
        }
    }
}

fn position_error(index: u64, fault: ViriFault) -> DatasetError {
    DatasetError::Record {
        index,
        byte_offset: fault.byte_offset(),
        source: Box::new(fault),
    }
}

/// As the [games](ViriGames)', with the file's path in errors.
impl Dataset for ViriFile {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.games().position_count()
    }

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        let gathered = ViriGames::<FileBytes>::gather(self.games(), indices, batch);
        gathered.map_err(|source| self.named(source))
    }

    fn block_count(&self) -> u64 {
        self.games().block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.games().block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.games().game_start(index)
    }
}
