//! A placement that was accepted is consistent.

use chess_records::{Piece, Placement, Square, Squares};

use crate::bytes::words;

/// Takes the bytes for eight masks, and for pairs of a piece and a square. Neither may panic, and
/// what is accepted must hold exactly the men it was made of.
pub fn placement(data: &[u8]) {
    let masks: [u64; 8] = words(data);
    let [white, black, pieces @ ..] = masks;
    if let Ok(placement) = Placement::new([white, black], pieces) {
        assert_eq!(placement.occupied(), white | black);
        is_consistent(&placement);
    }
    let men = men(data);
    if let Ok(placement) = Placement::from_pieces(men.iter().copied()) {
        assert_eq!(placement.men() as usize, men.len());
        for &(piece, square) in &men {
            assert_eq!(placement.piece_at(square), Some(piece));
        }
        is_consistent(&placement);
    }
}

fn men(data: &[u8]) -> Vec<(Piece, Square)> {
    let piece = |byte: u8| Piece::ALL[usize::from(byte) % Piece::COUNT];
    let square = |byte: u8| Square::ALL[usize::from(byte) % Square::COUNT];
    let pairs = data.chunks_exact(2);
    pairs
        .map(|pair| (piece(pair[0]), square(pair[1])))
        .collect()
}

fn is_consistent(placement: &Placement) {
    assert!((2..=Placement::MAX_MEN).contains(&placement.men()));
    assert_eq!(Placement::from_pieces(placement.pieces()), Ok(*placement));
    assert_eq!(placement.flipped().flipped(), *placement);
    for (piece, square) in placement.pieces() {
        let mirrored = Piece::new(piece.color.opponent(), piece.piece_type);
        let flipped = placement.flipped();
        assert_eq!(flipped.piece_at(square.flip_rank()), Some(mirrored));
    }
    for square in Squares::new(!placement.occupied()) {
        assert_eq!(placement.piece_at(square), None);
    }
    lifting_and_putting_back_changes_nothing(placement);
}

fn lifting_and_putting_back_changes_nothing(placement: &Placement) {
    let men: Vec<_> = placement.pieces().collect();
    assert_eq!(placement.after(&men, &men), Ok(*placement));
}
