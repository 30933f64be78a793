//! The legal moves of a position, in the order in which rows list them.

use chess_records::{
    Board, Color, Piece, PieceType, Placement, Position, Square, Squares, ViriMove, ViriMoveKind,
    Wing,
};

use crate::Action;

const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// The legal moves of a position in place of the contents of `out`, in the order in which the legal
/// actions of a row stand after the one played. It is that in which python-chess generates them, and
/// byte-for-byte rebuilding needs it:
///
/// - pieces other than pawns by from-square from high to low, each one's to-squares from high to low;
///   in check, the king comes before all others;
/// - castling, kingside before queenside;
/// - pawn captures by from-square from high to low, to-square from high to low, each promotion as
///   queen, rook, bishop, knight;
/// - single pushes by to-square from high to low, promotions likewise;
/// - double pushes by to-square from high to low;
/// - en passant by from-square from high to low.
///
/// Castling that only Chess960 has is left out, as it has no action.
pub fn legal_actions(position: &Position, out: &mut Vec<Action>) {
    out.clear();
    let mut list = List {
        position,
        placement: position.placement(),
        color: position.side_to_move(),
        out,
    };
    let king = list.placement.king(list.color).bit();
    let others = list.own() & !list.placement.piece_type(PieceType::Pawn);
    if position.in_check() {
        list.pieces(king);
        list.pieces(others & !king);
    } else {
        list.pieces(others);
        list.castling();
    }
    list.pawn_captures();
    list.pawn_pushes();
    list.en_passant();
}

struct List<'a> {
    position: &'a Position,
    placement: Placement,
    color: Color,
    out: &'a mut Vec<Action>,
}

impl List<'_> {
    fn own(&self) -> u64 {
        self.placement.color(self.color)
    }

    fn pawn(&self) -> Piece {
        Piece::new(self.color, PieceType::Pawn)
    }

    fn pawns(&self) -> u64 {
        self.placement.mask(self.pawn())
    }

    /// Adds a move if it is legal.
    fn add(&mut self, from: Square, to: Square, kind: ViriMoveKind) {
        let Ok(played) = ViriMove::new(from, to, kind) else {
            return;
        };
        if self.position.after_move(played).is_ok() {
            self.out.extend(Action::from_viri(played));
        }
    }

    /// The moves of these men, which are no pawns.
    fn pieces(&mut self, men: u64) {
        let occupied = self.placement.occupied();
        for from in descending(men) {
            let piece = self.placement.piece_at(from);
            let reached = piece.map_or(0, |piece| piece.attacks(from, occupied));
            for to in descending(reached & !self.own()) {
                self.add(from, to, ViriMoveKind::Normal);
            }
        }
    }

    fn castling(&mut self) {
        let king = self.placement.king(self.color);
        for wing in Wing::ALL {
            if let Some(rook) = self.position.castling().rook(self.color, wing) {
                self.add(king, rook, ViriMoveKind::Castling);
            }
        }
    }

    fn pawn_captures(&mut self) {
        let enemies = self.placement.color(self.color.opponent());
        for from in descending(self.pawns()) {
            for to in descending(self.pawn().attacks(from, 0) & enemies) {
                self.pawn_move(from, to);
            }
        }
    }

    /// A move of a pawn, with each promotion on its last step.
    fn pawn_move(&mut self, from: Square, to: Square) {
        if to.rank() != self.color.opponent().home_rank() {
            return self.add(from, to, ViriMoveKind::Normal);
        }
        for promotion in PROMOTIONS {
            self.add(from, to, ViriMoveKind::Promotion(promotion));
        }
    }

    /// Single pushes, then double ones.
    fn pawn_pushes(&mut self) {
        let (pawns, empty) = (self.pawns(), !self.placement.occupied());
        let forward = |men: u64| match self.color {
            Color::White => men << 8,
            Color::Black => men >> 8,
        };
        let third = match self.color {
            Color::White => 0xff << 16,
            Color::Black => 0xff << 40,
        };
        let single = forward(pawns) & empty;
        let double = forward(single & third) & empty;
        for (pushed, ranks) in [(single, 1), (double, 2)] {
            for to in descending(pushed) {
                let back = match self.color {
                    Color::White => -ranks,
                    Color::Black => ranks,
                };
                if let Some(from) = Square::at(to.file(), to.rank().wrapping_add_signed(back)) {
                    self.pawn_move(from, to);
                }
            }
        }
    }

    fn en_passant(&mut self) {
        let Some(to) = self.position.en_passant() else {
            return;
        };
        let enemy = Piece::new(self.color.opponent(), PieceType::Pawn);
        let takers = enemy.attacks(to, 0) & self.pawns();
        for from in descending(takers) {
            self.add(from, to, ViriMoveKind::EnPassant);
        }
    }
}

/// The squares of a mask from h8 down.
fn descending(mask: u64) -> impl Iterator<Item = Square> {
    Squares::new(mask.reverse_bits()).map(|square| square.flip_rank().flip_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fen: &str) -> String {
        let mut actions = Vec::new();
        legal_actions(&Position::from_fen(fen).unwrap(), &mut actions);
        let texts: Vec<_> = actions.iter().map(Action::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn pieces_castling_pawns_in_this_order() {
        assert_eq!(
            of("4k3/P7/8/3pP3/8/8/7P/4K2R w K d6 0 1"),
            "h1g1 h1f1 e1f2 e1e2 e1d2 e1f1 e1d1 e1g1 \
             a7a8 a7a8r a7a8b a7a8n e5e6 h2h3 h2h4 e5d6"
        );
        assert_eq!(
            of("r3k3/8/8/8/8/3P1P2/4p3/5K2 b q - 0 1"),
            "e8f8 e8d8 e8f7 e8e7 e8d7 a8d8 a8c8 a8b8 a8a7 a8a6 a8a5 a8a4 a8a3 a8a2 a8a1 e8c8 \
             e2e1 e2e1r e2e1b e2e1n"
        );
    }

    #[test]
    fn in_check_the_king_comes_first() {
        assert_eq!(
            of("4k3/8/7B/8/4r3/8/8/N3K3 w - - 0 1"),
            "e1f2 e1d2 e1f1 e1d1 h6e3"
        );
        // By the pawn that is taken en passant.
        assert_eq!(
            of("8/8/8/2k5/3pP3/8/8/4K3 b - e3 0 1").split(' ').next(),
            Some("c5d6")
        );
        assert!(of("8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1").ends_with(" d4e3"));
    }

    #[cfg(feature = "cozy-chess")]
    fn random(of: usize, seed: u64) -> Option<usize> {
        let order = chess_records::Permutation::new(of as u64, seed);
        order.get(0).map(|choice| choice as usize)
    }

    /// As a set, the moves are those of a library.
    #[cfg(feature = "cozy-chess")]
    #[test]
    fn the_moves_are_those_of_cozy_chess() {
        let mut actions = Vec::new();
        for seed in 0..40 {
            let mut board = cozy_chess::Board::default();
            for ply in 0..200 {
                let position = Position::from_fen(&board.to_string()).unwrap();
                legal_actions(&position, &mut actions);
                let mut moves = Vec::new();
                board.generate_moves(|of_piece| {
                    moves.extend(of_piece);
                    false
                });
                let theirs = moves
                    .iter()
                    .map(|&played| Action::from_cozy(&board, played).unwrap());
                let mut theirs: Vec<_> = theirs.collect();
                theirs.sort_unstable();
                let mut ours = actions.clone();
                ours.sort_unstable();
                assert_eq!(ours, theirs, "{board}");
                let Some(choice) = random(moves.len(), seed << 32 | ply) else {
                    break;
                };
                board.play(moves[choice]);
            }
        }
    }
}
