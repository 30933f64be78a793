use std::fs;
use std::ops::ControlFlow;
use std::string::ToString;
use std::vec::Vec;

use chess_records::{
    GameResult, Label, LabelledPosition, MarlinRecord, MarlinView, Position, Score, ViriFilter,
    ViriGame, ViriGames,
};

use super::*;
use crate::selfplay::HandWritten;

fn datagen() -> Datagen {
    Datagen::new().games_per_chunk(6).nodes(200).seed(7)
}

fn chunk(datagen: &Datagen, number: u64, threads: usize) -> (Vec<u8>, GameStatistics) {
    let folder = tempfile::tempdir().unwrap();
    let made = datagen.chunk(folder.path(), number, threads, HandWritten::new, |_| {
        ControlFlow::Continue(())
    });
    let bytes = fs::read(folder.path().join(datagen.file_name(number))).unwrap();
    (bytes, made.unwrap().unwrap())
}

#[test]
fn a_chunk_has_the_same_bytes_for_any_number_of_threads() {
    let (one, statistics) = chunk(&datagen(), 3, 1);
    assert_eq!(statistics.games, 6);
    for threads in [1, 2, 5] {
        assert!(chunk(&datagen(), 3, threads).0 == one);
    }
    assert!(chunk(&datagen(), 4, 2).0 != one);
    assert!(chunk(&datagen().seed(8), 3, 2).0 != one);
}

#[test]
fn recorded_games_replay_with_their_scores_and_results() {
    let (bytes, statistics) = chunk(&datagen(), 0, 2);
    let games = ViriGames::new(&bytes).unwrap();
    assert_eq!(games.verify().count(), 0);
    assert_eq!(
        (games.len(), games.position_count()),
        (6, statistics.positions)
    );
    let mut search = crate::selfplay::Search::new(HandWritten::new(), 4 << 20);
    for (number, recorded) in (0..).zip(games.iter()) {
        let played = datagen().game(&mut search, number);
        let label = |white_cp: i32| {
            let score = Score::Centipawns(white_cp as i16);
            Label::new(Some(score), Some(played.result))
        };
        let labels = played.moves.iter().map(|made| label(made.white_cp));
        let found: Vec<_> = recorded.positions().map(|at| at.unwrap()).collect();
        assert!(found.iter().map(|at| at.labelled.label).eq(labels));
    }
}

#[test]
fn quiet_positions_alone() {
    let filter = ViriFilter {
        in_check: false,
        tactical: false,
        ..ViriFilter::EVERYTHING
    };
    let (whole, statistics) = chunk(&datagen(), 0, 2);
    let (bytes, _) = chunk(&datagen().format(ChunkFormat::Marlin(filter)), 0, 2);
    let view = MarlinView::new(&bytes).unwrap();
    let games = ViriGames::new(&whole).unwrap();
    let quiet = games
        .positions()
        .filter(|at| filter.keeps(at.as_ref().unwrap()));
    assert_eq!(view.len(), quiet.count() as u64);
    assert!(view.len() < statistics.positions);
}

#[test]
fn chess960_games_are_recorded() {
    let datagen = datagen().starts(Starts::new().chess960());
    let (bytes, _) = chunk(&datagen, 1, 2);
    assert_eq!(ViriGames::new(&bytes).unwrap().verify().count(), 0);
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (chunk, games) in [(u64::MAX, 6), (1, u64::MAX)] {
        let datagen = datagen().games_per_chunk(games);
        let on = |_: &GameStatistics| panic!("played");
        let error = datagen.chunk(folder.path(), chunk, 1, HandWritten::new, on);
        assert_eq!(
            error.unwrap_err().to_string(),
            std::format!("chunk {chunk} of {games} games has numbers over 2^64")
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_game_without_a_move_counts_too() {
    let start = MarlinRecord::encode(
        &LabelledPosition {
            position: Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap(),
            label: Label::new(Some(Score::Centipawns(0)), Some(GameResult::Draw)),
        },
        0,
    );
    let bytes = [start.unwrap().as_bytes(), &[0; 4][..]].concat();
    let mut statistics = GameStatistics::default();
    let (game, _) = ViriGame::first(&bytes, 0, 0).unwrap();
    statistics.add(game).unwrap();
    let counts = (statistics.games, statistics.drawn, statistics.positions);
    assert_eq!(counts, (1, 1, 0));
}

#[test]
fn a_chunk_that_is_broken_off_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let made = datagen().chunk(
        folder.path(),
        0,
        2,
        HandWritten::new,
        |statistics| match statistics.games {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
    );
    assert!(made.unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
