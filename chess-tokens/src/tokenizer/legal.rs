//! Moves in UCI's notation on a board that knows which are legal.

use chess_records::UciMove;
use shakmaty as sm;

/// The move in this position, if it is legal there and written as UCI writes it: castling is the
/// king's move by two squares.
pub(super) fn legal_move(position: &sm::Chess, played: UciMove) -> Option<sm::Move> {
    let legal = played.to_shakmaty(position)?;
    (UciMove::from_shakmaty(legal) == Some(played)).then_some(legal)
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;

    #[test]
    fn castling_is_the_kings_move() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
        let fen: sm::fen::Fen = fen.parse().unwrap();
        let position: sm::Chess = fen.into_position(sm::CastlingMode::Standard).unwrap();
        let legal = |text: &str| legal_move(&position, text.parse().unwrap()).is_some();
        assert!(legal("e1g1") && legal("e1c1") && legal("h1h8"));
        assert!(!legal("e1h1") && !legal("e1a1") && !legal("e8g8") && !legal("e1e3"));
        let moves: Vec<_> = position.legal_moves().into_iter().collect();
        for played in moves {
            let uci = UciMove::from_shakmaty(played).unwrap();
            assert_eq!(legal_move(&position, uci), Some(played));
        }
    }
}
