//! From a position to a record.

use thiserror::Error;

use super::layout::Layout;
use super::plane::Plane;
use super::policy::policy_cell;
use super::record::ZdatRecord;
use crate::{
    Board, Color, GameResult, Piece, PieceType, Placement, Position, Square, Squares, Wing,
};

/// A legal move and its probability, for [`ZdatRecord::encode`]. Moves are those of the position,
/// whoever is to move; promotions to different pieces are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyMove {
    /// Where the move starts.
    pub from: Square,
    /// Where it ends.
    pub to: Square,
    /// Its probability, 0 to 1.
    pub probability: f32,
}

/// What a record holds beside the position and its moves; numbers are the side to move's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ZdatTargets {
    /// The static evaluation, −1 (the mover loses) to 1.
    pub static_eval: f32,
    /// The score of quiescence search, −1 (the mover loses) to 1.
    pub quiescence: f32,
    /// Whether the position was there before.
    pub repeated: bool,
    /// The score, in whatever unit the reader expects.
    pub score: f32,
    /// Plies to the end of the game; 255 = that or more, 0 = unknown.
    pub moves_to_go: u8,
}

/// Why a move cannot be in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyMoveError {
    /// The probability is not from 0 to 1.
    #[error("the move from {from} to {to} has probability {found}, expected 0 to 1")]
    Probability {
        /// Where the move starts.
        from: Square,
        /// Where it ends.
        to: Square,
        /// The probability.
        found: f32,
    },
    /// Two moves have the same squares.
    #[error("the move from {from} to {to} is there twice")]
    Twice {
        /// Where the moves start.
        from: Square,
        /// Where they end.
        to: Square,
    },
}

impl ZdatRecord {
    /// The record of a position, in this layout.
    ///
    /// A position with Black to move is turned upside down with the colours exchanged, and the
    /// result turned to the side to move. Planes are written as the constants of [`Plane`] say; the
    /// engine's internal planes and scalars, which nobody else knows, are 0. The fifty-move counter
    /// is plies over 100, none counted after 100 and 0 if they are unknown.
    ///
    /// Lost are the fullmove number, whose move it is, and which rooks may castle, where there are
    /// several.
    ///
    /// # Errors
    ///
    /// When a move of the policy is there twice or its probability is none.
    pub fn encode(
        position: &Position,
        moves: &[PolicyMove],
        result: GameResult,
        targets: &ZdatTargets,
        layout: Layout,
    ) -> Result<Self, PolicyMoveError> {
        let mut record = Self::zeroed();
        let mut put = |plane, mask| record.set_plane(plane, layout.rows, mask);
        let seen = Seen::by_mover(position);
        seen.men(&mut put);
        seen.attacks(&mut put);
        seen.pawns(&mut put);
        put(Plane::EN_PASSANT, seen.en_passant);
        put(Plane::SQUARE_COLORS, LIGHT_SQUARES);
        for found in moves {
            record.encode_move(found, seen.flipped, layout)?;
        }
        record.set_scalars(scalars(position, targets));
        let outcome = 2.0 * result.points(position.side_to_move()) - 1.0;
        record.set_targets(targets.score, outcome, targets.moves_to_go);
        Ok(record)
    }

    fn encode_move(
        &mut self,
        found: &PolicyMove,
        flipped: bool,
        layout: Layout,
    ) -> Result<(), PolicyMoveError> {
        let PolicyMove {
            from,
            to,
            probability,
        } = *found;
        if !(0.0..=1.0).contains(&probability) {
            let found = probability;
            return Err(PolicyMoveError::Probability { from, to, found });
        }
        let number = |square: Square| {
            let seen = if flipped { square.flip_rank() } else { square };
            usize::from(layout.policy.number(seen))
        };
        let cell = number(from) * 64 + number(to);
        if self.policy_cells()[cell] != 0 {
            return Err(PolicyMoveError::Twice { from, to });
        }
        self.set_policy(cell, policy_cell(probability));
        Ok(())
    }
}

fn scalars(position: &Position, targets: &ZdatTargets) -> [f32; ZdatRecord::SCALARS] {
    let mut scalars = [0.0; ZdatRecord::SCALARS];
    scalars[super::record::STATIC_EVAL] = targets.static_eval;
    scalars[super::record::QUIESCENCE] = targets.quiescence;
    let mover = position.side_to_move();
    // White stands for the side to move.
    let sides = [(Color::White, mover), (Color::Black, mover.opponent())];
    for (seen, color) in sides {
        for wing in Wing::ALL {
            let may = position.castling().rook(color, wing).is_some();
            scalars[ZdatRecord::castling_scalar(seen, wing)] = f32::from(u8::from(may));
        }
    }
    scalars[super::record::REPEATED] = f32::from(u8::from(targets.repeated));
    let clock = position.halfmove_clock().unwrap_or(0).min(100);
    scalars[super::record::FIFTY] = f32::from(clock) / 100.0;
    scalars
}

/// Rank 1: b1, d1, f1, h1.
const LIGHT_SQUARES: u64 = 0x55aa_55aa_55aa_55aa;
const FILE_A: u64 = 0x0101_0101_0101_0101;

/// A position as the side to move sees it, as White.
struct Seen {
    placement: Placement,
    en_passant: u64,
    flipped: bool,
}

impl Seen {
    fn by_mover(position: &Position) -> Self {
        let en_passant = position.normalize_en_passant().en_passant();
        let en_passant = en_passant.map_or(0, Square::bit);
        let placement = position.placement();
        match position.side_to_move() {
            Color::White => Self {
                placement,
                en_passant,
                flipped: false,
            },
            Color::Black => Self {
                placement: placement.flipped(),
                en_passant: en_passant.swap_bytes(),
                flipped: true,
            },
        }
    }

    fn men(&self, put: &mut impl FnMut(Plane, u64)) {
        for piece_type in PieceType::ALL {
            let of = |color| self.placement.mask(Piece::new(color, piece_type));
            put(Plane::own(piece_type), of(Color::White));
            put(Plane::opponent(piece_type), of(Color::Black));
        }
    }

    fn attacks(&self, put: &mut impl FnMut(Plane, u64)) {
        for piece_type in PieceType::ALL {
            let by = |color| self.attacked_by(Piece::new(color, piece_type));
            if let Some(plane) = Plane::own_attacks(piece_type) {
                put(plane, by(Color::White));
            }
            if let Some(plane) = Plane::opponent_attacks(piece_type) {
                put(plane, by(Color::Black));
            }
        }
    }

    fn attacked_by(&self, piece: Piece) -> u64 {
        let occupied = self.placement.occupied();
        let men = Squares::new(self.placement.mask(piece));
        men.fold(0, |attacked, from| attacked | piece.attacks(from, occupied))
    }

    fn pawns(&self, put: &mut impl FnMut(Plane, u64)) {
        let of = |color| self.placement.mask(Piece::new(color, PieceType::Pawn));
        let (own, theirs) = (of(Color::White), of(Color::Black));
        let (own_files, their_files) = (files(own), files(theirs));
        put(Plane::OPEN_FILES, !(own_files | their_files));
        put(Plane::OWN_HALF_OPEN_FILES, their_files & !own_files);
        put(Plane::OPPONENT_HALF_OPEN_FILES, own_files & !their_files);
        put(Plane::OWN_PASSED_PAWNS, passed(own, theirs));
        let theirs_passed = passed(theirs.swap_bytes(), own.swap_bytes()).swap_bytes();
        put(Plane::OPPONENT_PASSED_PAWNS, theirs_passed);
    }
}

/// All squares of the files on which the mask has some.
fn files(mask: u64) -> u64 {
    Squares::new(mask).fold(0, |files, square| files | FILE_A << square.file())
}

/// Pawns that go up the board and meet none of the others' ahead on their file and its neighbours.
fn passed(pawns: u64, others: u64) -> u64 {
    let free = |pawn: &Square| {
        let ahead = Squares::new(others).filter(|other| other.rank() > pawn.rank());
        ahead
            .into_iter()
            .all(|other| other.file().abs_diff(pawn.file()) > 1)
    };
    Squares::new(pawns)
        .filter(free)
        .fold(0, |mask, pawn| mask | pawn.bit())
}
