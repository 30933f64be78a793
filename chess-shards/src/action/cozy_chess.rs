//! Moves of cozy-chess, which castles with the king onto its rook.

use ::cozy_chess as cozy;
use chess_records::{PieceType, Square, UciMove};

use super::{Action, ActionError, castled_king};

impl Action {
    /// The action of a move on a board of [cozy-chess](https://github.com/analog-hors/cozy-chess).
    ///
    /// # Errors
    ///
    /// When no piece moves like this, and for castling that only Chess960 has.
    pub fn from_cozy(board: &cozy::Board, played: cozy::Move) -> Result<Self, ActionError> {
        let (from, mut to) = (Square::from(played.from), Square::from(played.to));
        let own = board.colors(board.side_to_move());
        if board.piece_on(played.from) == Some(cozy::Piece::King) && own.has(played.to) {
            to = castled_king(from, to)?;
        }
        Self::from_move(UciMove {
            from,
            to,
            promotion: played.promotion.map(PieceType::from),
        })
    }

    /// The move on a board of cozy-chess, if it is legal there.
    #[must_use]
    pub fn to_cozy(self, board: &cozy::Board) -> Option<cozy::Move> {
        let mut found = None;
        let from = cozy::Square::index(self.from_square().index()).bitboard();
        board.generate_moves_for(from, |moves| {
            found = moves
                .into_iter()
                .find(|&played| Self::from_cozy(board, played) == Ok(self));
            found.is_some()
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every legal move of random games, there and back.
    #[test]
    fn legal_moves_there_and_back() {
        let mut moves_seen = 0;
        for seed in 0..30 {
            let mut board = cozy::Board::default();
            for ply in 0..150 {
                let mut moves = Vec::new();
                board.generate_moves(|of_piece| {
                    moves.extend(of_piece);
                    false
                });
                let order = chess_records::Permutation::new(moves.len() as u64, seed << 32 | ply);
                let Some(choice) = order.get(0) else {
                    break;
                };
                for &played in &moves {
                    let action = Action::from_cozy(&board, played).unwrap();
                    assert_eq!(action.to_cozy(&board), Some(played));
                }
                moves_seen += moves.len();
                board.play(moves[choice as usize]);
            }
        }
        assert!(moves_seen > 20_000);
    }

    #[test]
    fn castling_and_promotions() {
        let board: cozy::Board = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1"
            .parse()
            .unwrap();
        let of = |text: &str| {
            let played = text.parse().unwrap();
            Action::from_cozy(&board, played).unwrap().to_string()
        };
        assert_eq!(of("e1h1"), "e1g1");
        assert_eq!(of("e1a1"), "e1c1");
        assert_eq!(of("a1a8"), "a1a8");
        assert_eq!(of("b7a8q"), "b7a8");
        assert_eq!(of("b7a8n"), "b7a8n");
        let nowhere = Action::new(0).unwrap();
        assert_eq!(nowhere.to_string(), "a1a2");
        assert!(nowhere.to_cozy(&board).is_some());
        let illegal = Action::at(Square::H1, 14 + 28).unwrap();
        assert_eq!(illegal.to_cozy(&board).unwrap().to_string(), "h1g1");
        assert_eq!(Action::at(Square::A2, 0).unwrap().to_cozy(&board), None);
    }
}
