//! Legal moves in the order in which python-chess, the reference's board, generates them.

use shakmaty::{CastlingSide, Chess, Move, Position, Role, Square};

use crate::{Action, ActionError};

/// Bits of a sort key that hold the action's number.
const ACTION_BITS: u32 = 13;
const _: () = assert!(Action::COUNT <= 1 << ACTION_BITS);

/// Fills `keys` with one number for each legal move, in the order of [`legal_actions`]; [`action`] is
/// what each stands for.
///
/// [`legal_actions`]: crate::legal_actions
pub(super) fn ordered_keys(position: &Chess, keys: &mut Vec<u32>) -> Result<(), ActionError> {
    let in_check = position.is_check();
    keys.clear();
    for played in position.legal_moves() {
        let action = Action::try_from(&played)?;
        keys.push(rank(played, in_check) << ACTION_BITS | u32::from(action.index()));
    }
    keys.sort_unstable();
    Ok(())
}

/// The number of the action in a sort key.
pub(super) const fn action(key: u32) -> u16 {
    (key & ((1 << ACTION_BITS) - 1)) as u16
}

/// Where a move stands among the legal ones: its kind, its squares from high to low, and what a pawn
/// becomes.
fn rank(played: Move, in_check: bool) -> u32 {
    let to = from_high(played.to());
    let from = played.from().map_or(0, from_high);
    let squares = from << 6 | to;
    let (kind, squares) = match played {
        Move::Castle { .. } => {
            let is_queenside = played.castling_side() == Some(CastlingSide::QueenSide);
            (2, u32::from(is_queenside))
        }
        Move::EnPassant { .. } => (6, squares),
        Move::Normal { role, capture, .. } => match role {
            Role::King if in_check => (0, squares),
            Role::Pawn if capture.is_some() => (3, squares),
            // The square a pawn comes from follows from where it goes.
            Role::Pawn if from.abs_diff(to) == 16 => (5, to),
            Role::Pawn => (4, to),
            _ => (1, squares),
        },
        Move::Put { .. } => (1, squares),
    };
    (kind << 12 | squares) << 2 | promotion(played)
}

/// 0 for h8 to 63 for a1.
fn from_high(square: Square) -> u32 {
    63 - u32::from(square)
}

fn promotion(played: Move) -> u32 {
    match played.promotion() {
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Knight) => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use crate::build::game::Replay;

    fn actions(position: &Chess) -> Result<Vec<Action>, ActionError> {
        let mut keys = Vec::new();
        ordered_keys(position, &mut keys)?;
        keys.into_iter()
            .map(|key| Action::new(action(key)))
            .collect()
    }

    /// Moves of shakmaty, sorted here, against moves of chess-records, generated in order.
    #[test]
    fn the_order_is_that_of_the_crate() {
        let (mut positions, mut expected) = (0, Vec::new());
        for name in ["games.pgn", "edge.pgn"] {
            let path = format!("{}/tests/games/{name}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::File::open(path).unwrap();
            for game in chess_records::pgn::PgnGames::new(text) {
                let mut position = Chess::default();
                for played in Replay::from(game.unwrap().game().unwrap()).moves {
                    let fen = Fen::from_position(&position, shakmaty::EnPassantMode::Legal);
                    let ours: chess_records::Position = fen.to_string().parse().unwrap();
                    crate::legal_actions(&ours, &mut expected);
                    assert_eq!(actions(&position).unwrap(), expected, "{fen}");
                    position.play_unchecked(played);
                    positions += 1;
                }
            }
        }
        assert!(positions > 10_000);
    }

    fn ordered(fen: &str) -> String {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let actions = actions(&position).unwrap();
        let texts: Vec<_> = actions.iter().map(ToString::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn kinds_of_moves() {
        assert_eq!(
            ordered("1n2k3/P7/8/3pP3/8/8/6P1/R3K2R w KQ d6 0 1"),
            "h1h8 h1h7 h1h6 h1h5 h1h4 h1h3 h1h2 h1g1 h1f1 e1f2 e1e2 e1d2 e1f1 e1d1 \
             a1a6 a1a5 a1a4 a1a3 a1a2 a1d1 a1c1 a1b1 e1g1 e1c1 \
             a7b8 a7b8r a7b8b a7b8n a7a8 a7a8r a7a8b a7a8n e5e6 g2g3 g2g4 e5d6"
        );
    }

    #[test]
    fn in_check_the_king_is_first() {
        assert_eq!(
            ordered("2k5/8/8/8/4r3/8/3P1N2/R3K1QR w KQ - 0 1"),
            "e1f1 e1d1 f2e4"
        );
        assert_eq!(
            ordered("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"),
            "c5d6 c5c6 c5b6 c5d5 c5b5 c5d4 c5c4 c5b4 e4d3"
        );
    }

    #[test]
    fn chess960_has_no_actions() {
        let fen: Fen = "1k6/8/8/8/8/8/8/RK5R w KQ - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
        assert!(matches!(
            actions(&position),
            Err(ActionError::Chess960 { .. })
        ));
    }
}
