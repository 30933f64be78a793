//! Which positions of a game are worth training on.

use super::ViriPosition;
use crate::{Board, Color, Position, Score, ViriMoveKind};

/// Leaves out positions of a game as viriformat's tools do.
///
/// ```
/// use chess_records::ViriFilter;
///
/// let filter = ViriFilter {
///     min_ply: 8,
///     max_abs_score_cp: 10_000,
///     ..ViriFilter::USUAL
/// };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViriFilter {
    /// The first ply that is kept, by fullmove number and side to move: 0 is White's first move of
    /// the game. Where the number is unknown, plies count from the game's start record.
    pub min_ply: u64,
    /// The fewest men, kings included.
    pub min_men: u32,
    /// The most men, kings included.
    pub max_men: u32,
    /// The greatest score, of either sign, in centipawns.
    pub max_abs_score_cp: u16,
    /// Whether positions in check are kept.
    pub in_check: bool,
    /// Whether positions are kept in which a capture (en passant too) or a promotion was played.
    pub tactical: bool,
    /// Whether positions are kept in which castling was played.
    pub castling: bool,
}

impl ViriFilter {
    /// Keeps everything.
    pub const EVERYTHING: Self = Self {
        min_ply: 0,
        min_men: 0,
        max_men: 32,
        max_abs_score_cp: u16::MAX,
        in_check: true,
        tactical: true,
        castling: true,
    };

    /// What viriformat's tools leave out unless told otherwise: the first 16 plies, fewer than 4 men,
    /// scores over 31339, checks and tactical moves.
    pub const USUAL: Self = Self {
        min_ply: 16,
        min_men: 4,
        max_men: 32,
        max_abs_score_cp: 31339,
        in_check: false,
        tactical: false,
        castling: true,
    };

    /// Whether a position is kept. A score that is not in centipawns passes.
    #[must_use]
    pub fn keeps(&self, here: &ViriPosition) -> bool {
        let position = &here.labelled.position;
        let men = here.placement().men();
        game_ply(position).unwrap_or(here.ply) >= self.min_ply
            && (self.min_men..=self.max_men).contains(&men)
            && self.keeps_score(here.labelled.label.score)
            && (self.castling || here.played.kind() != ViriMoveKind::Castling)
            && (self.tactical || !position.is_tactical(here.played))
            && (self.in_check || !position.in_check())
    }

    fn keeps_score(&self, score: Option<Score>) -> bool {
        match score {
            Some(Score::Centipawns(score_cp)) => score_cp.unsigned_abs() <= self.max_abs_score_cp,
            _ => true,
        }
    }
}

impl Default for ViriFilter {
    /// [`ViriFilter::USUAL`].
    fn default() -> Self {
        Self::USUAL
    }
}

/// Plies since White's first move of the game, where the fullmove number is known.
fn game_ply(position: &Position) -> Option<u64> {
    let number = u16::from(position.fullmove_number()?);
    let black = u64::from(position.side_to_move() == Color::Black);
    Some(2 * (u64::from(number) - 1) + black)
}
