//! The positions of games, to train on and to hold out.

use std::path::PathBuf;
use std::vec::Vec;

use chess_records::{MarlinView, ViriFile, ViriFilter, ViriOpenError};

use super::{GenerationsError, Plan};
use crate::selfplay::games::{GameStatistics, append_marlin};

/// Positions in memory.
pub(super) type Records = MarlinView<Vec<u8>>;

/// The positions of some generations' games.
pub(super) struct Samples {
    pub(super) training: Records,
    pub(super) held_out: Records,
}

/// What is trained on. The side to move has something quiet to do, so that the score is one of this
/// position; and it is not won or lost yet.
const QUIET: ViriFilter = ViriFilter {
    min_men: 4,
    max_abs_score_cp: 3_000,
    in_check: false,
    tactical: false,
    ..ViriFilter::EVERYTHING
};

/// One in so many games of the newest generation is held out.
const HELD_OUT: u64 = 20;

/// Reads the games of some generations, the oldest first: the last games of the newest are held out.
pub(super) fn read(plan: &Plan, generations: &[Vec<PathBuf>]) -> Result<Samples, GenerationsError> {
    let (mut training, mut held_out) = (Vec::new(), Vec::new());
    for (number, chunks) in generations.iter().enumerate() {
        let files = open(plan, chunks)?;
        let games: u64 = files.iter().map(|file| file.games().len()).sum();
        let is_newest = number + 1 == generations.len();
        let kept = match is_newest {
            true => games - games.div_ceil(HELD_OUT),
            false => games,
        };
        let games = files.iter().flat_map(|file| {
            let games = file.games().iter();
            games.map(move |game| (file, game))
        });
        for (number, (file, game)) in (0..).zip(games) {
            let part = if number < kept {
                &mut training
            } else {
                &mut held_out
            };
            append_marlin(game, &QUIET, part).map_err(|source| ViriOpenError::Games {
                path: file.path().into(),
                source,
            })?;
        }
    }
    Ok(Samples {
        training: view(training)?,
        held_out: view(held_out)?,
    })
}

/// What the games of a generation are like.
pub(super) fn statistics(
    plan: &Plan,
    chunks: &[PathBuf],
) -> Result<GameStatistics, GenerationsError> {
    let mut statistics = GameStatistics::default();
    for file in open(plan, chunks)? {
        statistics.add_file(&file)?;
    }
    Ok(statistics)
}

fn open(plan: &Plan, chunks: &[PathBuf]) -> Result<Vec<ViriFile>, GenerationsError> {
    let files = chunks.iter().map(|chunk| {
        let file = ViriFile::read(chunk)?;
        let found = file.games().len();
        match found == plan.games {
            true => Ok(file),
            // A file that was cut between two games is sound for its format.
            false => Err(GenerationsError::Count {
                path: chunk.clone(),
                found,
                expected: plan.games,
            }),
        }
    });
    files.collect()
}

fn view(records: Vec<u8>) -> Result<Records, GenerationsError> {
    match records.is_empty() {
        true => Err(GenerationsError::NoPositions),
        false => Ok(Records::new(records)?),
    }
}
