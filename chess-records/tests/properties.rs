//! What holds for every position and for any bytes and text.

#![cfg(feature = "formats")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::num::NonZeroU16;

use chess_records::{
    Board, BulletRecord, CastlingRights, Color, GameResult, Label, LabelledPosition,
    MarlinMoveRecord, MarlinRecord, MarlinView, Piece, PieceType, Placement, Position, Score,
    Square, Squares, ViriMove, Wing,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn square() -> impl Strategy<Value = Square> {
    (0..64u8).prop_map(|index| Square::new(index).unwrap())
}

/// Half of the kings stand at home, where they may castle.
fn king(color: Color) -> impl Strategy<Value = Square> {
    let home = (0..8u8).prop_map(move |file| Square::at(file, color.home_rank()).unwrap());
    prop_oneof![home, square()]
}

/// Any man but a king; rooks often, and often at home.
fn man() -> impl Strategy<Value = (Piece, Square)> {
    let types = select(&PieceType::ALL[..5]);
    let colors = select(&Color::ALL[..]);
    let anywhere = (colors.clone(), types, square())
        .prop_map(|(color, piece_type, square)| (Piece::new(color, piece_type), square));
    let rook = (colors, 0..8u8).prop_map(|(color, file)| {
        let square = Square::at(file, color.home_rank()).unwrap();
        (Piece::new(color, PieceType::Rook), square)
    });
    prop_oneof![4 => anywhere, 1 => rook]
}

fn placement() -> impl Strategy<Value = Placement> {
    let kings = (king(Color::White), king(Color::Black));
    let men = prop::collection::vec(man(), 0..60);
    (
        kings.prop_filter("one square", |(white, black)| white != black),
        men,
    )
        .prop_map(|((white, black), men)| {
            let mut placed = vec![
                (Piece::new(Color::White, PieceType::King), white),
                (Piece::new(Color::Black, PieceType::King), black),
            ];
            for (piece, square) in men {
                if placed.len() < 32 && placed.iter().all(|&(_, taken)| taken != square) {
                    placed.push((piece, square));
                }
            }
            Placement::from_pieces(placed).unwrap()
        })
}

/// A right for each wing, or none, of the rooks that can have one.
fn castling(placement: &Placement, picks: &[Option<Index>; 4]) -> CastlingRights {
    let mut rights = CastlingRights::NONE;
    let mut picks = picks.iter();
    for color in Color::ALL {
        let king = placement.king(color);
        let rooks = placement.mask(Piece::new(color, PieceType::Rook));
        for wing in Wing::ALL {
            let able: Vec<_> = Squares::new(rooks)
                .filter(|rook| rook.rank() == color.home_rank() && king.rank() == rook.rank())
                .filter(|rook| (rook.file() > king.file()) == (wing == Wing::Kingside))
                .collect();
            if let Some(Some(pick)) = picks.next()
                && !able.is_empty()
            {
                rights = rights.with_rook(color, wing, Some(*pick.get(&able)));
            }
        }
    }
    rights
}

fn position() -> impl Strategy<Value = Position> {
    let picks = prop::array::uniform4(any::<Option<Index>>());
    let clocks = (any::<Option<u8>>(), any::<u16>());
    let side = select(&Color::ALL[..]);
    (placement(), side, picks, any::<Option<Index>>(), clocks).prop_map(
        |(placement, side, picks, en_passant, (clock, number))| {
            let position = Position::new(placement, side)
                .with_castling(castling(&placement, &picks))
                .unwrap()
                .with_halfmove_clock(clock)
                .with_fullmove_number(NonZeroU16::new(number));
            let able: Vec<_> = Square::ALL
                .into_iter()
                .filter(|&square| position.with_en_passant(Some(square)).is_ok())
                .collect();
            match en_passant {
                Some(pick) if !able.is_empty() => {
                    position.with_en_passant(Some(*pick.get(&able))).unwrap()
                }
                _ => position,
            }
        },
    )
}

fn labelled() -> impl Strategy<Value = LabelledPosition> {
    let result = select(&GameResult::ALL[..]);
    (position(), any::<i16>(), result).prop_map(|(position, score_cp, result)| LabelledPosition {
        position,
        label: Label::new(Some(Score::Centipawns(score_cp)), Some(result)),
    })
}

/// As a format that writes unknown clocks as `clock` and `number` gives it back.
fn with_clocks(mut labelled: LabelledPosition, clock: u8, number: u16) -> LabelledPosition {
    let position = labelled.position;
    let clock = position.halfmove_clock().unwrap_or(clock);
    let number = position.fullmove_number().or(NonZeroU16::new(number));
    labelled.position = position
        .with_halfmove_clock(Some(clock))
        .with_fullmove_number(number);
    labelled
}

/// A sound record with some bytes replaced: more telling than noise, which never decodes.
fn damaged_record() -> impl Strategy<Value = [u8; 32]> {
    let damage = prop::collection::vec((any::<Index>(), any::<u8>()), 0..3);
    (labelled(), damage).prop_map(|(labelled, damage)| {
        let mut bytes = MarlinRecord::encode(&labelled, 0).unwrap().to_bytes();
        for (index, byte) in damage {
            bytes[index.index(32)] = byte;
        }
        bytes
    })
}

/// Either decodes to what encodes to the same record, or says what is wrong.
fn check_record(bytes: [u8; 32]) {
    let record = MarlinRecord::from_bytes(&bytes);
    match record.decode() {
        Ok(decoded) => {
            let encoded = MarlinRecord::encode(&decoded, record.extra()).unwrap();
            assert_eq!(encoded.as_bytes(), record.canonical().as_bytes());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let record = MarlinMoveRecord::from_bytes(&bytes);
    if let Ok(decoded) = record.decode() {
        let bits = record.move_bits();
        let encoded = MarlinMoveRecord::encode(&decoded, bits, record.extra()).unwrap();
        assert_eq!(encoded.as_bytes(), record.canonical().as_bytes());
    }
    if let Ok(best_move) = record.best_move() {
        assert_eq!(best_move.to_bits(), record.move_bits());
        assert_eq!(ViriMove::from_bits(best_move.to_bits()), Ok(best_move));
    }
}

/// Either decodes to what encodes to the same record, or says what is wrong.
fn check_bullet_record(bytes: [u8; 32]) {
    let record = BulletRecord::from_bytes(&bytes);
    match record.decode() {
        Ok(decoded) => {
            let encoded = BulletRecord::from_labelled_lossy(&decoded, record.extra()).unwrap();
            assert_eq!(encoded.as_bytes(), record.canonical().as_bytes());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The record that the bulletformat crate makes of a position.
fn bulletformat_bytes(labelled: &LabelledPosition, score_cp: i16) -> [u8; 32] {
    let placement = labelled.placement();
    let [white, black] = Color::ALL.map(|color| placement.color(color));
    let [p, n, b, r, q, k] = PieceType::ALL.map(|piece_type| placement.piece_type(piece_type));
    let points = labelled.label.result.unwrap().points(Color::White);
    let side = labelled.side_to_move().index();
    let boards = [white, black, p, n, b, r, q, k];
    let board = bulletformat::ChessBoard::from_raw(boards, side, score_cp, points).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&board.occ.to_le_bytes());
    bytes[8..24].copy_from_slice(&board.pcs);
    bytes[24..26].copy_from_slice(&board.score.to_le_bytes());
    (bytes[26], bytes[27], bytes[28]) = (board.result, board.ksq, board.opp_ksq);
    bytes
}

proptest! {
    #[test]
    fn any_bytes_decode_as_bullet_or_say_what_is_wrong(bytes: [u8; 32]) {
        check_bullet_record(bytes);
    }

    #[test]
    fn damaged_bullet_records_decode_or_say_what_is_wrong(
        labelled in labelled(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 0..3),
    ) {
        let mut bytes = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap().to_bytes();
        for (index, byte) in damage {
            bytes[index.index(32)] = byte;
        }
        check_bullet_record(bytes);
    }

    /// It cannot turn round `i16::MIN`.
    #[test]
    fn the_bulletformat_crate_writes_the_same(labelled in labelled(), score_cp in -i16::MAX..) {
        let mut labelled = labelled;
        labelled.label.score = Some(Score::Centipawns(score_cp));
        let record = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap();
        prop_assert_eq!(record.to_bytes(), bulletformat_bytes(&labelled, score_cp));
    }

    /// What the mover sees is what is there, as White or turned round.
    #[test]
    fn bullet_records_keep_the_men(labelled in labelled()) {
        let decoded = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap().decode().unwrap();
        let seen = match labelled.side_to_move() {
            Color::White => labelled.placement(),
            Color::Black => labelled.placement().flipped(),
        };
        prop_assert_eq!(decoded.placement(), seen);
        prop_assert_eq!(decoded.position, Position::new(seen, Color::White));
    }

    #[test]
    fn any_bytes_decode_or_say_what_is_wrong(bytes: [u8; 32]) {
        check_record(bytes);
    }

    #[test]
    fn damaged_records_decode_or_say_what_is_wrong(bytes in damaged_record()) {
        check_record(bytes);
    }

    #[test]
    fn any_bytes_are_records_or_a_bad_length(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let len = bytes.len();
        match MarlinView::new(bytes) {
            Ok(view) => prop_assert!(view.verify().count() as u64 <= view.len()),
            Err(_) => prop_assert_ne!(len % 32, 0),
        }
    }

    #[test]
    fn what_is_encoded_decodes_to_the_same(labelled in labelled(), extra: u8) {
        let record = MarlinRecord::encode(&labelled, extra).unwrap();
        prop_assert_eq!(record.extra(), extra);
        prop_assert_eq!(record.decode(), Ok(with_clocks(labelled, 0, 0)));
    }

    #[test]
    fn what_is_written_as_fen_reads_as_the_same(labelled in labelled()) {
        let fen = labelled.position.fen().to_string();
        let expected = with_clocks(labelled, 0, 1).position;
        prop_assert_eq!(Position::from_fen(&fen), Ok(expected), "{}", fen);
    }

    #[test]
    fn what_is_written_as_text_reads_as_the_same(labelled in labelled()) {
        let line = labelled.text().unwrap().to_string();
        let expected = with_clocks(labelled, 0, 1);
        prop_assert_eq!(LabelledPosition::from_text(&line), Ok(expected), "{}", line);
    }

    #[test]
    fn normalizing_drops_nothing_but_the_en_passant_square(position in position()) {
        let normal = position.normalize_en_passant();
        prop_assert_eq!(normal.with_en_passant(position.en_passant()), Ok(position));
        prop_assert_eq!(normal.normalize_en_passant(), normal);
    }

    #[test]
    fn any_text_is_a_record_or_says_what_is_wrong(text in "\\PC{0,80}") {
        check_text(&text);
    }

    #[test]
    fn anything_like_a_record_is_one_or_says_what_is_wrong(
        text in "[KQRBNPkqrbnp1-8/]{0,20}( [wb-]){0,2} [KQkqA-Ha-h-]{0,4} [a-h1-8-]{0,3}[ 0-9|./]{0,20}"
    ) {
        check_text(&text);
    }
}

/// What is read is written so that it reads the same again.
fn check_text(text: &str) {
    if let Ok(position) = Position::from_fen(text) {
        let again = Position::from_fen(&position.fen().to_string()).unwrap();
        assert_eq!(again.castling(), position.castling());
        assert_eq!(again.placement(), position.placement());
    }
    match LabelledPosition::from_text(text) {
        Ok(labelled) => assert!(labelled.text().is_ok()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
