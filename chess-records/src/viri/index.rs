//! Where games start, in few bytes.

use std::vec::Vec;

use super::{PLY_BYTES, START_BYTES};

/// What a game has beside its moves, in units of four bytes: the start record and the zeros.
const FRAME_UNITS: u64 = ((START_BYTES + PLY_BYTES) / PLY_BYTES) as u64;

/// The byte offsets of games, and with them how many positions stand before each: games are whole
/// units of four bytes, and all but nine units of a game are moves.
#[derive(Clone, Debug)]
pub(super) struct GameIndex {
    /// In units of four bytes, and at the end that of the end of the last game.
    starts: Starts,
}

#[derive(Clone, Debug)]
enum Starts {
    /// Up to 16 GiB.
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl GameIndex {
    pub(super) fn new() -> Self {
        Self {
            starts: Starts::Short(Vec::from([0])),
        }
    }

    /// Adds a game of so many bytes, a multiple of 4, after the last.
    pub(super) fn push(&mut self, byte_len: usize) {
        let end = self.unit(self.len()) + (byte_len / PLY_BYTES) as u64;
        match &mut self.starts {
            Starts::Long(starts) => starts.push(end),
            Starts::Short(starts) => match u32::try_from(end) {
                Ok(end) => starts.push(end),
                Err(_) => {
                    let mut longer: Vec<u64> = starts.iter().map(|&start| start.into()).collect();
                    longer.push(end);
                    self.starts = Starts::Long(longer);
                }
            },
        }
    }

    /// Gives back memory reserved for more games.
    pub(super) fn shrink(&mut self) {
        match &mut self.starts {
            Starts::Short(starts) => starts.shrink_to_fit(),
            Starts::Long(starts) => starts.shrink_to_fit(),
        }
    }

    /// How many games.
    pub(super) fn len(&self) -> u64 {
        let ends = match &self.starts {
            Starts::Short(starts) => starts.len(),
            Starts::Long(starts) => starts.len(),
        };
        ends as u64 - 1
    }

    fn unit(&self, game: u64) -> u64 {
        match &self.starts {
            Starts::Short(starts) => starts[game as usize].into(),
            Starts::Long(starts) => starts[game as usize],
        }
    }

    /// Where a game starts; of the number after the last, where that one ends.
    pub(super) fn byte_offset(&self, game: u64) -> u64 {
        self.unit(game) * PLY_BYTES as u64
    }

    /// How many positions stand before a game; of the number after the last, how many there are.
    pub(super) fn positions_before(&self, game: u64) -> u64 {
        self.unit(game) - FRAME_UNITS * game
    }

    /// The game that holds a position, which must be there, and the ply in it.
    pub(super) fn find(&self, position: u64) -> (u64, u64) {
        // The last game with no more than so many positions before it; games without moves, which
        // hold none, stand before one that has the same number before it.
        let (mut low, mut high) = (0, self.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.positions_before(middle) <= position {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low, position - self.positions_before(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_in_their_games() {
        let mut index = GameIndex::new();
        assert_eq!((index.len(), index.positions_before(0)), (0, 0));
        let lens = [0, 3, 0, 0, 1, 5, 0];
        for plies in lens {
            index.push(36 + 4 * plies);
        }
        index.shrink();
        assert_eq!(index.len(), 7);
        assert_eq!(index.positions_before(7), 9);
        assert_eq!(index.byte_offset(7), 7 * 36 + 9 * 4);
        let expected = (0..7).flat_map(|game| (0..lens[game as usize]).map(move |ply| (game, ply)));
        for (position, (game, ply)) in expected.enumerate() {
            assert_eq!(index.find(position as u64), (game, ply as u64));
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn files_over_16_gib() {
        let mut index = GameIndex::new();
        index.push(36 + 4 * 2);
        index.push(4 * u32::MAX as usize);
        index.push(36 + 4);
        assert!(matches!(index.starts, Starts::Long(_)));
        assert_eq!(index.byte_offset(1), 44);
        assert_eq!(index.byte_offset(2), 44 + 4 * u64::from(u32::MAX));
        assert_eq!(index.find(1), (0, 1));
        assert_eq!(index.find(2), (1, 0));
        assert_eq!(index.find(index.positions_before(3) - 1), (2, 0));
    }
}
