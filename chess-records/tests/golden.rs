//! Golden files: what each record holds, byte by byte, and what each broken file gives.

#![cfg(feature = "formats")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use chess_records::{
    Board, BulletRecord, BulletView, CastlingRights, Color, Field, Format, GameResult, Label,
    LabelledPosition, MarlinRecord, MarlinView, Piece, Position, Score, Square, Wing,
};
use serde::Deserialize;

fn folder(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("golden").join(name)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The files of a folder without their endings; each must have exactly these endings.
fn pairs(name: &str, endings: [&str; 2]) -> Vec<PathBuf> {
    let folder = folder(name);
    let mut stems = BTreeSet::new();
    for file in names(&folder) {
        let stem = endings.iter().find_map(|ending| file.strip_suffix(ending));
        let stem = stem.unwrap_or_else(|| panic!("no test uses {file}"));
        for ending in endings {
            let partner = folder.join(format!("{stem}{ending}"));
            assert!(partner.is_file(), "{} is missing", partner.display());
        }
        stems.insert(folder.join(stem));
    }
    stems.into_iter().collect()
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", stem.display()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    fen: String,
    score: i16,
    wdl: u8,
    extra: u8,
    fullmove: Option<u16>,
}

impl Expected {
    fn field(&self, index: usize) -> &str {
        self.fen.split(' ').nth(index).unwrap()
    }

    fn fullmove(&self) -> Option<NonZeroU16> {
        let in_fen = || self.field(5).parse().unwrap();
        NonZeroU16::new(self.fullmove.unwrap_or_else(in_fen))
    }

    /// Compares without the crate's own FEN reader.
    fn assert_is(&self, decoded: &LabelledPosition) {
        self.assert_placement(decoded);
        self.assert_castling(&decoded.position);
        let side = match decoded.side_to_move() {
            Color::White => "w",
            Color::Black => "b",
        };
        assert_eq!(side, self.field(1));
        let en_passant = decoded.position.en_passant();
        let en_passant = en_passant.map_or("-".to_string(), |square| square.to_string());
        assert_eq!(en_passant, self.field(3));
        let clock = decoded.position.halfmove_clock();
        assert_eq!(clock, Some(self.field(4).parse().unwrap()));
        assert_eq!(decoded.position.fullmove_number(), self.fullmove());
        assert_eq!(decoded.label.score, Some(Score::Centipawns(self.score)));
        assert_eq!(decoded.label.result.map(u8::from), Some(self.wdl));
    }

    fn assert_placement(&self, decoded: &LabelledPosition) {
        let placement = decoded.placement();
        let mut letters = String::new();
        for letter in self.field(0).chars().filter(|&letter| letter != '/') {
            match letter.to_digit(10) {
                Some(gap) => letters.extend(std::iter::repeat_n('.', gap as usize)),
                None => letters.push(letter),
            }
        }
        assert_eq!(letters.len(), 64);
        for (index, letter) in letters.chars().enumerate() {
            // A FEN begins with a8.
            let square = Square::ALL[index].flip_rank();
            let found = placement.piece_at(square).map_or('.', Piece::fen_letter);
            assert_eq!(found, letter, "{square}");
        }
    }

    /// Shredder-FEN: the letter is the rook's file, its case the side.
    fn assert_castling(&self, position: &Position) {
        let mut found = String::new();
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = position.castling().rook(color, wing) else {
                    continue;
                };
                let king = position.placement().king(color);
                assert_eq!(rook.file() > king.file(), wing == Wing::Kingside);
                let letter = rook.to_string().remove(0);
                found.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
        let expected = self.field(2).trim_start_matches('-');
        assert_eq!(found, expected);
    }

    fn labelled(&self) -> LabelledPosition {
        let position = Position::from_fen(&self.fen).unwrap();
        let score = Score::Centipawns(self.score);
        LabelledPosition {
            position: position.with_fullmove_number(self.fullmove()),
            label: Label::new(Some(score), GameResult::new(self.wdl)),
        }
    }
}

#[test]
fn valid_records_decode_and_encode() {
    let mut checked = 0;
    for stem in pairs("marlin/valid", [".marlin", ".expected.jsonl"]) {
        let view = MarlinView::new(fs::read(with_ending(&stem, ".marlin")).unwrap()).unwrap();
        let expected = fs::read_to_string(with_ending(&stem, ".expected.jsonl")).unwrap();
        assert_eq!(view.len(), expected.lines().count() as u64);
        for (record, line) in view.records().iter().zip(expected.lines()) {
            let expected: Expected = serde_json::from_str(line).unwrap();
            println!("{}: {}", stem.display(), expected.fen); // shown where the test fails
            let decoded = record.decode().unwrap();
            expected.assert_is(&decoded);
            assert_eq!(record.extra(), expected.extra);
            let encoded = MarlinRecord::encode(&expected.labelled(), expected.extra).unwrap();
            assert_eq!(encoded.as_bytes(), record.as_bytes());
            checked += 1;
        }
    }
    assert_eq!(checked, 1208);
}

#[test]
fn invalid_files_say_what_is_wrong() {
    let stems = pairs("marlin/invalid", [".marlin", ".error.txt"]);
    assert_eq!(stems.len(), 16);
    for stem in stems {
        let bytes = fs::read(with_ending(&stem, ".marlin")).unwrap();
        let expected = fs::read_to_string(with_ending(&stem, ".error.txt")).unwrap();
        let found = match MarlinView::new(bytes) {
            Err(error) => chain(&error),
            Ok(view) => {
                let faults: Vec<_> = view.verify().map(|fault| chain(&fault)).collect();
                faults.join("\n")
            }
        };
        assert_eq!(found, expected.trim_end(), "{}", stem.display());
    }
}

/// What bulletformat 1.8.0 makes of the golden records: castling rooks become bishops, which a
/// conversion's report must notice. Our own conversion leaves them rooks.
#[test]
#[cfg_attr(miri, ignore = "reads a file through another crate")]
fn converted_castling_rooks_are_noticed() {
    use bulletformat::{ChessBoard, DataLoader, chess::MarlinFormat};
    let golden = fs::read(folder("marlin/valid/positions.marlin")).unwrap();
    let golden = MarlinView::new(golden).unwrap();
    // After these come Chess960 positions, of which many begin with bishops in corners.
    let records = golden.records()[..900].iter();
    // Which it cannot turn round.
    let records = records.filter(|record| record.score_cp() != i16::MIN);
    let bytes: Vec<u8> = records.flat_map(|record| record.to_bytes()).collect();
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("positions.marlin");
    fs::write(&path, &bytes).unwrap();
    let mut theirs = Vec::new();
    let loader = DataLoader::<MarlinFormat>::new(&path, 1).unwrap();
    loader.map_positions(|record| {
        let board = ChessBoard::from(*record);
        theirs.extend(board.occ.to_le_bytes());
        theirs.extend(board.pcs);
        theirs.extend(board.score.to_le_bytes());
        theirs.extend([board.result, board.ksq, board.opp_ksq, 0, 0, 0]);
    });
    let loss = Format::Bullet.loss_into(Format::Marlin);
    let theirs = BulletView::new(theirs).unwrap();
    let damaged = theirs.convert(loss, |_, _| Ok(())).unwrap();
    assert!(damaged.corner_bishops().looks_damaged());

    let view = MarlinView::new(bytes).unwrap();
    let mut numbered = theirs.records().iter();
    let loss = Format::Marlin.loss_into(Format::Bullet);
    let converted = view.convert(loss, |labelled, _| {
        let ours = BulletRecord::from_labelled_lossy(labelled, [0; 3])?;
        let can_castle = labelled.position.castling() != CastlingRights::NONE;
        assert_eq!(Some(&ours) != numbered.next(), can_castle);
        Ok(())
    });
    let report = converted.unwrap();
    assert!(report.lost(Field::Castling) > 100);
    assert!(!report.corner_bishops().looks_damaged());
}

#[derive(Deserialize)]
struct EnPassant {
    fen: String,
    legal: bool,
}

#[test]
fn en_passant_squares_stay_where_a_pawn_may_take() {
    let lines = fs::read_to_string(folder("en_passant/positions.jsonl")).unwrap();
    for line in lines.lines() {
        let EnPassant { fen, legal } = serde_json::from_str(line).unwrap();
        let position = Position::from_fen(&fen).unwrap();
        assert!(position.en_passant().is_some());
        let normal = position.normalize_en_passant();
        assert_eq!(normal.en_passant().is_some(), legal, "{fen}");
    }
    assert!(lines.lines().count() > 300);
}

#[test]
fn no_golden_file_is_forgotten() {
    // What the folders hold is checked where they are used.
    let used = [
        "README.md",
        "en_passant",
        "games",
        "marlin",
        "sampler",
        "viri",
        "zdat",
    ];
    assert_eq!(names(&folder("")), used);
    assert_eq!(names(&folder("viri")), ["generate.py", "invalid", "valid"]);
    assert_eq!(names(&folder("en_passant")), ["positions.jsonl"]);
    assert_eq!(names(&folder("marlin")), ["invalid", "valid"]);
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}
