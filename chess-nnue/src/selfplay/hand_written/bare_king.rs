//! Against a bare king: to the edge with it, with the own king close by; with bishop and knight into
//! a corner of the bishop's colour.

use cozy_chess::{BitBoard, Board, Color, Piece, Square};

use super::pawns::distance;

/// Far above what material counts, and far below a mate.
const WON: i32 = 5_000;

/// The score for White where exactly one side has a bare king and the other can mate it by pieces
/// alone.
pub(super) fn score(board: &Board) -> Option<i32> {
    let bare = |color| board.colors(color).len() == 1;
    match (bare(Color::White), bare(Color::Black)) {
        (false, true) => against(board, Color::White),
        (true, false) => against(board, Color::Black).map(|score| -score),
        _ => None,
    }
}

/// The score for the side with pieces.
fn against(board: &Board, winner: Color) -> Option<i32> {
    let pieces = |piece| board.colored_pieces(winner, piece);
    let (bishops, knights) = (pieces(Piece::Bishop), pieces(Piece::Knight));
    let major = pieces(Piece::Queen).len() * 900 + pieces(Piece::Rook).len() * 500;
    let on_both_colors = !bishops.is_disjoint(BitBoard::LIGHT_SQUARES)
        && !bishops.is_disjoint(BitBoard::DARK_SQUARES);
    let bishop_and_knight = !bishops.is_empty() && !knights.is_empty();
    if major == 0 && !on_both_colors && !bishop_and_knight {
        return None;
    }
    let (own, other) = (board.king(winner), board.king(!winner));
    let corner = if major == 0 && !on_both_colors {
        10 * (7 - corner_distance(other, bishops))
    } else {
        0
    };
    let men = board.occupied().len() as i32;
    Some(
        WON + major as i32 + 10 * men + 12 * from_centre(other) + corner - 8 * distance(own, other),
    )
}

/// Steps from the four squares in the middle, files and ranks together: 0 to 6.
fn from_centre(square: Square) -> i32 {
    let from_middle = |line: i32| if line < 4 { 3 - line } else { line - 4 };
    from_middle(square.file() as i32) + from_middle(square.rank() as i32)
}

/// Steps to the nearer corner of the colour of a bishop's squares.
fn corner_distance(square: Square, bishops: BitBoard) -> i32 {
    let corners = if bishops.is_disjoint(BitBoard::DARK_SQUARES) {
        [Square::A8, Square::H1]
    } else {
        [Square::A1, Square::H8]
    };
    distance(square, corners[0]).min(distance(square, corners[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(fen: &str) -> Option<i32> {
        score(&fen.parse().unwrap())
    }

    #[test]
    fn the_edge_is_worse_than_the_middle() {
        let middle = white("8/8/8/3k4/8/8/8/R3K3 w - - 0 1").unwrap();
        let edge = white("3k4/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let close = white("3k4/8/3K4/8/8/8/8/R7 w - - 0 1").unwrap();
        assert!(middle < edge && edge < close);
        assert_eq!(white("3K4/8/3k4/8/8/8/8/r7 w - - 0 1"), Some(-close));
    }

    #[test]
    fn what_cannot_be_won_like_this() {
        for fen in [
            "3k4/8/8/8/8/8/8/N3K3 w - - 0 1",
            "3k4/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "3k4/3p4/8/8/8/8/8/R3K3 w - - 0 1",
            "3k4/8/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            assert_eq!(white(fen), None, "{fen}");
        }
    }

    #[test]
    fn a_light_bishop_wants_a_light_corner() {
        let light = white("7k/8/5K2/8/8/8/6NB/8 w - - 0 1").unwrap();
        let dark = white("k7/8/2K5/8/8/8/6NB/8 w - - 0 1").unwrap();
        // h2 is dark, and so is h8.
        assert!(light > dark);
    }
}
