//! `verify`: every fault.

use std::path::{Path, PathBuf};
use std::thread;

use chess_records::Dataset;
use chess_records::tool_support::Progress;
use chess_shards::{
    FlatDataset, FlatFault, FlatRecord, GameOverlap, PlyHistogram, RowFault, ShardSet, SplitName,
    Verifier, legal_actions,
};
use clap::{Args, value_parser};
use serde_json::{Value, json};

use crate::failure::{Failure, chain};
use crate::games;
use crate::interrupt;
use crate::report::print;
use crate::shards::{Part, Shards, Split};
use crate::threads::{MAX_THREADS, processors};

/// Checks every row and says what is wrong, and where.
///
/// A row's men, flags and move must fit together, and its list must be the legal moves in their order.
/// Of a set, the shards must be there with the rows that meta.json says, no two of them may share games,
/// and its counts of rows with over 64 moves must be right. With --games, the plies at which samples
/// stand are compared with those that a sampler would draw that goes through the same games as it
/// trains. Exits with 1 if anything is wrong.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards verify shards
  chess-shards verify shards --games games.pgn.zst
  chess-shards verify shards --split test --limit 10 --json
  chess-shards verify shards/shard_0000.npy --first 100000")]
pub(crate) struct Verify {
    /// The folder of a set, or a shard
    #[arg(value_name = "DIR|FILE")]
    input: PathBuf,
    /// Check the first N rows alone, of all shards together
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    /// Stop after so many faults
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Only this split of the set
    #[arg(long)]
    split: Option<Split>,
    /// The files of games that the set was built from
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// How many threads check [default: one a processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Default)]
struct Found {
    rows: u64,
    plies: PlyHistogram,
    /// Kept for JSON alone.
    faults: Vec<Value>,
    printed: u64,
}

/// How far the plies of samples are from those of a sampler that draws as it trains.
struct Distance {
    found: Option<f64>,
    by_chance: Option<f64>,
    games: u64,
}

const LEFT: &str = "not everything was checked";

impl Verify {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let shards = Shards::open(&self.input)?;
        let mut found = Found::default();
        if let Shards::Set(set) = &shards {
            for overlap in set.meta().game_overlaps() {
                self.note(Fault::of_games(set, &overlap), &mut found)?;
            }
        } else if !self.games.is_empty() {
            return Err(Failure::usage(
                "--games is for sets, which have a meta.json",
            ));
        }
        let parts = shards.parts(self.split)?;
        let total: Option<u64> = parts.iter().map(Part::rows).sum();
        let total = total.map(|total| total.min(self.first.unwrap_or(total)));
        let progress = Progress::new("rows", total);
        for part in parts {
            if self.is_enough(&found) {
                break;
            }
            self.check_part(part, &mut found, &progress)?;
        }
        drop(progress);
        let distance = self.distance(&shards, &found)?;
        self.say(&found, distance)
    }

    fn faults(found: &Found) -> u64 {
        found.faults.len() as u64 + found.printed
    }

    fn is_enough(&self, found: &Found) -> bool {
        self.limit.is_some_and(|limit| Self::faults(found) >= limit)
            || self.first.is_some_and(|first| found.rows >= first)
    }

    fn note(&self, fault: Fault, found: &mut Found) -> Result<(), Failure> {
        if self.json {
            found.faults.push(fault.into_json());
            return Ok(());
        }
        found.printed += 1;
        print(&format!("{}\n", fault.into_text()))
    }

    fn check_part(
        &self,
        part: Part<'_>,
        found: &mut Found,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let rows = match part.open() {
            Ok(rows) => rows,
            Err(Failure::Data(fault)) => {
                return self.note(Fault::of_file(&part.path(), chain(fault.as_ref())), found);
            }
            Err(failure) => return Err(failure),
        };
        let before = found.rows;
        let overflow = self.check_rows(&rows, found, progress)?;
        match part {
            Part::OfSet(_, shard)
                if found.rows - before == rows.len() && overflow != shard.num_overflow =>
            {
                let (path, expected) = (part.path(), shard.num_overflow);
                let fault = format!(
                    "{}: {overflow} rows have over 64 legal moves, expected {expected} as in meta.json",
                    path.display()
                );
                self.note(Fault::of_file(&path, fault), found)
            }
            _ => Ok(()),
        }
    }

    /// Checks the rows of a shard; says how many of them have more moves than are listed.
    fn check_rows(
        &self,
        rows: &FlatDataset,
        found: &mut Found,
        progress: &Progress,
    ) -> Result<u64, Failure> {
        let (mut batch, mut overflow) = (Vec::new(), 0);
        for block in 0..rows.block_count() {
            Failure::if_interrupted(LEFT)?;
            let left = self.first.map_or(u64::MAX, |first| first - found.rows);
            let indices: Vec<_> = rows.block(block).take(left as usize).collect();
            rows.gather(&indices, &mut batch)?;
            let checked = self.side_by_side(&batch);
            batch.iter().for_each(|row| found.plies.add(row));
            overflow += checked.overflow;
            for (place, fault) in checked.faults {
                if self.is_enough(found) {
                    break;
                }
                let fault = rows.fault_at(indices[place], fault);
                self.note(Fault::of_row(&fault), found)?;
            }
            found.rows += indices.len() as u64;
            progress.add(indices.len() as u64);
            if self.is_enough(found) {
                break;
            }
        }
        Ok(overflow)
    }

    fn side_by_side(&self, rows: &[FlatRecord]) -> Checked {
        let threads = self.threads.map_or_else(processors, usize::from);
        let each = rows.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let parts = rows.chunks(each).zip((0..).step_by(each));
            let workers: Vec<_> = parts
                .map(|(part, first)| scope.spawn(move || Checked::of(part, first)))
                .collect();
            let mut all = Checked::default();
            for worker in workers {
                match worker.join() {
                    Ok(checked) => all.append(checked),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }

    fn distance(&self, shards: &Shards, found: &Found) -> Result<Option<Distance>, Failure> {
        let Shards::Set(set) = shards else {
            return Ok(None);
        };
        if self.games.is_empty() {
            return Ok(None);
        }
        let expected = set.meta().source_games;
        let progress = Progress::new("games", Some(expected));
        let source = games::source(&self.games)?;
        let online = set.meta().online_plies(&source, &mut |games| {
            progress.set(games);
            interrupt::flow()
        })?;
        drop(progress);
        Failure::if_interrupted(LEFT)?;
        if online.games != expected {
            return Err(Failure::data(format!(
                "the source has {} games that count, the set was built from {expected}",
                online.games
            )));
        }
        let distribution = &online.distribution;
        Ok(Some(Distance {
            found: found.plies.total_variation(distribution),
            by_chance: distribution.distance_by_chance(found.plies.samples()),
            games: distribution.games(),
        }))
    }

    fn say(&self, found: &Found, distance: Option<Distance>) -> Result<(), Failure> {
        let faults = Self::faults(found);
        print(&if self.json {
            let report = json!({
                "rows": found.rows,
                "faults": found.faults,
                "plies": distance.map(Distance::into_json),
            });
            format!("{report:#}\n")
        } else {
            let enough = if self.is_enough(found) {
                " (stopped there)"
            } else {
                ""
            };
            let distance = distance.map(Distance::into_text).unwrap_or_default();
            format!("{distance}{} rows, {faults} faults{enough}\n", found.rows)
        })?;
        if faults > 0 {
            Err(Failure::Said)
        } else {
            Ok(())
        }
    }
}

impl Distance {
    fn into_text(self) -> String {
        let number = |distance: Option<f64>| {
            distance.map_or("unknown".into(), |distance| format!("{distance:.4}"))
        };
        format!(
            "plies: total variation distance {} from a sampler that draws from the {} games as it \
             trains, {} is usual by chance\n",
            number(self.found),
            self.games,
            number(self.by_chance)
        )
    }

    fn into_json(self) -> Value {
        json!({
            "total_variation": self.found,
            "by_chance": self.by_chance,
            "games": self.games,
        })
    }
}

/// What was found in some rows.
#[derive(Default)]
struct Checked {
    /// With the place of the row among those that were checked.
    faults: Vec<(usize, RowFault)>,
    /// How many sound rows have more moves than are listed.
    overflow: u64,
}

impl Checked {
    fn of(rows: &[FlatRecord], first: usize) -> Self {
        let (mut checked, mut verifier) = (Self::default(), Verifier::new());
        for (row, place) in rows.iter().zip(first..) {
            match verifier.check(row) {
                Ok(()) => checked.overflow += u64::from(has_more_moves(row)),
                Err(fault) => checked.faults.push((place, fault)),
            }
        }
        checked
    }

    fn append(&mut self, later: Self) {
        self.faults.extend(later.faults);
        self.overflow += later.overflow;
    }
}

fn has_more_moves(row: &FlatRecord) -> bool {
    if usize::from(row.legal_cnt()) < FlatRecord::LEGAL_CAP {
        return false;
    }
    let mut legal = Vec::new();
    if let Ok(decoded) = row.decode() {
        legal_actions(&decoded.position, &mut legal);
    }
    legal.len() > FlatRecord::LEGAL_CAP
}

/// What is wrong, and where.
struct Fault {
    path: PathBuf,
    /// The row's number in the file and where it starts, in bytes.
    row: Option<(u64, u64)>,
    /// With the place, as it is printed.
    text: String,
}

impl Fault {
    fn of_row(fault: &FlatFault) -> Self {
        Self {
            row: Some((fault.row, fault.byte_offset)),
            ..Self::of_file(&fault.path, chain(fault))
        }
    }

    fn of_file(path: &Path, text: String) -> Self {
        Self {
            path: path.into(),
            row: None,
            text,
        }
    }

    fn of_games(set: &ShardSet, overlap: &GameOverlap) -> Self {
        let path = set.folder().join(chess_shards::Meta::FILE_NAME);
        let text = overlap_text(&path, overlap);
        Self::of_file(&path, text)
    }

    fn into_text(self) -> String {
        self.text
    }

    fn into_json(self) -> Value {
        json!({
            "path": self.path.to_string_lossy(),
            "row": self.row.map(|(row, _)| row),
            "byte_offset": self.row.map(|(_, byte_offset)| byte_offset),
            "fault": self.text,
        })
    }
}

fn overlap_text(path: &Path, overlap: &GameOverlap) -> String {
    let name = |split: Option<SplitName>| split.map_or("none".into(), |split| split.to_string());
    let ([first, second], [split, other]) = (overlap.shards, overlap.splits.map(name));
    let games = &overlap.games;
    format!(
        "{}: shard {first} of split {split} and shard {second} of split {other} share games {}..{}",
        path.display(),
        games.start,
        games.end
    )
}
