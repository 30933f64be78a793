//! What each golden record holds, field by field, and byte by byte when it is written again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use chess_records::zdat::{
    IndexSource, Layout, LayoutEvidence, Plane, PolicyMove, RankOrder, Undecided, ZdatTargets,
    ZdatView,
};
use chess_records::{
    Board, Color, GameResult, MarlinRecord, Piece, PieceType, Position, Score, Square, Wing,
    ZdatFile, ZdatRecord,
};
use serde::Deserialize;

use super::{NAMES, bytes, golden, records, view};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    board: String,
    castling: String,
    rule50: f64,
    ep: Option<String>,
    #[serde(rename = "static")]
    static_eval: f64,
    score: f64,
    outcome: i8,
    moves_to_go: u8,
    repeated: bool,
    policy: BTreeMap<String, u8>,
}

const EIGHT: RankOrder = RankOrder::Rank8First;

fn layout(name: &str) -> Layout {
    match name {
        "rank8" => Layout::new(EIGHT, EIGHT),
        _ => Layout::default(),
    }
}

fn expected(name: &str) -> Vec<Expected> {
    let lines = String::from_utf8(bytes(&format!("{name}.zdat.expected.jsonl"))).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

impl Expected {
    /// Compares without the crate's own FEN reader.
    fn assert_is(&self, record: &ZdatRecord, layout: Layout) {
        let decoded = record.decode(layout).unwrap();
        assert_eq!(decoded.side_to_move(), Color::White);
        self.assert_placement(record, layout);
        self.assert_castling(record, &decoded.position);
        let en_passant = decoded
            .position
            .en_passant()
            .map(|square| square.to_string());
        assert_eq!(en_passant, self.ep);
        assert_eq!(decoded.score, self.score as f32);
        assert_eq!(
            decoded.result.points(Color::White),
            f32::from(self.outcome + 1) / 2.0
        );
        assert_eq!(decoded.moves_to_go, Some(self.moves_to_go));
        assert_eq!(decoded.repeated, self.repeated);
        assert_eq!(decoded.position.halfmove_clock(), None);
        self.assert_fields(record, layout);
    }

    fn assert_fields(&self, record: &ZdatRecord, layout: Layout) {
        assert_eq!(record.score(), self.score as f32);
        assert_eq!(record.outcome(), f32::from(self.outcome));
        assert_eq!(record.moves_to_go(), self.moves_to_go);
        assert_eq!(record.static_eval(), self.static_eval as f32);
        assert!((record.quiescence() - 0.9 * record.static_eval()).abs() < 1e-3);
        assert_eq!(record.repeated(), f32::from(u8::from(self.repeated)));
        assert_eq!(record.fifty(), self.rule50 as f32);
        let plies = (self.rule50 * 100.0).round() as u8;
        assert_eq!(record.halfmove_clock(), Some(plies));
        assert_eq!(record.scalars()[8..], [0.0; 10]);
        let policy: BTreeMap<_, _> = record
            .policy(layout)
            .map(|entry| (format!("{}{}", entry.from, entry.to), entry.value))
            .collect();
        assert_eq!(policy, self.policy);
        let legal = record.policy_cells().iter().filter(|&&cell| cell != 0);
        assert_eq!(legal.count(), self.policy.len());
        assert_eq!(record.faults(Some(layout)), []);
    }

    fn assert_placement(&self, record: &ZdatRecord, layout: Layout) {
        let placement = record.placement(layout.rows).unwrap();
        let mut squares = Square::ALL.chunks(8).rev().flatten();
        for letter in self.board.chars().filter(|&letter| letter != '/') {
            let gap = letter.to_digit(10).unwrap_or(0) as usize;
            for &empty in squares.by_ref().take(gap) {
                assert_eq!(placement.piece_at(empty), None, "{empty}");
            }
            if gap == 0 {
                let square = *squares.next().unwrap();
                let piece = placement.piece_at(square);
                assert_eq!(piece.map(Piece::fen_letter), Some(letter), "{square}");
            }
        }
        assert_eq!(squares.next(), None);
    }

    fn assert_castling(&self, record: &ZdatRecord, position: &Position) {
        let letters = ["K", "Q", "k", "q"];
        let rights = Color::ALL
            .into_iter()
            .flat_map(|color| Wing::ALL.map(|wing| (color, wing)));
        for ((color, wing), letter) in rights.zip(letters) {
            let may = self.castling.contains(letter);
            assert_eq!(record.castling(color, wing), f32::from(u8::from(may)));
            let rook = position.castling().rook(color, wing);
            let file = if wing == Wing::Kingside { 7 } else { 0 };
            let corner = Square::at(file, color.home_rank()).unwrap();
            assert_eq!(rook, may.then_some(corner));
        }
    }

    fn position(&self) -> Position {
        let en_passant = self.ep.as_deref().unwrap_or("-");
        let fen = format!("{} w {} {en_passant}", self.board, self.castling);
        let clock = (self.rule50 * 100.0).round() as u8;
        Position::from_fen(&fen)
            .unwrap()
            .with_halfmove_clock(Some(clock))
    }

    fn moves(&self) -> Vec<PolicyMove> {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let moves = self.policy.iter().map(|(squares, value)| PolicyMove {
            from: square(&squares[..2]),
            to: square(&squares[2..]),
            probability: f32::from(value - 1) / 254.0,
        });
        moves.collect()
    }

    fn encoded(&self, record: &ZdatRecord, layout: Layout) -> ZdatRecord {
        let targets = ZdatTargets {
            static_eval: self.static_eval as f32,
            quiescence: record.quiescence(),
            repeated: self.repeated,
            score: self.score as f32,
            moves_to_go: self.moves_to_go,
        };
        let result = GameResult::new((self.outcome + 1) as u8).unwrap();
        let (position, moves) = (self.position(), self.moves());
        ZdatRecord::encode(&position, &moves, result, &targets, layout).unwrap()
    }
}

#[test]
fn records_hold_what_is_expected() {
    let mut checked = 0;
    for name in NAMES {
        let (records, expected) = (records(&view(name)), expected(name));
        assert_eq!(records.len(), expected.len(), "{name}");
        for (number, (record, expected)) in records.iter().zip(&expected).enumerate() {
            println!("{name}, record {number}: {}", expected.board); // shown where the test fails
            expected.assert_is(record, layout(name));
            checked += 1;
        }
    }
    assert_eq!(checked, 679 + 41 + 112 + 59);
}

#[test]
fn records_are_encoded_byte_for_byte() {
    for name in NAMES {
        for (record, expected) in records(&view(name)).iter().zip(expected(name)) {
            let encoded = expected.encoded(record, layout(name));
            for index in 0..Plane::COUNT as u8 {
                let plane = Plane::new(index).unwrap();
                let rows = (encoded.plane_rows(plane), record.plane_rows(plane));
                assert_eq!(rows.0, rows.1, "{name}, plane {index}: {}", expected.board);
            }
            assert!(encoded == *record, "{name}: {}", expected.board);
        }
    }
}

#[test]
fn black_is_turned_round() {
    let fen = "4k3/8/8/8/3pP3/8/8/R3K3 b Q e3 99 7";
    let position = Position::from_fen(fen).unwrap();
    let moves = [PolicyMove {
        from: Square::D4,
        to: Square::E3,
        probability: 1.0,
    }];
    let targets = ZdatTargets::default();
    let lost = GameResult::WhiteWon;
    let layout = Layout::default();
    let record = ZdatRecord::encode(&position, &moves, lost, &targets, layout).unwrap();
    let decoded = record.decode(layout).unwrap();
    let fen = decoded.position.fen().to_string();
    assert!(fen.starts_with("r3k3/8/8/3Pp3/8/8/8/4K3 w q e6"), "{fen}");
    assert_eq!(decoded.result, GameResult::BlackWon);
    assert_eq!(decoded.moves_to_go, None);
    assert_eq!(record.halfmove_clock(), Some(99));
    let entry = record.policy(layout).next().unwrap();
    assert_eq!(
        (entry.from, entry.to, entry.value),
        (Square::D5, Square::E6, 255)
    );
}

#[test]
fn moves_that_cannot_be_encoded() {
    let position = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - -").unwrap();
    let encode = |moves: &[f32]| {
        let moves: Vec<_> = moves
            .iter()
            .map(|&probability| PolicyMove {
                from: Square::E1,
                to: Square::E2,
                probability,
            })
            .collect();
        let (result, targets) = (GameResult::Draw, ZdatTargets::default());
        ZdatRecord::encode(&position, &moves, result, &targets, Layout::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        encode(&[1.5]),
        "the move from e1 to e2 has probability 1.5, expected 0 to 1"
    );
    assert_eq!(
        encode(&[f32::NAN]),
        "the move from e1 to e2 has probability NaN, expected 0 to 1"
    );
    assert_eq!(encode(&[0.0, 0.5]), "the move from e1 to e2 is there twice");
}

#[test]
fn layouts_are_told_from_the_records() {
    for name in NAMES {
        let evidence: LayoutEvidence = records(&view(name)).iter().collect();
        assert_eq!(evidence.layout(), Ok(layout(name)), "{name}");
        assert_eq!(evidence.rows(), Some(layout(name).rows));
    }
    // The same records in all four layouts, each alone and two together.
    let sound = expected("nodict");
    let as_they_are = records(&view("nodict"));
    let mut before: Option<Vec<ZdatRecord>> = None;
    for layout in Layout::ALL {
        let pairs = as_they_are.iter().zip(&sound);
        let encoded: Vec<_> = pairs.map(|(record, e)| e.encoded(record, layout)).collect();
        let mut evidence: LayoutEvidence = encoded.iter().collect();
        assert_eq!(evidence.layout(), Ok(layout));
        for record in &encoded {
            // A record alone says nothing wrong; most tell.
            let told = [record].into_iter().collect::<LayoutEvidence>().layout();
            match told {
                Ok(told) => assert_eq!(told, layout),
                Err(undecided) => assert!(matches!(undecided, Undecided::Ambiguous { .. })),
            }
        }
        if let Some(others) = before.replace(encoded) {
            evidence.extend(&others);
            let undecided = evidence.layout().unwrap_err();
            assert!(matches!(undecided, Undecided::Contradictory { .. }));
        }
    }
}

#[test]
fn files_open_with_and_without_their_index() {
    for name in NAMES {
        let data = bytes(&format!("{name}.zdat"));
        let indexed = view(name);
        let walked = ZdatView::new(&data[..]).unwrap();
        assert_eq!(walked.offsets(), indexed.offsets());
        assert_eq!(walked.len(), indexed.len());
        let file = ZdatFile::read(golden(&format!("{name}.zdat"))).unwrap();
        assert_eq!(file.index_source(), IndexSource::Read);
        assert_eq!((file.len(), file.is_empty()), (indexed.len(), false));
        // The same index by the other reading of its count.
        let mut by_records = bytes(&format!("{name}.zdat.idx"));
        by_records[8..16].copy_from_slice(&indexed.len().to_le_bytes());
        let view = ZdatView::with_index(&data[..], &by_records).unwrap();
        assert_eq!(
            (view.len(), view.offsets()),
            (indexed.len(), indexed.offsets())
        );
    }
}

#[test]
#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn files_are_mapped() {
    let path = golden("stoof.zdat");
    // SAFETY: nobody changes the golden files while the tests run.
    let mapped = unsafe { ZdatFile::map(&path) }.unwrap();
    assert!(records(mapped.view()) == records(&view("stoof")));
}

#[test]
fn headers_and_dictionaries() {
    let stoof = view("stoof");
    let header = stoof.header();
    assert_eq!(
        (header.batch(), header.level(), header.dictionary_len()),
        (32, 9, 16384)
    );
    assert_eq!(stoof.dictionary().len(), 16384);
    assert!(stoof.dictionary_id().is_some());
    assert_eq!(stoof.group_count(), 22);
    assert_eq!(stoof.group_records(21), 672..679);
    assert_eq!(format!("{stoof:?}"), "ZdatView(679 records in 22 groups)");
    let nodict = view("nodict");
    assert_eq!(
        (nodict.dictionary(), nodict.dictionary_id()),
        (&[][..], None)
    );
}

/// Men, castling rights, en passant square and result survive the way to marlinformat.
#[test]
fn positions_go_on_as_marlin_records() {
    for name in NAMES {
        for record in records(&view(name)) {
            let decoded = record.decode(layout(name)).unwrap();
            let score = Score::Centipawns((decoded.score * 100.0) as i16);
            let labelled = decoded.to_labelled_lossy(Some(score));
            let back = MarlinRecord::encode(&labelled, 0)
                .unwrap()
                .decode()
                .unwrap();
            let (before, after) = (labelled.position, back.position);
            assert_eq!(after.placement(), before.placement());
            assert_eq!(after.castling(), before.castling());
            assert_eq!(after.en_passant(), before.en_passant());
            assert_eq!(after.side_to_move(), Color::White);
            assert_eq!(back.label, labelled.label);
        }
    }
}

#[test]
fn planes_have_the_names_of_what_they_hold() {
    let position = Position::from_fen("4k3/p1p5/8/2P5/8/8/P6P/R3K3 w Q - 12 9").unwrap();
    let (result, targets) = (GameResult::Draw, ZdatTargets::default());
    let record = ZdatRecord::encode(&position, &[], result, &targets, Layout::default()).unwrap();
    let mask = |plane| record.plane(plane, RankOrder::Rank1First);
    let squares = |list: &[Square]| list.iter().fold(0, |mask, square| mask | square.bit());
    let a = 0x0101_0101_0101_0101u64;
    assert_eq!(mask(Plane::own(PieceType::King)), Square::E1.bit());
    assert_eq!(
        mask(Plane::opponent(PieceType::Pawn)),
        squares(&[Square::A7, Square::C7])
    );
    assert_eq!(mask(Plane::OWN_PASSED_PAWNS), squares(&[Square::H2]));
    assert_eq!(mask(Plane::OPPONENT_PASSED_PAWNS), 0);
    assert_eq!(mask(Plane::OPPONENT_HALF_OPEN_FILES), a << 7);
    assert_eq!(mask(Plane::OWN_HALF_OPEN_FILES), 0);
    assert_eq!(
        mask(Plane::OPEN_FILES),
        a << 1 | a << 3 | a << 4 | a << 5 | a << 6
    );
    let rook = Plane::own_attacks(PieceType::Rook).unwrap();
    let on_rank = [Square::B1, Square::C1, Square::D1, Square::E1];
    assert_eq!(mask(rook), squares(&on_rank) | Square::A2.bit());
    assert_eq!(
        mask(Plane::SQUARE_COLORS) & squares(&[Square::A1, Square::H1]),
        Square::H1.bit()
    );
}

#[test]
fn no_golden_file_is_forgotten() {
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(golden("..").join(folder)).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let mut expected = BTreeSet::new();
    for name in NAMES {
        expected.extend(["", ".idx", ".expected.jsonl"].map(|end| format!("{name}.zdat{end}")));
    }
    assert_eq!(names("valid"), expected);
    assert_eq!(names(""), BTreeSet::from(["valid".to_string()]));
}
