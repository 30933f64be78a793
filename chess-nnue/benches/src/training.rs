//! What is trained on in the contests: positions of seeded random games with a chosen number of men.

use std::ops::Range;

use chess_nnue::feature_index;
use chess_records::{
    Board, Dataset, DatasetError, GameResult, Label, LabelledPosition, Position, Score,
};

use crate::Random;

/// Labelled positions in memory.
pub struct Positions(pub Vec<LabelledPosition>);

impl Positions {
    /// Positions with this many men, from random games, with random labels.
    pub fn random(count: usize, men: u32) -> Self {
        let mut random = Random(u64::from(men));
        let mut positions = Vec::with_capacity(count);
        while positions.len() < count {
            play(&mut random, men, &mut positions);
        }
        positions.truncate(count);
        Self(positions)
    }
}

/// Plays a game until it has fewer men, keeping the positions with the right number.
fn play(random: &mut Random, men: u32, positions: &mut Vec<LabelledPosition>) {
    let mut board = cozy_chess::Board::default();
    loop {
        let found = board.occupied().len();
        if found < men || board.status() != cozy_chess::GameStatus::Ongoing {
            return;
        }
        if found == men {
            positions.push(labelled(&board, random));
        }
        let mut moves = Vec::new();
        let mut captures = Vec::new();
        let theirs = board.colors(!board.side_to_move());
        board.generate_moves(|of_piece| {
            for mv in of_piece {
                let into = if theirs.has(mv.to) {
                    &mut captures
                } else {
                    &mut moves
                };
                into.push(mv);
            }
            false
        });
        // Captures are taken whenever there are too many men: else random games have far too long ends.
        let eager = found > men && !captures.is_empty();
        let from = if eager || moves.is_empty() {
            &captures
        } else {
            &moves
        };
        board.play_unchecked(from[random.below(from.len())]);
    }
}

fn labelled(board: &cozy_chess::Board, random: &mut Random) -> LabelledPosition {
    LabelledPosition {
        position: Position::new(board.placement(), Board::side_to_move(board)),
        label: Label::new(
            Some(Score::Centipawns(random.below(1201) as i16 - 600)),
            GameResult::new(random.below(3) as u8),
        ),
    }
}

/// The inputs that are on in each position: for the mover, and for its opponent.
pub fn inputs(positions: &[LabelledPosition]) -> Vec<Vec<[u16; 2]>> {
    positions
        .iter()
        .map(|position| men(position).collect())
        .collect()
}

/// The inputs that each man switches on.
pub fn men(position: &LabelledPosition) -> impl Iterator<Item = [u16; 2]> {
    let mover = position.side_to_move();
    position.placement().pieces().map(move |(piece, square)| {
        [mover, mover.opponent()].map(|view| feature_index(view, piece, square) as u16)
    })
}

impl Dataset for Positions {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn gather(&self, indices: &[u64], batch: &mut Self::Batch) -> Result<(), DatasetError> {
        batch.clear();
        for &index in indices {
            let len = self.len();
            let sample = self.0.get(index as usize);
            batch.push(*sample.ok_or(DatasetError::OutOfRange { index, len })?);
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        1
    }

    fn block(&self, _: u64) -> Range<u64> {
        0..self.len()
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}
