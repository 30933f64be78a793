//! Each rule, broken and kept.
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use super::*;
use std::string::{String, ToString};

/// A move as in UCI with castling as in Chess960, with `e.p.` or `castles` after it.
fn parse(text: &str) -> ViriMove {
    let (squares, rest) = text.split_at(4);
    let (from, to) = squares.split_at(2);
    let kind = match rest.trim() {
        "" => ViriMoveKind::Normal,
        "e.p." => ViriMoveKind::EnPassant,
        "castles" => ViriMoveKind::Castling,
        letter => {
            let letter = letter.chars().next().unwrap();
            ViriMoveKind::Promotion(Piece::from_fen_letter(letter).unwrap().piece_type)
        }
    };
    ViriMove::new(from.parse().unwrap(), to.parse().unwrap(), kind).unwrap()
}

/// The FEN after a move, or why it cannot be played.
fn played(fen: &str, text: &str) -> String {
    let position = Position::from_fen(fen).unwrap();
    match position.after_move(parse(text)) {
        Ok(after) => after.fen().to_string(),
        Err(error) => error.to_string(),
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn clocks_and_en_passant_squares() {
    assert_eq!(
        played(START, "g1f3"),
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    );
    assert_eq!(
        played("4k3/2p5/8/8/8/8/8/4K3 b - - 254 65534", "c7c5"),
        "4k3/8/8/2p5/8/8/8/4K3 w - c6 0 65535"
    );
    assert_eq!(
        played("4k3/2p5/8/8/8/8/8/4K3 b - - 255 65535", "e8e7"),
        "8/2p1k3/8/8/8/8/8/4K3 w - - 255 65535"
    );
    let unknown = Position::from_fen("4k3/8/8/8/8/8/4p3/4K3 w - -").unwrap();
    let quiet = unknown.after_move(parse("e1f2")).unwrap();
    assert_eq!(
        (quiet.halfmove_clock(), quiet.fullmove_number()),
        (None, None)
    );
    let taking = unknown.after_move(parse("e1e2")).unwrap();
    assert_eq!(
        (taking.halfmove_clock(), taking.fullmove_number()),
        (Some(0), None)
    );
}

#[test]
fn pieces_that_cannot_go_there() {
    assert_eq!(played(START, "e4e5"), "no White piece stands on e4");
    assert_eq!(played(START, "e7e5"), "no White piece stands on e7");
    assert_eq!(
        played(START, "a1a2"),
        "the White rook on a1 cannot take its own man on a2"
    );
    assert_eq!(
        played(START, "g1g3"),
        "a White knight does not go from g1 to g3"
    );
    assert_eq!(
        played(START, "a1a3"),
        "the way of the White rook from a1 to a3 is blocked on a2"
    );
    assert_eq!(
        played("4k3/8/8/8/8/8/4R3/4K3 w - -", "e2e8"),
        "the White rook on e2 cannot take the king on e8"
    );
}

#[test]
fn pawns() {
    assert_eq!(
        played(START, "e2e5"),
        "a White pawn does not go from e2 to e5"
    );
    assert_eq!(
        played(START, "e2d3"),
        "a White pawn does not go from e2 to d3"
    );
    let facing = "4k3/8/8/4p3/4P3/8/8/4K3 w - -";
    assert_eq!(
        played(facing, "e4e5"),
        "a White pawn does not go from e4 to e5"
    );
    let blocked = "4k3/4p3/4N3/8/8/8/8/4K3 b - -";
    assert_eq!(
        played(blocked, "e7e5"),
        "the way of the Black pawn from e7 to e5 is blocked on e6"
    );
    assert_eq!(
        played("4k3/4p3/8/8/8/8/8/4K3 b - -", "e7e4"),
        "a Black pawn does not go from e7 to e4"
    );
}

#[test]
fn promotions() {
    let fen = "3rk3/4P3/8/8/8/8/8/4K3 w - - 7 9";
    assert_eq!(played(fen, "e7d8n"), "3Nk3/8/8/8/8/8/8/4K3 b - - 0 9");
    assert_eq!(
        played(fen, "e7d8"),
        "the pawn that reaches d8 must become a piece"
    );
    assert_eq!(
        played(fen, "e1e2q"),
        "the White king that goes to e2 cannot become another piece"
    );
    assert_eq!(
        played(START, "e2e4q"),
        "the White pawn that goes to e4 cannot become another piece"
    );
}

#[test]
fn en_passant() {
    let fen = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 5";
    assert_eq!(played(fen, "d4e3 e.p."), "4k3/8/8/8/8/4p3/8/4K3 w - - 0 6");
    assert_eq!(
        played(fen, "d4e3"),
        "a Black pawn does not go from d4 to e3"
    );
    for wrong in ["d4c3 e.p.", "d4d3 e.p.", "e8e7 e.p."] {
        assert!(played(fen, wrong).contains("cannot take en passant on"));
    }
    assert_eq!(
        played("4k3/8/8/8/3pP3/8/8/4K3 b - -", "d4e3 e.p."),
        "the Black pawn on d4 cannot take en passant on e3"
    );
    assert_eq!(
        played("8/8/8/8/k2pP2R/8/8/4K3 b - e3", "d4e3 e.p."),
        "the move leaves the Black king on a4 in check"
    );
}

#[test]
fn castling() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9";
    assert_eq!(
        played(fen, "e1h1 castles"),
        "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9"
    );
    assert_eq!(
        played(fen, "e1a1 castles"),
        "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 9"
    );
    assert_eq!(played(fen, "h1h8"), "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 9");
    assert_eq!(
        played(fen, "e1g1"),
        "a White king does not go from e1 to g1"
    );
    for wrong in ["e1g1 castles", "a1e1 castles"] {
        assert!(played(fen, wrong).starts_with("White may not castle from "));
    }
    assert_eq!(
        played("4k3/8/8/8/8/8/8/R3K2R w Q -", "e1h1 castles"),
        "White may not castle from e1 with h1"
    );
}

#[test]
fn castling_ways() {
    assert_eq!(
        played("4k3/8/8/8/8/8/8/RN2K3 w Q -", "e1a1 castles"),
        "White cannot castle queenside: b1 is taken"
    );
    assert_eq!(
        played("r3k2r/8/8/8/8/8/5R2/4K3 b kq -", "e8h8 castles"),
        "Black cannot castle kingside: f8 is attacked"
    );
    assert_eq!(
        played("r3k2r/8/8/8/8/8/4R3/4K3 b kq -", "e8a8 castles"),
        "Black cannot castle queenside: e8 is attacked"
    );
    assert_eq!(
        played("r3k2r/8/8/8/8/8/2R5/4K3 b kq -", "e8a8 castles"),
        "the move leaves the Black king on c8 in check"
    );
    // The rook may pass an attacked square.
    assert_eq!(
        played("r3k2r/8/8/8/8/8/1R6/4K3 b kq -", "e8a8 castles"),
        "2kr3r/8/8/8/8/8/1R6/4K3 w - - 0 1"
    );
}

#[test]
fn castling_in_chess960() {
    // King and rook exchange squares; the king stays where it is.
    assert_eq!(
        played("4k3/8/8/8/8/8/8/5KR1 w G -", "f1g1 castles"),
        "4k3/8/8/8/8/8/8/5RK1 b - - 0 1"
    );
    assert_eq!(
        played("4k3/8/8/8/8/8/8/1RK5 w B -", "c1b1 castles"),
        "4k3/8/8/8/8/8/8/2KR4 b - - 0 1"
    );
    // The rook had shielded its king.
    assert_eq!(
        played("4k3/8/8/8/8/8/8/rRK5 w B -", "c1b1 castles"),
        "the move leaves the White king on c1 in check"
    );
    // The rook behind the king does not shield the king's way.
    assert_eq!(
        played("4k3/8/8/8/8/8/8/1K1B2R1 w G -", "b1g1 castles"),
        "White cannot castle kingside: d1 is taken"
    );
}

#[test]
fn kings_keep_out_of_check() {
    assert_eq!(
        played("8/8/8/8/8/3k4/8/3K4 w - -", "d1d2"),
        "the move leaves the White king on d2 in check"
    );
    let pinned = "4k3/8/8/8/8/4r3/4N3/4K3 w - -";
    assert_eq!(
        played(pinned, "e2c3"),
        "the move leaves the White king on e1 in check"
    );
    assert!(!Position::from_fen(pinned).unwrap().in_check());
    assert!(
        Position::from_fen("4k3/8/8/8/8/4r3/8/4K3 w - -")
            .unwrap()
            .in_check()
    );
}

#[test]
fn tactical_moves() {
    let position = Position::from_fen("r3k2r/4P3/8/8/8/8/8/R3K2R w KQkq -").unwrap();
    for text in ["a1a8", "e7e8q", "e5d6 e.p."] {
        assert!(position.is_tactical(parse(text)), "{text}");
    }
    for text in ["a1a7", "e1h1 castles"] {
        assert!(!position.is_tactical(parse(text)), "{text}");
    }
}
