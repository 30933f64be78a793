//! FEN, read and written.
//!
//! | field | read | written |
//! |---|---|---|
//! | placement | letters `PNBRQKpnbrqk`, digits 1–8, ranks 8 to 1 | the same |
//! | side to move | `w`, `b` | the same |
//! | castling | `-`; `KQkq` for the outermost rook of a wing (X-FEN); `A`–`H`, `a`–`h` for the rook on a file (Shredder-FEN) | X-FEN: `KQkq` where that names the right rook, else its file |
//! | en passant | `-` or the square a pawn has just passed over | the same |
//! | halfmove clock | 0–255, may be missing | unknown: 0 |
//! | fullmove number | 0–65535, may be missing; 0 is unknown | unknown: 1 |

mod read;
mod write;

pub use read::{FenError, FenField};
pub use write::Fen;
pub(crate) use write::PlacementField;

use crate::{Color, Piece, PieceType, Placement, Square, Wing};

/// The rook that X-FEN means by `K` or `Q`: the one furthest from the king on that wing of the home
/// rank.
fn outermost_rook(placement: &Placement, color: Color, wing: Wing) -> Option<Square> {
    let home = 0xff << (8 * color.home_rank());
    let rooks = home & placement.mask(Piece::new(color, PieceType::Rook));
    let king_file = placement.king(color).file();
    let king = Square::at(king_file, color.home_rank())?;
    match wing {
        Wing::Queenside => Square::lowest(rooks & (king.bit() - 1)),
        Wing::Kingside => Square::highest(rooks & !(king.bit() - 1) & !king.bit()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Board, Color, Position, Square, Wing};
    use std::string::ToString;

    fn again(fen: &str) -> std::string::String {
        Position::from_fen(fen).unwrap().fen().to_string()
    }

    #[test]
    fn every_field_comes_back() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 255 65535",
            "rr2k2r/8/8/8/8/8/8/RR2K2R w KBkb - 0 1",
            "4k1rr/8/8/8/8/8/8/1K1R3R b Dg - 99 300",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 149 4",
        ] {
            assert_eq!(again(fen), fen);
        }
    }

    #[test]
    fn shredder_letters_become_x_fen_where_the_rook_is_the_outermost() {
        assert_eq!(
            again("rr2k2r/8/8/8/8/8/8/RR2K2R w HBha -"),
            "rr2k2r/8/8/8/8/8/8/RR2K2R w KBkq - 0 1"
        );
        let position = Position::from_fen("rr2k2r/8/8/8/8/8/8/RR2K2R w Qb -").unwrap();
        let rook = |color| position.castling().rook(color, Wing::Queenside);
        assert_eq!(rook(Color::White), Some(Square::A1));
        assert_eq!(rook(Color::Black), Some(Square::B8));
        assert_eq!(position.castling().rook(Color::White, Wing::Kingside), None);
    }

    #[test]
    fn unknown_clocks() {
        let clocks = |tail: &str| {
            let fen = std::format!("4k3/8/8/8/8/8/8/4K3 b - -{tail}");
            let position: Position = fen.parse().unwrap();
            assert_eq!(position.side_to_move(), Color::Black);
            let number = position.fullmove_number().map(u16::from);
            (position.halfmove_clock(), number)
        };
        assert_eq!(clocks(""), (None, None));
        assert_eq!(clocks(" 0"), (Some(0), None));
        assert_eq!(clocks(" 7 0"), (Some(7), None));
        assert_eq!(clocks("  255   65535  "), (Some(255), Some(65535)));
        assert_eq!(
            again("4k3/8/8/8/8/8/8/4K3 b - -"),
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
        );
    }
}
