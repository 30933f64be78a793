//! From a record to a checked position.

use thiserror::Error;

use super::layout::{Layout, RankOrder};
use super::plane::Plane;
use super::policy::PolicyEntry;
use super::record::ZdatRecord;
use crate::{
    Board, CastlingRights, Color, GameResult, Label, Labelled, LabelledPosition, Piece, PieceType,
    Placement, PlacementError, Position, PositionError, Score, Square, Wing,
};

/// What a record says of its position, checked, with the side to move as White.
///
/// Records do not tell the side to move. When it was Black, whoever wrote the record has turned the
/// board upside down and exchanged the colours; here White is to move always, the result is White's
/// and so are the castling rights of [`Color::White`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZdatPosition {
    /// Placement, castling rights and en passant square. A right names the outermost rook of its
    /// wing, as records do not name rooks. Clocks are unknown; see [`ZdatRecord::halfmove_clock`].
    pub position: Position,
    /// How the game ended.
    pub result: GameResult,
    /// The record's score, a finite number in no unit that the format gives.
    pub score: f32,
    /// Plies to the end of the game; 255 = that or more.
    pub moves_to_go: Option<u8>,
    /// Whether the position was there before.
    pub repeated: bool,
}

/// Why a record is no position, or not sound in another way. Offsets are bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ZdatRecordError {
    /// The planes contradict each other, or the kings are not one a side.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// A scalar, the score or the outcome is NaN or infinite.
    #[error("{name} (offset {offset}) is {found}, expected a finite number")]
    NotFinite {
        /// What it is.
        name: &'static str,
        /// Where it stands.
        offset: u16,
        /// The number.
        found: f32,
    },
    /// A number is not in its range.
    #[error("{name} (offset {offset}) is {found}, expected {min} to {max}")]
    Range {
        /// What it is.
        name: &'static str,
        /// Where it stands.
        offset: u16,
        /// The number.
        found: f32,
        /// The least it may be.
        min: f32,
        /// The most it may be.
        max: f32,
    },
    /// A number that means yes or no is neither.
    #[error("{name} (offset {offset}) is {found}, expected 0 or 1")]
    Flag {
        /// What it is.
        name: &'static str,
        /// Where it stands.
        offset: u16,
        /// The number.
        found: f32,
    },
    /// The outcome is none.
    #[error("the outcome (offset 4540) is {found}, expected -1 lost, 0 draw or 1 won")]
    Outcome {
        /// The number.
        found: f32,
    },
    /// A side may castle on a wing where it has no rook.
    #[error("{color} may castle on a wing without a rook on its home rank ({wing:?})")]
    NoRook {
        /// The side, the side to move being White.
        color: Color,
        /// The wing.
        wing: Wing,
    },
    /// Castling rights or en passant square do not fit the placement.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Several en passant squares.
    #[error("{found} en passant squares (offset 352), expected at most 1")]
    EnPassant {
        /// How many.
        found: u32,
    },
    /// A move of the policy starts where no own man stands.
    #[error("the policy moves from {from} to {to}, but no own man stands on {from}")]
    PolicyFrom {
        /// Where the move starts.
        from: Square,
        /// Where it ends.
        to: Square,
    },
    /// A move of the policy ends on an own man, and is not the king's onto a rook.
    #[error("the policy moves from {from} to {to}, onto an own man")]
    PolicyTo {
        /// Where the move starts.
        from: Square,
        /// Where it ends.
        to: Square,
    },
}

/// The names of the scalars that the format describes.
pub(super) const SCALAR_NAMES: [&str; 8] = [
    "the static evaluation",
    "the quiescence score",
    "the mover's kingside castling right",
    "the mover's queenside castling right",
    "the opponent's kingside castling right",
    "the opponent's queenside castling right",
    "repeated before",
    "the fifty-move counter",
];

pub(super) const fn scalar_offset(index: usize) -> u16 {
    (ZdatRecord::SCALARS_OFFSET + 4 * index) as u16
}

impl ZdatRecord {
    /// Checks the record and says what position it holds. Planes from 12 on, the en passant square
    /// apart, the policy and the scalars of the engine's own are not part of a position and not
    /// looked at; a `verify` looks at all that has a meaning.
    ///
    /// # Errors
    ///
    /// A [`ZdatRecordError`] for the first thing that is wrong.
    pub fn decode(&self, layout: Layout) -> Result<ZdatPosition, ZdatRecordError> {
        let score = self.score();
        if !score.is_finite() {
            return Err(self.score_not_finite());
        }
        let moves_to_go = self.moves_to_go();
        Ok(ZdatPosition {
            position: self.position(layout.rows)?,
            result: self.result()?,
            score,
            moves_to_go: (moves_to_go != 0).then_some(moves_to_go),
            repeated: self.flag(super::record::REPEATED)?,
        })
    }

    pub(super) fn score_not_finite(&self) -> ZdatRecordError {
        ZdatRecordError::NotFinite {
            name: "the score",
            offset: Self::SCORE_OFFSET as u16,
            found: self.score(),
        }
    }

    /// Where the men stand, the side to move seen as White.
    ///
    /// # Errors
    ///
    /// When planes contradict each other, a side has not exactly one king, or there are more than 32
    /// men.
    pub fn placement(&self, rows: RankOrder) -> Result<Placement, PlacementError> {
        let own = PieceType::ALL.map(|piece_type| self.plane(Plane::own(piece_type), rows));
        let theirs = PieceType::ALL.map(|piece_type| self.plane(Plane::opponent(piece_type), rows));
        let union = |masks: [u64; 6]| masks.into_iter().fold(0, |all, mask| all | mask);
        refuse_overlap(&own)?;
        refuse_overlap(&theirs)?;
        let colors = [union(own), union(theirs)];
        Placement::new(colors, core::array::from_fn(|i| own[i] | theirs[i]))
    }

    pub(super) fn position(&self, rows: RankOrder) -> Result<Position, ZdatRecordError> {
        let placement = self.placement(rows)?;
        let castling = self.castling_rights(&placement)?;
        let en_passant = self.plane(Plane::EN_PASSANT, rows);
        if en_passant.count_ones() > 1 {
            let found = en_passant.count_ones();
            return Err(ZdatRecordError::EnPassant { found });
        }
        let position = Position::new(placement, Color::White)
            .with_castling(castling)?
            .with_en_passant(Square::lowest(en_passant))?;
        Ok(position)
    }

    fn castling_rights(&self, placement: &Placement) -> Result<CastlingRights, ZdatRecordError> {
        let mut rights = CastlingRights::NONE;
        for color in Color::ALL {
            for wing in Wing::ALL {
                if self.flag(Self::castling_scalar(color, wing))? {
                    let rook = outermost_rook(placement, color, wing);
                    let rook = rook.ok_or(ZdatRecordError::NoRook { color, wing })?;
                    rights = rights.with_rook(color, wing, Some(rook));
                }
            }
        }
        Ok(rights)
    }

    /// A scalar that means yes or no; one of those that have a name.
    pub(super) fn flag(&self, index: usize) -> Result<bool, ZdatRecordError> {
        let found = self.scalars()[index];
        if found == 0.0 || found == 1.0 {
            return Ok(found == 1.0);
        }
        Err(ZdatRecordError::Flag {
            name: SCALAR_NAMES[index],
            offset: scalar_offset(index),
            found,
        })
    }

    /// The outcome as a result, the side to move being White.
    ///
    /// # Errors
    ///
    /// [`ZdatRecordError::Outcome`] when it is none.
    pub fn result(&self) -> Result<GameResult, ZdatRecordError> {
        let found = self.outcome();
        if found == 1.0 {
            Ok(GameResult::WhiteWon)
        } else if found == 0.0 {
            Ok(GameResult::Draw)
        } else if found == -1.0 {
            Ok(GameResult::BlackWon)
        } else {
            Err(ZdatRecordError::Outcome { found })
        }
    }
}

/// A square in two planes of one side. [`Placement::new`] sees the sides' planes joined.
fn refuse_overlap(planes: &[u64; 6]) -> Result<(), PlacementError> {
    let (mut once, mut twice) = (0, 0);
    for plane in planes {
        twice |= once & plane;
        once |= plane;
    }
    match Square::lowest(twice) {
        Some(square) => Err(PlacementError::TwoTypes { square }),
        None => Ok(()),
    }
}

/// The rook furthest from the king on its home rank and that wing.
fn outermost_rook(placement: &Placement, color: Color, wing: Wing) -> Option<Square> {
    let rooks = placement.mask(Piece::new(color, PieceType::Rook));
    let home = rooks & 0xff << (8 * color.home_rank());
    let king = placement.king(color);
    match wing {
        Wing::Kingside => Square::highest(home).filter(|&rook| rook > king),
        Wing::Queenside => Square::lowest(home).filter(|&rook| rook < king),
    }
}

/// The side to move's men, as far as the policy's moves are concerned.
#[derive(Clone, Copy)]
pub(super) struct OwnMen {
    pub(super) men: u64,
    pub(super) rooks: u64,
    pub(super) king: u64,
}

impl OwnMen {
    pub(super) fn of(record: &ZdatRecord, rows: RankOrder) -> Self {
        let own = |piece_type| record.plane(Plane::own(piece_type), rows);
        Self {
            men: PieceType::ALL.into_iter().fold(0, |men, t| men | own(t)),
            rooks: own(PieceType::Rook),
            king: own(PieceType::King),
        }
    }

    /// Whether a move leaves an own man and does not end on one, castling written as the king's move
    /// onto its rook excepted.
    pub(super) fn check(&self, entry: PolicyEntry) -> Result<(), ZdatRecordError> {
        let PolicyEntry { from, to, .. } = entry;
        if self.men & from.bit() == 0 {
            return Err(ZdatRecordError::PolicyFrom { from, to });
        }
        let castling = self.king & from.bit() != 0 && self.rooks & to.bit() != 0;
        if self.men & to.bit() != 0 && !castling {
            return Err(ZdatRecordError::PolicyTo { from, to });
        }
        Ok(())
    }
}

impl ZdatPosition {
    /// The position with a label, as trainers and other formats take it.
    ///
    /// Lost are: the side to move, which the record did not have in the first place (White is to
    /// move, and a result or score of the game's Black is White's here); the policy; attack maps and
    /// all other planes and scalars; the score, unless `score` says what it stands for; plies to the
    /// end; repetition. Kept are the men, castling rights, the en passant square and the result.
    ///
    /// marlinformat needs a score in centipawns; for an engine whose scores go from −1 to 1:
    ///
    /// ```
    /// # use chess_records::{Score, zdat::ZdatPosition};
    /// # fn label(decoded: ZdatPosition) {
    /// let score_cp = (400.0 * decoded.score.clamp(-0.999, 0.999).atanh()) as i16;
    /// let labelled = decoded.to_labelled_lossy(Some(Score::Centipawns(score_cp)));
    /// # }
    /// ```
    #[must_use]
    pub const fn to_labelled_lossy(self, score: Option<Score>) -> LabelledPosition {
        LabelledPosition {
            position: self.position,
            label: Label::new(score, Some(self.result)),
        }
    }
}

impl Board for ZdatPosition {
    fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }

    fn placement(&self) -> Placement {
        self.position.placement()
    }
}

/// Without a score: the format gives it no unit.
impl Labelled for ZdatPosition {
    fn label(&self) -> Label {
        Label::new(None, Some(self.result))
    }
}
