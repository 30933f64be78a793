//! What any sound network answers alike.

use chess_records::{Board, Labelled, Piece, PieceType, Placement, Position, Score};

use crate::Network;

/// What a network thinks a type of piece is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PieceValue {
    /// The type.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub piece_type: PieceType,
    /// How many were taken off, one a position.
    pub pieces: u64,
    /// The mean loss of score when one is taken off, in centipawns; 0 if none was.
    pub mean_cp: f64,
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(value: &PieceType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// How many types of piece can be taken off a board.
pub(super) const TYPES: usize = 5;

/// The sums behind the values of the piece types.
#[derive(Default)]
pub(super) struct PieceCosts {
    by_type: [(u64, i64); TYPES],
}

impl PieceCosts {
    /// Takes one piece of each type off the side to move, if the position is balanced by its label.
    pub(super) fn see(&mut self, network: &Network, sample: &impl Labelled, score_cp: i32) {
        if !sample.label().score.is_some_and(is_balanced) {
            return;
        }
        let mover = sample.side_to_move();
        for (piece_type, (pieces, sum)) in PieceType::ALL.into_iter().zip(&mut self.by_type) {
            if let Some(without) = without_one(&sample.placement(), Piece::new(mover, piece_type)) {
                let left_cp = network.evaluate(&Position::new(without, mover));
                *pieces += 1;
                *sum += i64::from(score_cp) - i64::from(left_cp);
            }
        }
    }

    pub(super) fn finish(self) -> [PieceValue; TYPES] {
        core::array::from_fn(|index| {
            let (pieces, sum) = self.by_type[index];
            PieceValue {
                piece_type: PieceType::ALL[index],
                pieces,
                mean_cp: sum as f64 / pieces.max(1) as f64,
            }
        })
    }
}

const fn is_balanced(score: Score) -> bool {
    match score {
        Score::Centipawns(score_cp) => -50 <= score_cp && score_cp <= 50,
        Score::Expected(points) => 0.4 <= points && points <= 0.6,
        _ => false,
    }
}

/// The placement without one such piece, if there is one.
fn without_one(placement: &Placement, piece: Piece) -> Option<Placement> {
    let (_, square) = placement.pieces().find(|&(found, _)| found == piece)?;
    placement.after(&[(piece, square)], &[]).ok()
}

/// Whether a position scores differently when colours are exchanged and the board is turned round.
pub(super) fn differs_turned_round(network: &Network, board: &impl Board, score_cp: i32) -> bool {
    let mover = board.side_to_move().opponent();
    let turned = Position::new(board.placement().flipped(), mover);
    network.evaluate(&turned) != score_cp
}

/// How many centipawns a score changes by when the files a–h are exchanged.
pub(super) fn file_mirror_difference(
    network: &Network,
    board: &impl Board,
    score_cp: i32,
) -> Option<u32> {
    let pieces = board.placement().pieces();
    let mirrored = pieces.map(|(piece, square)| (piece, square.flip_file()));
    let mirrored = Placement::from_pieces(mirrored).ok()?;
    let mirrored_cp = network.evaluate(&Position::new(mirrored, board.side_to_move()));
    Some(score_cp.abs_diff(mirrored_cp))
}
