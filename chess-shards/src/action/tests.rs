use super::*;

fn uci(text: &str) -> UciMove {
    let promotion = text.chars().nth(4).map(|letter| {
        let piece = chess_records::Piece::from_fen_letter(letter).unwrap();
        piece.piece_type
    });
    UciMove {
        from: text[..2].parse().unwrap(),
        to: text[2..4].parse().unwrap(),
        promotion,
    }
}

fn plane(text: &str) -> u8 {
    Action::from_move(uci(text)).unwrap().plane()
}

#[test]
fn planes_of_known_moves() {
    // Directions and distances.
    assert_eq!(plane("e2e4"), 1);
    assert_eq!(plane("a1h8"), 7 + 6);
    assert_eq!(plane("a1b1"), 14);
    assert_eq!(plane("a8c6"), 21 + 1);
    assert_eq!(plane("e7e5"), 28 + 1);
    assert_eq!(plane("h8a1"), 35 + 6);
    assert_eq!(plane("e1c1"), 42 + 1);
    assert_eq!(plane("h1g2"), 49);
    // Jumps.
    assert_eq!(plane("g1h3"), 56);
    assert_eq!(plane("b1d2"), 57);
    assert_eq!(plane("b8d7"), 58);
    assert_eq!(plane("b8c6"), 59);
    assert_eq!(plane("b8a6"), 60);
    assert_eq!(plane("g8e7"), 61);
    assert_eq!(plane("g1e2"), 62);
    assert_eq!(plane("g1f3"), 63);
    // Underpromotions, both ways; a queen is a plain step.
    assert_eq!(plane("b7a8n"), 64);
    assert_eq!(plane("b7b8b"), 68);
    assert_eq!(plane("b7c8r"), 72);
    assert_eq!(plane("b2a1b"), 65);
    assert_eq!(plane("b7b8q"), 0);
    let e4 = Action::from_move(uci("e2e4")).unwrap();
    assert_eq!(e4.index(), 12 * 73 + 1);
    assert_eq!(format!("{e4:?}"), "Action(877 e2e4)");
}

#[test]
fn every_number_is_an_action_or_leads_nowhere() {
    let actions: Vec<_> = (0..=u16::MAX).filter_map(|n| Action::new(n).ok()).collect();
    // A queen's and a knight's moves from every square, and the last steps of both sides.
    assert_eq!(actions.len(), 1456 + 336 + 2 * 22 * 3);
    for action in actions {
        assert_eq!(Action::at(action.from_square(), action.plane()), Ok(action));
        assert_eq!(Action::try_from(u16::from(action)), Ok(action));
        let played = UciMove {
            from: action.from_square(),
            to: action.to_square(),
            promotion: action.underpromotion(),
        };
        assert_eq!(Action::from_move(played), Ok(action));
    }
}

#[test]
fn texts() {
    let text = |error: ActionError| error.to_string();
    assert_eq!(
        text(Action::new(4672).unwrap_err()),
        "action 4672 is over 4671"
    );
    assert_eq!(
        text(Action::at(Square::A1, 73).unwrap_err()),
        "plane 73 is over 72"
    );
    assert_eq!(
        text(Action::at(Square::A1, 28).unwrap_err()),
        "plane 28 leads nowhere from a1"
    );
    assert_eq!(
        text(Action::at(Square::E3, 67).unwrap_err()),
        "plane 67 leads nowhere from e3"
    );
    let of = |played| text(Action::from_move(uci(played)).unwrap_err());
    assert_eq!(of("a1b4"), "no plane leads from a1 to b4");
    assert_eq!(of("a1a1"), "no plane leads from a1 to a1");
    assert_eq!(of("e2e4q"), "a move from e2 to e4 makes no queen");
    assert_eq!(of("e6e8n"), "a move from e6 to e8 makes no knight");
    assert_eq!(of("e7e8k"), "a move from e7 to e8 makes no king");
    assert_eq!(of("a7h8q"), "no plane leads from a7 to h8");
    assert_eq!(of("b7h8r"), "a move from b7 to h8 makes no rook");
    let castling = ViriMove::new(Square::F1, Square::H1, ViriMoveKind::Castling).unwrap();
    assert_eq!(
        text(Action::from_viri(castling).unwrap_err()),
        "castling from f1 with the rook on h1 is Chess960's, which has no action"
    );
}

#[test]
fn boards_tell_what_a_move_is() {
    let fen = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
    let position = Position::from_fen(fen).unwrap();
    let kind = |text: &str| {
        let action = Action::from_move(uci(text)).unwrap();
        let played = action.to_viri(&position).unwrap();
        assert_eq!(Action::from_viri(played), Ok(action), "{text}");
        assert_eq!(action.to_move(&position.placement()).to_string(), text);
        assert!(position.after_move(played).is_ok(), "{text}");
        played.kind()
    };
    assert_eq!(kind("e1g1"), ViriMoveKind::Castling);
    assert_eq!(kind("e1c1"), ViriMoveKind::Castling);
    assert_eq!(kind("e5d6"), ViriMoveKind::EnPassant);
    assert_eq!(kind("e5e6"), ViriMoveKind::Normal);
    assert_eq!(kind("b7a8q"), ViriMoveKind::Promotion(PieceType::Queen));
    assert_eq!(kind("b7b8n"), ViriMoveKind::Promotion(PieceType::Knight));
    assert_eq!(kind("a1a8"), ViriMoveKind::Normal);
}
