//! What the tests hold scores against: the formulas, one number after the other, in integers that are
//! wide enough for anything.

#![allow(dead_code, unreachable_pub)] // each test uses a part

use chess_nnue::{Activation, Architecture, Weights};
use chess_records::{Color, Piece, Placement, Square};

/// Numbers that look random, the same everywhere.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `end`, which is left out.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From `-limit` to `limit`.
    pub fn within(&mut self, limit: i64) -> i64 {
        self.below(2 * limit as usize + 1) as i64 - limit
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The 768·buckets inputs, from scratch.
fn input(
    architecture: &Architecture,
    view: Color,
    placement: &Placement,
    man: (Piece, Square),
) -> usize {
    let own = |square: Square| {
        let (rank, file) = (usize::from(square.rank()), usize::from(square.file()));
        match view {
            Color::White => (rank, file),
            Color::Black => (7 - rank, file),
        }
    };
    let (king_rank, king_file) = own(placement.king(view));
    let buckets = architecture.king_buckets();
    let bucket = usize::from(buckets.map()[king_rank * 8 + king_file]);
    let (piece, square) = man;
    let (rank, mut file) = own(square);
    if buckets.mirrored() && king_file >= 4 {
        file = 7 - file;
    }
    let side = usize::from(piece.color != view);
    ((bucket * 2 + side) * 6 + piece.piece_type.index()) * 64 + rank * 8 + file
}

/// bias + Σ rows.
pub fn hidden(
    architecture: &Architecture,
    weights: &Weights,
    placement: &Placement,
    view: Color,
) -> Vec<i64> {
    let mut hidden: Vec<i64> = weights
        .feature_biases
        .iter()
        .map(|&bias| bias.into())
        .collect();
    for square in Square::ALL {
        let Some(piece) = placement.piece_at(square) else {
            continue;
        };
        let first = input(architecture, view, placement, (piece, square)) * architecture.hidden();
        let row = &weights.feature_weights[first..first + architecture.hidden()];
        for (value, &weight) in hidden.iter_mut().zip(row) {
            *value += i64::from(weight);
        }
    }
    hidden
}

/// The score that these hidden values, the mover's first, give with this many men.
pub fn score(architecture: &Architecture, weights: &Weights, values: [&[i64]; 2], men: u32) -> i32 {
    let size = architecture.hidden();
    let bucket = (men as usize - 2) / 32usize.div_ceil(architecture.output_buckets());
    let row = &weights.output_weights[bucket * 2 * size..(bucket + 1) * 2 * size];
    let (qa, qb) = (i128::from(architecture.qa()), i128::from(architecture.qb()));
    let mut sum = 0i128;
    for (&value, &weight) in values.into_iter().flatten().zip(row) {
        let clipped = i128::from(value).clamp(0, qa);
        sum += i128::from(weight)
            * match architecture.activation() {
                Activation::Screlu => clipped * clipped,
                _ => clipped,
            };
    }
    if architecture.activation() == Activation::Screlu {
        sum /= qa;
    }
    let output = sum + i128::from(weights.output_biases[bucket]);
    let score = output * i128::from(architecture.eval_scale()) / (qa * qb);
    score.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// The score of a position.
pub fn evaluate(
    architecture: &Architecture,
    weights: &Weights,
    placement: &Placement,
    mover: Color,
) -> i32 {
    let of = |view| hidden(architecture, weights, placement, view);
    let (own, other) = (of(mover), of(mover.opponent()));
    score(architecture, weights, [&own, &other], placement.men())
}
