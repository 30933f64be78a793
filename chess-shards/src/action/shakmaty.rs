//! Moves of shakmaty.

use ::shakmaty as sm;
use chess_records::{PieceType, Square, UciMove};

use super::{Action, ActionError, castled_king};

/// The action of a move of [shakmaty](https://github.com/niklasf/shakmaty). Putting a piece, as in
/// Crazyhouse, is none.
impl TryFrom<&sm::Move> for Action {
    type Error = ActionError;

    fn try_from(played: &sm::Move) -> Result<Self, ActionError> {
        let (from, to) = match *played {
            sm::Move::Castle { king, rook } => {
                let (king, rook) = (Square::from(king), Square::from(rook));
                (king, castled_king(king, rook)?)
            }
            _ => {
                let to = Square::from(played.to());
                (played.from().map_or(to, Square::from), to)
            }
        };
        Self::from_move(UciMove {
            from,
            to,
            promotion: played.promotion().map(PieceType::from),
        })
    }
}

impl Action {
    /// The move in a position of shakmaty, if it is legal there.
    #[must_use]
    pub fn to_shakmaty(self, position: &impl sm::Position) -> Option<sm::Move> {
        let moves = position.legal_moves();
        let is_this = |played: &&sm::Move| Self::try_from(*played) == Ok(self);
        moves.iter().find(is_this).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sm::Position as _;

    #[test]
    fn legal_moves_there_and_back() {
        let mut moves_seen = 0;
        for seed in 0..30 {
            let mut position = sm::Chess::default();
            for ply in 0..150 {
                let moves = position.legal_moves();
                let order = chess_records::Permutation::new(moves.len() as u64, seed << 32 | ply);
                let Some(choice) = order.get(0) else {
                    break;
                };
                for played in &moves {
                    let action = Action::try_from(played).unwrap();
                    assert_eq!(action.to_shakmaty(&position).as_ref(), Some(played));
                    let uci = played.to_uci(sm::CastlingMode::Standard).to_string();
                    let placement = chess_records::Board::placement(&position);
                    assert_eq!(action.to_move(&placement).to_string(), uci);
                }
                moves_seen += moves.len();
                position.play_unchecked(moves[choice as usize]);
            }
        }
        assert!(moves_seen > 20_000);
    }

    #[test]
    fn what_has_no_action() {
        let put = sm::Move::Put {
            role: sm::Role::Rook,
            to: sm::Square::A1,
        };
        assert_eq!(
            Action::try_from(&put).unwrap_err().to_string(),
            "no plane leads from a1 to a1"
        );
        let castling = sm::Move::Castle {
            king: sm::Square::B1,
            rook: sm::Square::A1,
        };
        assert!(matches!(
            Action::try_from(&castling),
            Err(ActionError::Chess960 { .. })
        ));
    }
}
