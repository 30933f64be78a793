//! Games as the builder takes them.

use chess_records::{GameResult, PieceType, Square};
use shakmaty as sm;
use thiserror::Error;

use crate::FlatMove;

/// A game of standard chess from the usual start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // Made by those who bring games of their own.
pub struct Game {
    /// The moves. One that is not legal ends the game's rows, but the whole list counts for the draw
    /// of plies.
    pub moves: Vec<FlatMove>,
    /// How the game ended.
    pub result: GameResult,
    /// White's rating, if it has one.
    pub white_elo: Option<i32>,
    /// Black's rating, if it has one.
    pub black_elo: Option<i32>,
}

/// Why a text is no move in UCI's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected two squares and what a pawn becomes, like e2e4 or e7e8q")]
#[non_exhaustive]
pub struct UciError;

/// The move of a text in UCI's notation: `e2e4`, `e1g1`, `e7e8q`.
///
/// # Errors
///
/// When the text is anything else, the null move among it.
pub fn parse_uci(text: &[u8]) -> Result<FlatMove, UciError> {
    let &[a, b, c, d, ref made @ ..] = text else {
        return Err(UciError);
    };
    let promotion = match made {
        [] => None,
        [b'n'] => Some(PieceType::Knight),
        [b'b'] => Some(PieceType::Bishop),
        [b'r'] => Some(PieceType::Rook),
        [b'q'] => Some(PieceType::Queen),
        _ => return Err(UciError),
    };
    Ok(FlatMove {
        from: square(a, b).ok_or(UciError)?,
        to: square(c, d).ok_or(UciError)?,
        promotion,
    })
}

fn square(file: u8, rank: u8) -> Option<Square> {
    Square::at(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
}

/// A game with its moves as shakmaty plays them.
#[derive(Debug)]
pub(super) struct Replay {
    /// The legal moves before the first one that is not.
    pub(super) moves: Vec<sm::Move>,
    /// The length of the game's list of moves.
    pub(super) plies: usize,
    pub(super) result: GameResult,
    pub(super) white_elo: Option<i32>,
    pub(super) black_elo: Option<i32>,
}

impl Replay {
    /// Both Elos, if there are both.
    pub(super) fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }
}

/// The most plies of a game: the ply of a record is 16 bits wide.
pub(super) const MAX_PLIES: usize = 1 << 16;

impl Game {
    pub(super) fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }

    pub(super) fn replay(&self) -> Replay {
        Replay {
            moves: legal_prefix(self.moves.iter().map(|&played| Some(played))),
            plies: self.moves.len(),
            result: self.result,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
        }
    }
}

impl From<Replay> for Game {
    fn from(replay: Replay) -> Self {
        Self {
            moves: replay.moves.into_iter().filter_map(flat_move).collect(),
            result: replay.result,
            white_elo: replay.white_elo,
            black_elo: replay.black_elo,
        }
    }
}

/// A move as in UCI. Putting a piece on the board is none.
fn flat_move(played: sm::Move) -> Option<FlatMove> {
    match played.to_uci(sm::CastlingMode::Standard) {
        sm::uci::UciMove::Normal {
            from,
            to,
            promotion,
        } => Some(FlatMove {
            from: from.into(),
            to: to.into(),
            promotion: promotion.map(PieceType::from),
        }),
        _ => None,
    }
}

/// The moves up to the first that is none or not legal.
pub(super) fn legal_prefix(moves: impl Iterator<Item = Option<FlatMove>>) -> Vec<sm::Move> {
    use sm::Position as _;
    let mut position = sm::Chess::default();
    let mut legal = Vec::with_capacity(moves.size_hint().0);
    for played in moves {
        let Some(played) = played.and_then(|played| legal_move(&position, played)) else {
            break;
        };
        position.play_unchecked(played);
        legal.push(played);
    }
    legal
}

/// The move in this position, if it is legal there.
pub(super) fn legal_move(position: &sm::Chess, played: FlatMove) -> Option<sm::Move> {
    let square = |square: Square| sm::Square::new(u32::from(u8::from(square)));
    let uci = sm::uci::UciMove::Normal {
        from: square(played.from),
        to: square(played.to),
        promotion: played.promotion.map(role),
    };
    uci.to_move(position).ok()
}

const fn role(piece_type: PieceType) -> sm::Role {
    match piece_type {
        PieceType::Pawn => sm::Role::Pawn,
        PieceType::Knight => sm::Role::Knight,
        PieceType::Bishop => sm::Role::Bishop,
        PieceType::Rook => sm::Role::Rook,
        PieceType::Queen => sm::Role::Queen,
        PieceType::King => sm::Role::King,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let moves = moves.split(' ');
        Game {
            moves: moves
                .map(|text| parse_uci(text.as_bytes()).unwrap())
                .collect(),
            result: GameResult::Draw,
            white_elo: None,
            black_elo: Some(1500),
        }
    }

    #[test]
    fn moves_are_replayed_up_to_the_first_that_is_not_legal() {
        let replay = game("e2e4 e7e5 e1e2 e8e6 g8f6").replay();
        assert_eq!((replay.moves.len(), replay.plies), (3, 5));
        assert_eq!(replay.elos(), None);
    }

    #[test]
    fn castling_is_written_either_way() {
        let castled = |text: &str| {
            let moves = format!("e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 {text}");
            game(&moves).replay().moves.len()
        };
        assert_eq!(castled("e1g1"), 7);
        assert_eq!(castled("e1h1"), 7);
        assert_eq!(castled("e1c1"), 6);
        assert_eq!(castled("e2e4q"), 6);
    }

    #[test]
    fn texts_of_uci() {
        let text = |text: &str| parse_uci(text.as_bytes()).map(|played| played.to_string());
        for legible in ["e2e4", "a7a8q", "a2b1n"] {
            assert_eq!(text(legible).unwrap(), legible);
        }
        for illegible in [
            "", "e2e", "i2e4", "e2e9", "0000", "e7e8k", "e7e8Q", "e7e8qq", "é2e",
        ] {
            assert_eq!(
                text(illegible).unwrap_err().to_string(),
                "expected two squares and what a pawn becomes, like e2e4 or e7e8q"
            );
        }
    }
}
