//! Files split into parts that share no game.

use std::path::Path;
use std::vec::Vec;

use super::inputs::Chunk;
use super::parts::Parts;
use super::{
    FilesError, GameCounter, Inputs, Meter, Output, PositionKey, Progress, ResumableFiles,
};
use crate::{FixedRecord, Permutation};
use thiserror::Error;

/// A split of files into parts, such as training, validation and test, of given shares.
///
/// Positions of one game are alike and share a result: a network tested on games that it was trained
/// on looks better than it is. So whole games go to a part, where the files tell them (see
/// [`Dataset::game_start`](crate::Dataset::game_start); here all neighbours are looked at, not a
/// sample): game `g` of `n` goes where [`Permutation::new(n, seed)`](Permutation)`.get(g)` falls
/// among the shares of `n`, so that each part has its share of the games, rounded. The same position
/// may still come in games of different parts.
///
/// Files that do not tell games are split by a hash of each position's [key](PositionKey): every
/// copy of a position goes to one part, but positions of one game may be in several. Shares are then
/// met only about. [`SplitReport::by`] says which it was.
///
/// Within a part, records keep their order. The outputs are put in place one after another when all
/// are written; if the process dies in that moment, some are and some are not. A run that was killed or
/// cancelled is gone on with, as [`ResumableFiles`] says; the counting of games before is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitFiles {
    /// Which games go where.
    pub seed: u64,
    /// What to split by; `None` is by games if the files tell them, else by positions.
    pub by: Option<SplitBy>,
}

/// What is kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitBy {
    /// The records of a game.
    Game,
    /// The copies of a position.
    Position,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitReport {
    /// What was kept together.
    pub by: SplitBy,
    /// The parts, in the order of the outputs.
    pub parts: Vec<PartReport>,
}

/// What went into a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartReport {
    /// How many records.
    pub records: u64,
    /// How many games; 0 in a split by positions.
    pub games: u64,
}

/// Why files could not be split.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SplitFilesError {
    /// A share is no positive number.
    #[error("the share of part {index} is {found}, expected a number over 0")]
    Share {
        /// The part, counted from 0.
        index: usize,
        /// The share.
        found: f64,
    },
    /// Games were asked for, but the files do not tell them.
    #[error("the files do not tell games: records without a move number, or not in game order")]
    NotByGame,
    /// Positions were to be kept together, but the files hold games.
    #[error("games are not split by positions: expand them into records first")]
    Positions,
    /// The files cannot be worked on.
    #[error(transparent)]
    Files(#[from] FilesError),
}

impl SplitFiles {
    /// Splits `inputs` into `parts`, given with their shares, which are taken relative to their sum.
    ///
    /// # Errors
    ///
    /// A [`SplitFilesError`].
    pub fn run<R: FixedRecord>(
        &self,
        inputs: &Inputs<R>,
        parts: &[(Output, f64)],
        progress: &mut Progress<'_>,
    ) -> Result<SplitReport, SplitFilesError> {
        let shares = Shares::new(parts.iter().map(|part| part.1))?;
        let job = std::format!("{} bytes a record", R::BYTES);
        let mut parts = self.begin(parts, inputs.paths(), &job)?;
        let mut meter = Meter::new(2 * inputs.bytes(), progress);
        let work = self.split(inputs, shares, &mut parts, &mut meter);
        parts.finish(work)
    }

    fn split<R: FixedRecord>(
        &self,
        inputs: &Inputs<R>,
        shares: Shares,
        parts: &mut Parts,
        meter: &mut Meter<'_, '_>,
    ) -> Result<SplitBy, SplitFilesError> {
        let games = match parts.start {
            None => {
                meter.advance(0)?;
                count_games(inputs, meter)?
            }
            Some(start) => {
                meter.advance(inputs.bytes() + start.place * R::BYTES as u64)?;
                start.games
            }
        };
        let rule = self.rule(games, shares)?;
        write_parts(inputs, &rule, parts, meter)?;
        Ok(rule.by())
    }

    /// Begins the parts, or goes on with them.
    pub(super) fn begin<'a>(
        &self,
        parts: &[(Output, f64)],
        inputs: impl IntoIterator<Item = &'a Path>,
        job: &str,
    ) -> Result<Parts, FilesError> {
        let outputs: Vec<&Output> = parts.iter().map(|part| &part.0).collect();
        let shares: Vec<f64> = parts.iter().map(|part| part.1).collect();
        let job = std::format!("{self:?} to {shares:?}, {job}");
        Ok(Parts::of(
            ResumableFiles::begin(&outputs, inputs, &job)?,
            parts.len(),
        ))
    }

    fn rule(&self, games: Option<u64>, shares: Shares) -> Result<Rule, SplitFilesError> {
        let seed = self.seed;
        match (self.by, games) {
            (Some(SplitBy::Game), None) => Err(SplitFilesError::NotByGame),
            (None | Some(SplitBy::Game), Some(games)) => {
                let order = Permutation::new(games, seed);
                Ok(Rule::Game { order, shares })
            }
            (None | Some(SplitBy::Position), _) => Ok(Rule::Position { seed, shares }),
        }
    }
}

/// How many games there are, if the files tell.
fn count_games<R: FixedRecord>(
    inputs: &Inputs<R>,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<u64>, FilesError> {
    let mut games = GameCounter::default();
    inputs.read_from(0, meter, |chunk| {
        begin_file(&mut games, chunk);
        for record in chunk.records {
            games.add_clue(record.game_clue());
        }
        Ok(())
    })?;
    Ok(games.games())
}

fn begin_file<R>(games: &mut GameCounter, chunk: &Chunk<'_, R>) {
    if chunk.first == 0 {
        games.next_file();
    }
}

/// Which part a record goes to.
enum Rule {
    Game { order: Permutation, shares: Shares },
    Position { seed: u64, shares: Shares },
}

impl Rule {
    const fn by(&self) -> SplitBy {
        match self {
            Self::Game { .. } => SplitBy::Game,
            Self::Position { .. } => SplitBy::Position,
        }
    }
}

/// The ends of the parts' shares of 1; the last is 1.
pub(super) struct Shares(Vec<f64>);

impl Shares {
    pub(super) fn new(shares: impl Iterator<Item = f64>) -> Result<Self, SplitFilesError> {
        let shares: Vec<f64> = shares.collect();
        for (index, &found) in shares.iter().enumerate() {
            if !(found > 0.0 && found.is_finite()) {
                return Err(SplitFilesError::Share { index, found });
            }
        }
        let sum: f64 = shares.iter().sum();
        let mut end = 0.0;
        let ends = shares.iter().map(|share| {
            end += share / sum;
            end
        });
        Ok(Self(ends.collect()))
    }

    /// The part of item `index` of `count`.
    pub(super) fn part(&self, index: u64, count: u64) -> usize {
        let ends = self.0.iter().map(|end| (end * count as f64).round());
        let behind = ends.take_while(|&end| index as f64 >= end).count();
        behind.min(self.0.len() - 1)
    }

    /// The part of a hash.
    fn part_of_hash(&self, hash: u64) -> usize {
        // The upper 53 bits, which an f64 holds.
        self.part(hash >> 11, 1 << 53)
    }
}

fn write_parts<R: FixedRecord>(
    inputs: &Inputs<R>,
    rule: &Rule,
    parts: &mut Parts,
    meter: &mut Meter<'_, '_>,
) -> Result<(), FilesError> {
    if parts.report.is_empty() {
        return Ok(());
    }
    match rule {
        Rule::Game { order, shares } => write_games(inputs, order, shares, parts, meter),
        Rule::Position { seed, shares } => write_positions(inputs, *seed, shares, parts, meter),
    }
}

fn write_games<R: FixedRecord>(
    inputs: &Inputs<R>,
    order: &Permutation,
    shares: &Shares,
    parts: &mut Parts,
    meter: &mut Meter<'_, '_>,
) -> Result<(), FilesError> {
    let mut counter = GameCounter::default();
    let (mut game, mut part) = (parts.games_written(), 0);
    let mut place = parts.place();
    inputs.read_from(place, meter, |chunk| {
        begin_file(&mut counter, chunk);
        for record in chunk.records {
            // Work that goes on does so where a game starts, which a counter without a past sees.
            if counter.add_clue(record.game_clue()) {
                parts.note_if_due(place, Some(order.len()))?;
                // Past the end only if a file changed since its games were counted.
                part = shares.part(order.get(game).unwrap_or(0), order.len());
                parts.report[part].games += 1;
                game += 1;
            }
            parts.write(part, record.as_bytes(), 1)?;
            place += 1;
        }
        Ok(())
    })
}

fn write_positions<R: FixedRecord>(
    inputs: &Inputs<R>,
    seed: u64,
    shares: &Shares,
    parts: &mut Parts,
    meter: &mut Meter<'_, '_>,
) -> Result<(), FilesError> {
    let mut place = parts.place();
    inputs.read_from(place, meter, |chunk| {
        for decoded in chunk.decoded() {
            let (record, labelled) = decoded?;
            let hash = PositionKey::new(&labelled.position).hash(seed);
            parts.write(shares.part_of_hash(hash), record.as_bytes(), 1)?;
            place += 1;
            parts.note_if_due(place, None)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn shares_are_met() {
        let shares = Shares::new([8.0, 1.0, 1.0].into_iter()).unwrap();
        let count = |part, count| {
            (0..count)
                .filter(|&i| shares.part(i, count) == part)
                .count()
        };
        assert_eq!([0, 1, 2].map(|part| count(part, 100)), [80, 10, 10]);
        assert_eq!([0, 1, 2].map(|part| count(part, 7)), [6, 0, 1]);
        assert_eq!(shares.part_of_hash(0), 0);
        assert_eq!(shares.part_of_hash(u64::MAX), 2);
    }

    #[test]
    fn shares_that_are_none() {
        for (found, shown) in [
            (0.0, "0"),
            (-1.0, "-1"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            let error = Shares::new([1.0, found].into_iter())
                .map(|_| ())
                .unwrap_err();
            assert_eq!(
                error.to_string(),
                std::format!("the share of part 1 is {shown}, expected a number over 0")
            );
        }
        assert_eq!(
            SplitFilesError::NotByGame.to_string(),
            "the files do not tell games: records without a move number, or not in game order"
        );
    }
}
