//! Datasets in memory, and the real sample.

#![allow(dead_code, reason = "each test uses its own part")]
#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::vec::Vec;

use chess_records::{
    Color, Dataset, DatasetError, GameResult, Label, LabelledPosition, MarlinRecord, Piece,
    PieceType, Placement, Position, RecordFile, Score, Split, Square,
};

/// Positions in memory, one block, no games.
#[derive(Clone)]
pub(crate) struct Positions(pub(crate) Vec<LabelledPosition>);

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

/// The sample with its last 5% of games held out: what to train on, what to validate on.
pub(crate) fn real_sample() -> (Positions, Positions) {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/real-sample.marlin"
    );
    let file = RecordFile::<MarlinRecord>::read(path).unwrap();
    let split = Split::last_games(&file, 0.05).unwrap();
    let [training, validation] = [split.train, split.held_out].map(|range| {
        let indices: Vec<u64> = range.collect();
        let mut positions = Positions(Vec::new());
        file.gather(&indices, &mut positions.0).unwrap();
        positions
    });
    (training, validation)
}

/// Numbers that look random, the same every time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Uniform in −1…1.
    pub(crate) fn signed_unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 63) as f64 - 1.0
    }
}

/// Random men on random squares with random labels.
pub(crate) fn random_positions(count: usize, seed: u64) -> Positions {
    let mut numbers = Numbers(seed);
    Positions((0..count).map(|_| random_position(&mut numbers)).collect())
}

fn random_position(numbers: &mut Numbers) -> LabelledPosition {
    let mut squares = Square::ALL;
    for i in (1..squares.len()).rev() {
        squares.swap(i, numbers.below(i as u64 + 1) as usize);
    }
    let others = numbers.below(31) as usize;
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let others = (0..others).map(|_| {
        let piece_type = PieceType::ALL[numbers.below(5) as usize];
        Piece::new(Color::ALL[numbers.below(2) as usize], piece_type)
    });
    let men: Vec<_> = kings.into_iter().chain(others).collect();
    let placement = Placement::from_pieces(men.into_iter().zip(squares)).unwrap();
    let mover = Color::ALL[numbers.below(2) as usize];
    let score_cp = numbers.below(1201) as i16 - 600;
    LabelledPosition {
        position: Position::new(placement, mover),
        label: Label::new(
            Some(Score::Centipawns(score_cp)),
            GameResult::new(numbers.below(3) as u8),
        ),
    }
}
