//! [`Board`](crate::Board) for the positions of other crates.

#[cfg(feature = "cozy-chess")]
mod cozy_chess;
#[cfg(feature = "shakmaty")]
mod shakmaty;

#[cfg(all(test, feature = "cozy-chess", feature = "shakmaty"))]
mod tests {
    use crate::{Board, Permutation};
    use shakmaty::Position as _;
    use std::string::ToString;
    use std::vec::Vec;

    /// Games of random moves, played by cozy-chess and followed by shakmaty.
    #[test]
    fn both_libraries_show_the_same_games() {
        let games = if cfg!(miri) { 1 } else { 40 };
        for seed in 0..games {
            let mut played = cozy_chess::Board::default();
            let mut followed = shakmaty::Chess::default();
            for ply in 0..if cfg!(miri) { 6 } else { 120 } {
                assert_eq!(played.placement(), followed.placement());
                assert_eq!(Board::side_to_move(&played), Board::side_to_move(&followed));
                let mut moves = Vec::new();
                played.generate_moves(|of_piece| {
                    moves.extend(of_piece);
                    false
                });
                let Some(choice) = Permutation::new(moves.len() as u64, seed << 32 | ply).get(0)
                else {
                    break;
                };
                let chosen = moves[choice as usize];
                let uci: shakmaty::uci::UciMove = chosen.to_string().parse().unwrap();
                followed.play_unchecked(uci.to_move(&followed).unwrap());
                played.play(chosen);
            }
        }
    }
}
