//! Games read, replayed, gathered, filtered and written.
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{
    Dataset, DatasetError, MarlinRecord, Permutation, Score, Square, ViriMove, ViriMoveKind,
};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

/// The bytes of the dump in the module's docs.
fn documented() -> Vec<u8> {
    let docs = include_str!("mod.rs").split("```").nth(1).unwrap();
    let columns = docs
        .lines()
        .skip(1)
        .filter_map(|line| line.get(4..28.min(line.len())));
    let bytes = columns.flat_map(str::split_whitespace);
    let byte = |text| u8::from_str_radix(text, 16).unwrap();
    bytes.map(byte).collect()
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => std::format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

#[test]
fn the_dump_in_the_docs() {
    let bytes = documented();
    assert_eq!(bytes.len(), 32 + 5 * 4 + 4);
    let games = ViriGames::new(&bytes).unwrap();
    assert_eq!((games.len(), games.position_count()), (1, 5));
    assert_eq!(std::format!("{games:?}"), "ViriGames(1 games, 5 positions)");
    let game = games.get(0).unwrap();
    assert_eq!(
        (game.number(), game.byte_offset(), game.byte_len()),
        (0, 0, 56)
    );
    assert_eq!(game.start().result(), 2);
    let moves: Vec<_> = game
        .moves()
        .map(|(played, score_cp)| std::format!("{} {score_cp}", played.unwrap()))
        .collect();
    assert_eq!(
        moves,
        ["e2e4 0", "e7e5 10", "d1h5 -10", "e8e7 1", "h5e5 32767"]
    );
    let texts: Vec<_> = game
        .positions()
        .map(|here| here.unwrap().labelled.text().unwrap().to_string())
        .collect();
    assert_eq!(
        texts[4],
        "rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 2 3 | 32767 | 1.0"
    );
    let last = game.last_position().unwrap();
    assert_eq!(
        last.fen().to_string(),
        "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 3"
    );
    assert!(last.in_check());
    assert_eq!(games.verify().count(), 0);
    assert_eq!(games.into_inner(), &bytes);
}

#[test]
fn empty_files_and_games_without_moves() {
    let none = ViriGames::new([]).unwrap();
    assert!(none.is_empty() && Dataset::is_empty(&none));
    assert_eq!(none.block_count(), 0);
    assert_eq!(none.find(0), None);
    let mut bytes = documented();
    bytes.drain(32..52);
    let games = ViriGames::new(bytes).unwrap();
    let game = games.get(0).unwrap();
    assert!(game.is_empty());
    assert!(game.last_position().is_ok());
    assert_eq!((games.block_count(), games.position_count()), (0, 0));
    assert!(games.get(1).is_none());
}

#[test]
fn files_cut_anywhere_name_the_cut() {
    let bytes = documented().repeat(2);
    for len in 0..bytes.len() {
        let (games, fault) = ViriGames::sound_prefix(&bytes[..len]);
        assert_eq!(games.len(), u64::from(len >= 56));
        let fault = match fault {
            None => {
                assert!(len == 0 || len == 56);
                continue;
            }
            Some(fault) => fault,
        };
        let (game, into) = (len / 56, len % 56);
        assert_eq!(
            (fault.game, fault.game_offset),
            (game as u64, 56 * game as u64)
        );
        let expected = match into {
            1..32 => ViriError::CutStart { found: into },
            _ if into % 4 == 0 => ViriError::NoEnd,
            _ => ViriError::CutPly { found: into % 4 },
        };
        assert_eq!(fault.error, expected);
        let whole_plies = into.checked_sub(32).map(|bytes| bytes as u64 / 4);
        assert_eq!(fault.ply, whole_plies);
        let kept = whole_plies.map_or(0, |plies| 32 + 4 * plies);
        assert_eq!(fault.byte_offset(), 56 * game as u64 + kept);
    }
}

#[test]
fn flipped_bits_are_found_or_give_another_legal_game() {
    let bytes = documented().repeat(3);
    let mut found = 0;
    for bit in 56 * 8..112 * 8 {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (games, fault) = ViriGames::sound_prefix(&bytes);
        let faults: Vec<_> = games.verify().chain(fault).collect();
        found += usize::from(!faults.is_empty());
        for fault in &faults {
            assert!(fault.game >= 1, "{fault}");
            assert!(!chain(fault).is_empty());
        }
    }
    // The others change a score, a clock or a man without breaking a rule.
    assert!(found > 200, "{found}");
}

#[test]
fn a_gather_gives_what_a_replay_gives() {
    let bytes = documented().repeat(4);
    let games = ViriGames::new(bytes).unwrap();
    let all: Vec<_> = games.positions().map(|here| here.unwrap()).collect();
    assert_eq!(all.len(), 20);
    let mut batch = Vec::new();
    for seed in 0..20 {
        let order = Permutation::new(60, seed);
        let indices: Vec<_> = order.iter().map(|index| index / 3).collect();
        games.gather(&indices, &mut batch).unwrap();
        let expected = indices.iter().map(|&index| all[index as usize].labelled);
        assert!(batch.iter().copied().eq(expected));
    }
    games.gather(&[], &mut batch).unwrap();
    assert!(batch.is_empty());
    for index in 0..20 {
        assert_eq!(games.game_start(index), Some(index % 5 == 0));
        assert_eq!(games.find(index), Some((index / 5, index % 5)));
    }
    assert_eq!(games.first_position(3), 15);
    let error = games.gather(&[0, 20], &mut batch).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample 20 asked for, the dataset holds 20"
    );
}

#[test]
fn faults_while_gathering_name_game_and_ply() {
    let mut bytes = documented().repeat(2);
    bytes[56 + 36] = 0x33; // d7e5
    let games = ViriGames::new(bytes).unwrap();
    let mut batch = Vec::new();
    games.gather(&[4, 5], &mut batch).unwrap();
    let error = games.gather(&[7], &mut batch).unwrap_err();
    assert!(matches!(error, DatasetError::Record { index: 7, .. }));
    assert_eq!(
        chain(&error),
        "record 7 at byte 92: game 1 at byte 56, ply 1 at byte 92: d7e5 cannot be played: \
         a Black pawn does not go from d7 to e5"
    );
    assert_eq!(games.verify().count(), 1);
    assert_eq!(games.positions().filter(Result::is_ok).count(), 6);
}

#[test]
fn blocks_are_whole_games() {
    let games = ViriGames::new(documented().repeat(2000)).unwrap();
    assert_eq!(games.block_count(), 3);
    let mut next = 0;
    for block in 0..3 {
        let range = games.block(block);
        assert_eq!((range.start, games.game_start(next)), (next, Some(true)));
        next = range.end;
    }
    assert_eq!(games.block(0), 0..4100);
    assert_eq!(next, 10_000);
}

#[test]
#[should_panic = "block 1 of 1"]
fn a_block_past_the_end() {
    ViriGames::new(documented()).unwrap().block(1);
}

#[test]
#[should_panic = "position 5 of 5"]
fn a_game_start_past_the_end() {
    ViriGames::new(documented()).unwrap().game_start(5);
}

#[test]
#[should_panic = "game 1 of 1"]
fn a_first_position_past_the_end() {
    let _ = ViriGames::new(documented()).unwrap().first_position(1);
}

fn kept(filter: ViriFilter) -> Vec<u64> {
    let bytes = documented();
    let games = ViriGames::new(&bytes).unwrap();
    let positions = games.positions().map(Result::unwrap);
    let kept = positions.filter(|here| filter.keeps(here));
    kept.map(|here| here.ply).collect()
}

#[test]
fn filters_leave_out_what_they_say() {
    let everything = ViriFilter::EVERYTHING;
    assert_eq!(kept(everything), [0, 1, 2, 3, 4]);
    assert!(kept(ViriFilter::default()).is_empty());
    let min_ply = 3;
    assert_eq!(
        kept(ViriFilter {
            min_ply,
            ..everything
        }),
        [3, 4]
    );
    let tactical = false;
    assert_eq!(
        kept(ViriFilter {
            tactical,
            ..everything
        }),
        [0, 1, 2, 3]
    );
    let max_abs_score_cp = 9;
    assert_eq!(
        kept(ViriFilter {
            max_abs_score_cp,
            ..everything
        }),
        [0, 3]
    );
    let max_men = 31;
    assert!(
        kept(ViriFilter {
            max_men,
            ..everything
        })
        .is_empty()
    );
    let min_men = 33;
    assert!(
        kept(ViriFilter {
            min_men,
            ..everything
        })
        .is_empty()
    );
}

#[test]
fn filters_of_checks_castling_and_unknown_numbers() {
    let start = |fen: &str| {
        let labelled = crate::LabelledPosition::from_text(&std::format!("{fen} | -32768 | 0.5"));
        MarlinRecord::encode(&labelled.unwrap(), 0).unwrap()
    };
    let castles = ViriMove::new(Square::E1, Square::H1, ViriMoveKind::Castling).unwrap();
    let steps = ViriMove::new(Square::E1, Square::D1, ViriMoveKind::Normal).unwrap();
    let here = |record: MarlinRecord, played, ply| ViriPosition {
        ply,
        labelled: record.decode().unwrap(),
        played,
    };
    let quiet = here(start("4k3/8/8/8/8/8/8/4K2R w K - 0 0"), castles, 7);
    let checked = here(start("4k3/4r3/8/8/8/8/8/4K2R w K - 0 5"), steps, 0);
    let everything = ViriFilter::EVERYTHING;
    assert!(everything.keeps(&quiet) && everything.keeps(&checked));
    let castling = false;
    assert!(
        !ViriFilter {
            castling,
            ..everything
        }
        .keeps(&quiet)
    );
    let in_check = false;
    assert!(
        !ViriFilter {
            in_check,
            ..everything
        }
        .keeps(&checked)
    );
    assert!(
        ViriFilter {
            in_check,
            ..everything
        }
        .keeps(&quiet)
    );
    for (min_ply, keeps) in [(7, [true, true]), (8, [false, true]), (9, [false, false])] {
        let filter = ViriFilter {
            min_ply,
            ..everything
        };
        assert_eq!([filter.keeps(&quiet), filter.keeps(&checked)], keeps);
    }
    let max_abs_score_cp = 32767;
    assert!(
        !ViriFilter {
            max_abs_score_cp,
            ..everything
        }
        .keeps(&quiet)
    );
}

#[test]
fn positions_become_marlin_records() {
    let bytes = documented();
    let games = ViriGames::new(&bytes).unwrap();
    for here in games.positions() {
        let here = here.unwrap();
        assert_eq!(here.to_marlin_lossy().decode(), Ok(here.labelled));
        let record = here.to_marlin_move_lossy();
        assert_eq!(record.best_move(), Ok(here.played));
        assert_eq!(
            Some(Score::Centipawns(record.score_cp())),
            here.labelled.label.score
        );
    }
}

#[test]
fn what_is_read_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.viri");
    let bytes = documented().repeat(2);
    let games = ViriGames::new(&bytes).unwrap();
    let mut writer = ViriWriter::create(&path).unwrap();
    for game in games.iter() {
        let moves = game
            .moves()
            .map(|(played, score_cp)| (played.unwrap(), score_cp));
        writer.write_game(game.start(), moves).unwrap();
    }
    assert_eq!(writer.games(), 2);
    assert!(!path.exists());
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn games_that_cannot_be_written() {
    let bytes = documented();
    let (game, _) = ViriGame::first(&bytes, 0, 0).unwrap();
    let mut writer = ViriWriter::new(Vec::new());
    let moves = || {
        game.moves()
            .map(|(played, score_cp)| (played.unwrap(), score_cp))
    };
    writer.write_game(game.start(), moves()).unwrap();
    let error = writer
        .write_game(game.start(), moves().skip(1))
        .unwrap_err();
    assert_eq!(
        chain(&error),
        "game 1, ply 0: e7e5 cannot be played: no White piece stands on e7"
    );
    let bad = MarlinRecord::from_bytes(&[0; 32]);
    let error = writer.write_game(&bad, moves()).unwrap_err();
    assert_eq!(
        chain(&error),
        "game 1: the start record is no position: White has 0 kings, expected 1"
    );
    assert_eq!(
        writer.into_inner(),
        bytes,
        "nothing of the bad games was written"
    );
    let mut full = [0; 8];
    let error = ViriWriter::new(&mut full[..]).write_game(game.start(), moves());
    assert_eq!(error.unwrap_err().to_string(), "game 0: writing failed");
}

type Open = fn(&Path) -> Result<ViriFile, ViriOpenError>;

/// Every way to open a file.
const WAYS: &[Open] = &[
    |path| ViriFile::read(path),
    #[cfg(feature = "mmap")]
    |path| {
        // SAFETY: the tests leave their files alone while they are mapped.
        #[allow(unsafe_code)]
        unsafe {
            ViriFile::map(path)
        }
    },
];

#[test]
fn files_are_read_and_name_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.viri");
    let shown = path.display();
    for open in WAYS {
        let missing = open(&folder.path().join("missing")).unwrap_err();
        assert!(missing.to_string().ends_with("missing: no such file"));
        fs::write(&path, documented()).unwrap();
        let file = open(&path).unwrap();
        assert_eq!((file.path(), file.games().len()), (&*path, 1));
        assert_eq!(
            (file.len(), file.block_count(), file.block(0)),
            (5, 1, 0..5)
        );
        assert_eq!(file.game_start(1), Some(false));
        let mut batch = Vec::new();
        file.gather(&[4, 0], &mut batch).unwrap();
        assert_eq!(batch.len(), 2);
        let error = file.gather(&[5], &mut batch).unwrap_err();
        assert_eq!(
            chain(&error),
            std::format!("{shown}: sample 5 asked for, the dataset holds 5")
        );
        drop(file);
        fs::write(&path, &documented()[..55]).unwrap();
        assert_eq!(
            chain(&open(&path).unwrap_err()),
            std::format!(
                "{shown}: game 0 at byte 0, ply 5 at byte 52: the file ends 3 bytes into the ply, \
                 expected 4"
            )
        );
    }
}

#[test]
#[cfg(feature = "std")]
fn filtered_games_are_a_dataset() {
    use crate::{Dataset, ViriFile, ViriFilter, ViriGames};
    const GAMES: &[u8] = include_bytes!("../../tests/golden/viri/valid/games.viri");
    let filter = ViriFilter {
        tactical: false,
        min_ply: 4,
        ..ViriFilter::EVERYTHING
    };
    let games = ViriGames::new(GAMES).unwrap();
    let positions = games.positions().map(Result::unwrap);
    let expected: std::vec::Vec<_> = positions
        .filter(|here| filter.keeps(here))
        .map(|here| here.labelled)
        .collect();
    let all: std::vec::Vec<u64> = (0..expected.len() as u64).collect();
    let count = games.position_count();
    let kept = games.filtered(&filter).unwrap();
    assert!(!kept.is_empty() && kept.len() < count);
    let mut batch = std::vec::Vec::new();
    kept.gather(&all, &mut batch).unwrap();
    assert_eq!(batch, expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.viri");
    std::fs::write(&path, GAMES).unwrap();
    let file = ViriFile::read(path).unwrap().filtered(&filter).unwrap();
    file.gather(&all, &mut batch).unwrap();
    assert_eq!(batch, expected);
}
