//! The network that is part of the crate.

use crate::Network;

/// `nets/README.md` says how it was made.
const FILE: &[u8] = include_bytes!("../nets/builtin.nnue");

/// The network that is part of the crate: 256 hidden values, SCReLU, no buckets. How it was made and
/// what it can do stands in `nets/README.md`.
///
/// A later version of the crate may have a better one: [`Network::fingerprint`] tells them apart.
///
/// Each call makes a network, which takes a fraction of a millisecond and 400 KB: make one and share
/// it, by reference, by `Arc` or, with `std`, in a `static`:
///
/// ```
/// use std::sync::LazyLock;
///
/// use chess_nnue::{AccumulatorStack, Network};
///
/// static NETWORK: LazyLock<Network> = LazyLock::new(chess_nnue::builtin);
///
/// let stack = AccumulatorStack::new(&NETWORK);
/// assert_eq!(NETWORK.architecture().hidden(), 256);
/// ```
#[must_use]
pub fn builtin() -> Network {
    match Network::from_bytes(FILE) {
        Ok(network) => network,
        // The file is part of the program, and a test loads it.
        Err(error) => unreachable!("the network inside the program: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use chess_records::{Board, Piece, PieceType, Placement, Position};

    use super::*;
    use crate::{Activation, Architecture};

    /// Both change with the file, on purpose only.
    const FINGERPRINT: u64 = 0xfcd2_9ff0_a04d_2ece;
    const EVAL_SCALE: i32 = 186;

    /// Positions of openings in which nobody is ahead and nothing hangs.
    const BALANCED: [&str; 6] = [
        "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - -",
        "rnbq1rk1/pp2ppbp/6p1/2p5/3PP3/2P1B3/P3NPPP/R2QKB1R w KQ -",
        "r1bqkb1r/1p3ppp/p1nppn2/6B1/3NP3/2N5/PPPQ1PPP/2KR1B1R w kq -",
        "rnbq1rk1/p1p1bpp1/1p2pn1p/3p4/2PP3B/2N1PN2/PP3PPP/R2QKB1R w KQ -",
        "r1bq1rk1/pp1n1ppp/2pbpn2/3p4/2PP4/2N1PN2/PPQ1BPPP/R1B2RK1 b - -",
        "r1b1kb1r/1pqp1ppp/p1n1pn2/8/3NP3/2N1B3/PPP1BPPP/R2QK2R w KQkq -",
    ];

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    /// How much worse the side to move stands without a man of this type, in the mean.
    fn worth(network: &Network, piece_type: PieceType) -> i32 {
        let losses: Vec<_> = BALANCED
            .iter()
            .flat_map(|fen| losses(network, &position(fen), piece_type))
            .collect();
        losses.iter().sum::<i32>() / losses.len() as i32
    }

    fn losses(network: &Network, board: &Position, piece_type: PieceType) -> Vec<i32> {
        let (placement, mover) = (board.placement(), board.side_to_move());
        let score = |placement: Placement| network.evaluate(&Position::new(placement, mover));
        let piece = Piece::new(mover, piece_type);
        let mine = placement.pieces().filter(|&(found, _)| found == piece);
        mine.map(|man| score(placement) - score(placement.after(&[man], &[]).unwrap()))
            .collect()
    }

    #[test]
    fn it_is_the_file_that_was_meant() {
        let network = builtin();
        let fingerprint = network.fingerprint();
        assert_eq!(fingerprint, FINGERPRINT, "{fingerprint:#x}");
        let plain = Architecture::new(256).unwrap();
        let expected = plain.with_eval_scale(EVAL_SCALE).unwrap();
        assert_eq!(network.architecture(), &expected);
        assert_eq!(network.architecture().activation(), Activation::Screlu);
        assert_eq!(network.to_bytes(), FILE);
    }

    #[test]
    fn men_are_worth_more_the_stronger_they_are() {
        let network = builtin();
        let types = PieceType::ALL[..5].iter();
        let worth: Vec<_> = types.map(|&piece| worth(&network, piece)).collect();
        let [pawn, knight, bishop, rook, queen] = worth[..] else {
            panic!("five types besides the king")
        };
        assert!(0 < pawn && pawn < knight && knight <= bishop, "{worth:?}");
        assert!(bishop < rook && rook < queen, "{worth:?}");
        // Centipawns: a scale that is far off would mislead the margins of every search.
        assert!((50..=200).contains(&pawn), "{worth:?}");
    }

    #[test]
    fn a_position_and_its_mirror_are_the_same() {
        let network = builtin();
        for fen in BALANCED {
            let board = position(fen);
            let mover = board.side_to_move();
            let mirrored = Position::new(board.placement().flipped(), mover.opponent());
            assert_eq!(
                network.evaluate(&board),
                network.evaluate(&mirrored),
                "{fen}"
            );
        }
    }

    #[test]
    fn nobody_is_ahead_where_nobody_is() {
        let network = builtin();
        for fen in BALANCED {
            let score = network.evaluate(&position(fen));
            assert!(score.abs() < 150, "{fen} {score}");
        }
    }
}
