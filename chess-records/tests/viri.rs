//! Golden games, and what holds for every game and for any bytes.
#![cfg(all(feature = "formats", feature = "std"))]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use chess_records::{Board as _, Color};
use chess_records::{
    GameResult, Label, LabelledPosition, MarlinRecord, Piece, PieceType, Position, Score, Square,
    ViriFilter, ViriGames, ViriMove, ViriMoveKind, ViriWriter, Wing,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde::Deserialize;

fn folder(name: &str) -> PathBuf {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/viri");
    golden.join(name)
}

fn names(name: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder(name)).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

#[derive(Deserialize)]
struct Expected {
    byte_offset: u64,
    result: u8,
    fens: Vec<String>,
    scores: Vec<i16>,
}

fn golden() -> (Vec<u8>, Vec<Expected>) {
    let files: Vec<_> = names("valid").into_iter().collect();
    assert_eq!(files, ["games.expected.jsonl", "games.viri"]);
    let lines = fs::read_to_string(folder("valid/games.expected.jsonl")).unwrap();
    let expected = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let bytes = fs::read(folder("valid/games.viri")).unwrap();
    (bytes, expected.collect())
}

#[test]
fn games_replay_as_python_chess_played_them() {
    let (bytes, expected) = golden();
    let games = ViriGames::new(&bytes).unwrap();
    assert_eq!(games.len(), expected.len() as u64);
    for (game, expected) in games.iter().zip(&expected) {
        assert_eq!(game.byte_offset(), expected.byte_offset);
        assert_eq!(game.start().result(), expected.result);
        let mut fens = Vec::new();
        for (here, &score_cp) in game.positions().zip(&expected.scores) {
            let LabelledPosition { position, label } = here.unwrap().labelled;
            fens.push(position.fen().to_string());
            assert_eq!(label.score, Some(Score::Centipawns(score_cp)));
            assert_eq!(label.result, GameResult::new(expected.result));
        }
        fens.push(game.last_position().unwrap().fen().to_string());
        assert_eq!(fens, expected.fens, "game {}", game.number());
    }
    assert_eq!(games.verify().count(), 0);
}

#[test]
fn golden_games_are_written_byte_by_byte() {
    let (bytes, _) = golden();
    let mut writer = ViriWriter::new(Vec::new());
    for game in ViriGames::new(&bytes).unwrap().iter() {
        let moves = game
            .moves()
            .map(|(played, score_cp)| (played.unwrap(), score_cp));
        writer.write_game(game.start(), moves).unwrap();
    }
    assert_eq!(writer.into_inner(), bytes);
}

#[test]
fn broken_files_are_named() {
    let mut stems = BTreeSet::new();
    for name in names("invalid") {
        let (stem, ending) = name.split_once('.').unwrap();
        assert!(
            matches!(ending, "viri" | "error.txt"),
            "no test uses {name}"
        );
        stems.insert(stem.to_string());
    }
    assert_eq!(stems.len(), 8);
    for stem in stems {
        let bytes = fs::read(folder(&format!("invalid/{stem}.viri"))).unwrap();
        let expected = fs::read_to_string(folder(&format!("invalid/{stem}.error.txt"))).unwrap();
        let (games, fault) = ViriGames::sound_prefix(&bytes);
        assert!(games.get(0).unwrap().verify().is_ok());
        let first = games.verify().chain(fault).next().unwrap();
        assert_eq!(chain(&first), expected.trim_end(), "{stem}");
    }
}

/// The viriformat crate replays the same games to the same records; it sets the en passant square
/// only beside an enemy pawn. Games with high clocks are left out: it asserts that they are low.
#[test]
#[cfg_attr(miri, ignore = "slow")]
fn the_viriformat_crate_agrees() {
    use viriformat::dataformat::Game;
    let (bytes, _) = golden();
    let games = ViriGames::new(&bytes).unwrap();
    let (mut compared, mut games_compared) = (0, 0);
    for ours in games.iter() {
        let clocks = ours.positions().map(|here| {
            let position = here.unwrap().labelled.position;
            position
                .halfmove_clock()
                .max(Some(ours.start().halfmove_clock()))
        });
        if ours.start().fullmove_number() > 65000 || clocks.max() > Some(Some(99)) {
            continue;
        }
        let mut reader = &bytes[ours.byte_offset() as usize..];
        let theirs = Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        assert_eq!(theirs.len(), ours.len());
        let mut positions = ours.positions();
        theirs.visit_positions(|board, score_cp| {
            let here = positions.next().unwrap().unwrap();
            let score_cp = i16::try_from(score_cp).unwrap();
            let packed = board.to_marlinformat(score_cp, ours.start().result(), 0);
            let theirs = MarlinRecord::from_bytes(&packed.as_bytes());
            let mut ours = here.to_marlin_lossy();
            if theirs.side_and_en_passant() & 64 != 0 {
                let mut bytes = ours.to_bytes();
                bytes[24] = bytes[24] & 0x80 | 64;
                ours = MarlinRecord::from_bytes(&bytes);
            }
            assert_eq!(ours, theirs);
            compared += 1;
        });
        assert!(positions.next().is_none());
        games_compared += 1;
    }
    assert!(games_compared > 100, "{games_compared}");
    assert!(compared > 4000, "{compared}");
}

/// A move of cozy-chess (castling is king takes rook there too) with its kind.
fn viri_move(position: &Position, played: cozy_chess::Move) -> ViriMove {
    let square = |square: cozy_chess::Square| Square::new(square as u8).unwrap();
    let (from, to) = (square(played.from), square(played.to));
    let placement = position.placement();
    let piece = placement.piece_at(from).unwrap();
    let own_rook = placement.mask(Piece::new(piece.color, PieceType::Rook));
    let kind = match (piece.piece_type, played.promotion) {
        (PieceType::King, _) if own_rook & to.bit() != 0 => ViriMoveKind::Castling,
        (PieceType::Pawn, Some(cozy_chess::Piece::Knight)) => {
            ViriMoveKind::Promotion(PieceType::Knight)
        }
        (PieceType::Pawn, Some(cozy_chess::Piece::Bishop)) => {
            ViriMoveKind::Promotion(PieceType::Bishop)
        }
        (PieceType::Pawn, Some(cozy_chess::Piece::Rook)) => {
            ViriMoveKind::Promotion(PieceType::Rook)
        }
        (PieceType::Pawn, Some(_)) => ViriMoveKind::Promotion(PieceType::Queen),
        (PieceType::Pawn, None)
            if position.en_passant() == Some(to) && from.file() != to.file() =>
        {
            ViriMoveKind::EnPassant
        }
        _ => ViriMoveKind::Normal,
    };
    ViriMove::new(from, to, kind).unwrap()
}

fn legal_moves(board: &cozy_chess::Board) -> Vec<cozy_chess::Move> {
    let mut moves = Vec::new();
    board.generate_moves(|of_piece| {
        moves.extend(of_piece);
        false
    });
    moves
}

/// Every move that our move maker lets through in a position.
fn our_moves(position: &Position) -> BTreeSet<u16> {
    let moves = (0..=u16::MAX).filter_map(|bits| ViriMove::from_bits(bits).ok());
    let legal = moves.filter(|&played| position.after_move(played).is_ok());
    legal.map(ViriMove::to_bits).collect()
}

fn same(position: &Position, board: &cozy_chess::Board) {
    let color = |color: Color| cozy_chess::Color::ALL[color.index()];
    for square in Square::ALL {
        let theirs = cozy_chess::Square::index(square.index());
        let piece = board.color_on(theirs).zip(board.piece_on(theirs));
        let ours = position.placement().piece_at(square);
        let ours = ours.map(|piece| {
            let piece_type = cozy_chess::Piece::ALL[piece.piece_type.index()];
            (color(piece.color), piece_type)
        });
        assert_eq!(ours, piece);
    }
    assert_eq!(color(position.side_to_move()), board.side_to_move());
    for side in Color::ALL {
        let theirs = board.castle_rights(color(side));
        let file = |wing| position.castling().rook(side, wing).map(Square::file);
        assert_eq!(file(Wing::Kingside), theirs.short.map(|file| file as u8));
        assert_eq!(file(Wing::Queenside), theirs.long.map(|file| file as u8));
    }
    let file = position.en_passant().map(Square::file);
    assert_eq!(file, board.en_passant().map(|file| file as u8));
    assert_eq!(position.in_check(), !board.checkers().is_empty());
    let number = position.fullmove_number().map(u16::from);
    assert_eq!(number, Some(board.fullmove_number()));
    assert_eq!(position.halfmove_clock(), Some(board.halfmove_clock()));
}

/// Plays a game with cozy-chess and follows it; where `check_moves` says so, both must find the same
/// moves legal.
fn follow(start: u32, picks: &[Index], check_moves: impl Fn(usize) -> bool) {
    let mut board = cozy_chess::Board::chess960_startpos(start);
    let fen = format!("{board:#}");
    let mut position = Position::from_fen(&fen).unwrap();
    for (ply, pick) in picks.iter().enumerate() {
        same(&position, &board);
        let moves = legal_moves(&board);
        if check_moves(ply) {
            let theirs = moves
                .iter()
                .map(|&played| viri_move(&position, played).to_bits());
            assert_eq!(our_moves(&position), theirs.collect(), "{}", position.fen());
        }
        // cozy-chess keeps clocks under 101.
        if moves.is_empty() || board.halfmove_clock() >= 99 {
            break;
        }
        let played = moves[pick.index(moves.len())];
        position = position.after_move(viri_move(&position, played)).unwrap();
        board.play_unchecked(played);
    }
}

/// The golden file with some bytes replaced.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let bytes = golden().0;
    let damage = prop::collection::vec((any::<Index>(), any::<u8>()), 1..6);
    damage.prop_map(move |damage| {
        let mut bytes = bytes.clone();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn check_games(bytes: &[u8]) {
    let (games, fault) = ViriGames::sound_prefix(bytes);
    if let Some(fault) = fault {
        assert_eq!(fault.game, games.len());
        assert!(!chain(&fault).is_empty());
    }
    let mut positions = 0;
    for here in games.positions() {
        match here {
            Ok(here) => {
                let _ = ViriFilter::USUAL.keeps(&here);
                assert_eq!(here.to_marlin_lossy().decode(), Ok(here.labelled));
                positions += 1;
            }
            Err(fault) => assert!(fault.byte_offset() < bytes.len() as u64),
        }
    }
    assert!(positions <= games.position_count());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_games_replay_or_say_what_is_wrong(bytes in damaged()) {
        check_games(&bytes);
    }

    #[test]
    fn any_bytes_are_games_or_say_what_is_wrong(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_games(&bytes);
    }

    #[test]
    fn any_moves_from_a_position_are_played_or_refused(bits in prop::collection::vec(any::<u16>(), 0..2000)) {
        let mut position = start();
        for played in bits.into_iter().filter_map(|bits| ViriMove::from_bits(bits).ok()) {
            match position.after_move(played) {
                Ok(after) => {
                    // What is played is a position like any other: it comes back from its record.
                    let label = Label::new(Some(Score::Centipawns(0)), Some(GameResult::Draw));
                    let labelled = LabelledPosition { position: after, label };
                    let record = MarlinRecord::encode(&labelled, 0).unwrap();
                    prop_assert_eq!(record.decode(), Ok(labelled));
                    position = after;
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn cozy_chess_plays_the_same_games(
        start in 0u32..960,
        picks in prop::collection::vec(any::<Index>(), 200),
        checked in 0usize..40,
    ) {
        follow(start, &picks, |ply| ply % 40 == checked);
    }
}

fn start() -> Position {
    Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap()
}
