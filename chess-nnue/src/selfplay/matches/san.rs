//! Moves in the notation of PGN.

use std::format;
use std::string::{String, ToString};

use cozy_chess::{Board, File, Move, Piece, Rank};

/// A legal move as PGN writes it: `Nbd2`, `exd6`, `O-O`, `e8=Q+`.
pub(super) fn san(board: &Board, played: Move) -> String {
    let mut after = board.clone();
    after.play_unchecked(played);
    let sign = match (after.checkers().is_empty(), after.generate_moves(|_| true)) {
        (true, _) => "",
        (false, true) => "+",
        (false, false) => "#",
    };
    format!("{}{sign}", without_sign(board, played))
}

fn without_sign(board: &Board, played: Move) -> String {
    let Move {
        from,
        to,
        promotion,
    } = played;
    let piece = board.piece_on(from).unwrap_or(Piece::Pawn);
    let castles = piece == Piece::King && board.colors(board.side_to_move()).has(to);
    if castles {
        let is_short = to.file() > from.file();
        return if is_short { "O-O" } else { "O-O-O" }.to_string();
    }
    let en_passant = piece == Piece::Pawn && from.file() != to.file();
    let takes = if en_passant || board.piece_on(to).is_some() {
        "x"
    } else {
        ""
    };
    let who = match piece {
        Piece::Pawn if takes.is_empty() => String::new(),
        Piece::Pawn => from.file().to_string(),
        _ => format!("{}{}", letter(piece), told_apart(board, played, piece)),
    };
    let made = promotion.map_or(String::new(), |made| format!("={}", letter(made)));
    format!("{who}{takes}{to}{made}")
}

fn letter(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}

/// The file, the rank or both, if another piece of the kind can go there too.
fn told_apart(board: &Board, played: Move, piece: Piece) -> String {
    let (mut others, mut same_file, mut same_rank) = (false, false, false);
    board.generate_moves_for(board.pieces(piece), |moves| {
        if moves.from != played.from && moves.to.has(played.to) {
            others = true;
            same_file |= moves.from.file() == played.from.file();
            same_rank |= moves.from.rank() == played.from.rank();
        }
        false
    });
    let (file, rank): (File, Rank) = (played.from.file(), played.from.rank());
    match (others, same_file, same_rank) {
        (false, ..) => String::new(),
        (true, false, _) => file.to_string(),
        (true, true, false) => rank.to_string(),
        (true, true, true) => format!("{file}{rank}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations() {
        for (fen, played, expected) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "g1f3",
                "Nf3",
            ),
            (
                "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
                "d8h4",
                "Qh4#",
            ),
            ("4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nce4"),
            ("4k3/8/8/8/2N5/8/2N5/4K3 w - - 0 1", "c2e3", "N2e3"),
            ("7k/8/8/8/2Q1Q3/8/8/K1Q5 w - - 0 1", "c4e2", "Qce2"),
            ("1k6/8/8/8/Q6Q/8/8/K7 w - - 0 1", "h4e4", "Qhe4"),
            ("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "exd6"),
            ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "O-O"),
            ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "O-O-O+"),
        ] {
            let board = Board::from_fen(fen, false).unwrap();
            assert_eq!(
                san(&board, played.parse().unwrap()),
                expected,
                "{fen} {played}"
            );
        }
    }
}
