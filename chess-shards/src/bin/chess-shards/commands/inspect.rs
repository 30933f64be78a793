//! `inspect`: what is in a set or a shard.

use std::path::PathBuf;

use chess_records::Dataset;
use chess_records::tool_support::Progress;
use chess_shards::{FlatDataset, FlatRecord, Meta, ShardInfo, ShardSet, SplitName};
use clap::Args;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::report::{columns, facts, print};
use crate::row::Shown;
use crate::shards::{Shards, Split, of_split};

/// Shows what is in a set or a shard, or single rows.
///
/// Of a set, meta.json is shown and no shard is read; of a single shard, its rows are counted. With
/// --record one row is shown: its board, the move that was played, the legal moves and all else. Rows
/// are counted from 0 through all shards in the order of meta.json, or through those of a split.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards inspect shards
  chess-shards inspect shards --split test --json
  chess-shards inspect shards --split val --record 5
  chess-shards inspect shards/shard_0000.npy.zst")]
pub(crate) struct Inspect {
    /// The folder of a set, or a shard
    #[arg(value_name = "DIR|FILE")]
    input: PathBuf,
    /// Show this row
    #[arg(long, value_name = "N")]
    record: Option<u64>,
    /// Only this split of the set
    #[arg(long)]
    split: Option<Split>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let shards = Shards::open(&self.input)?;
        match (self.record, &shards) {
            (Some(index), shards) => self.show(index, shards),
            (None, Shards::Set(set)) => self.describe(set),
            (None, shards @ Shards::File(_)) => self.count(shards),
        }
    }

    fn show(&self, index: u64, shards: &Shards) -> Result<(), Failure> {
        let shown = self.find(index, shards)?;
        print(&if self.json {
            format!("{:#}\n", shown.json()?)
        } else {
            shown.drawn()?
        })
    }

    fn find(&self, index: u64, shards: &Shards) -> Result<Shown, Failure> {
        let mut before = 0;
        for part in shards.parts(self.split)? {
            // Shards before the row's own need not be there.
            if let Some(rows) = part.rows().filter(|rows| index - before >= *rows) {
                before += rows;
                continue;
            }
            let rows = part.open()?;
            let row_in_file = index - before;
            if row_in_file < rows.len() {
                return Ok(Shown {
                    index,
                    file: part.path().display().to_string(),
                    row_in_file,
                    row: rows.get(row_in_file)?,
                });
            }
            before += rows.len();
        }
        Err(Failure::usage(format!(
            "{}: there is no row {index}, there are {before}",
            self.input.display()
        )))
    }

    fn describe(&self, set: &ShardSet) -> Result<(), Failure> {
        let shards = of_split(set, self.split);
        print(&if self.json {
            let mut meta = serde_json::to_value(set.meta()).map_err(Failure::data)?;
            meta["shards"] = serde_json::to_value(&shards).map_err(Failure::data)?;
            format!("{meta:#}\n")
        } else {
            facts(&self.facts(set, &shards)) + "\n" + &table(set.meta(), &shards)
        })
    }

    fn facts(&self, set: &ShardSet, shards: &[&ShardInfo]) -> Vec<(&'static str, String)> {
        let meta = set.meta();
        let mut rows = vec![
            ("set", set.folder().display().to_string()),
            (
                "source",
                format!("{}, {} games that count", meta.source_h5, meta.source_games),
            ),
            ("samples", meta.num_samples.to_string()),
            (
                "drawn",
                format!(
                    "{} a game, {}, {}, seed {}",
                    meta.k,
                    word(&meta.sample_mode),
                    word(&meta.sample_weighting),
                    meta.seed
                ),
            ),
            ("opening plies skipped", meta.skip_opening_plies.to_string()),
            ("Elo", elo_text(meta)),
        ];
        rows.extend(SplitName::ALL.map(|split| (split_name(split), split_text(meta, split))));
        rows.extend([
            ("files", files_text(set, shards)),
            (
                "built",
                format!("by {} in {} s", meta.git_sha, meta.build_seconds),
            ),
        ]);
        rows
    }

    fn count(&self, shards: &Shards) -> Result<(), Failure> {
        let mut counts = Counts::default();
        for part in shards.parts(self.split)? {
            counts.add(&part.open()?)?;
        }
        print(&if self.json {
            format!("{:#}\n", counts.json())
        } else {
            facts(&counts.facts(self.input.display().to_string()))
        })
    }
}

/// The word of a value that stands in `meta.json`.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().into()
}

fn elo_text(meta: &Meta) -> String {
    match (meta.min_elo, meta.max_elo) {
        (None, None) => "any".into(),
        (min, max) => {
            let end = |elo: Option<i64>| elo.map(|elo| elo.to_string()).unwrap_or_default();
            format!("mean of both {}..{}", end(min), end(max))
        }
    }
}

const fn split_name(split: SplitName) -> &'static str {
    match split {
        SplitName::Train => "train",
        SplitName::Val => "val",
        SplitName::Test => "test",
    }
}

fn split_text(meta: &Meta, split: SplitName) -> String {
    let ids = meta.splits.ids(split);
    let shards = ids.iter().filter_map(|&id| meta.shard(id));
    let samples: u64 = shards.map(|shard| shard.num_samples).sum();
    match ids {
        [id] => format!("{samples} samples, in shard {id}"),
        ids => format!("{samples} samples, in {} shards", ids.len()),
    }
}

/// How many files are there, and as what.
fn files_text(set: &ShardSet, shards: &[&ShardInfo]) -> String {
    let (mut plain, mut compressed, mut missing) = (0, 0, 0);
    for shard in shards {
        let path = set.folder().join(&shard.path);
        let mut zst = path.clone().into_os_string();
        zst.push(".zst");
        if path.exists() {
            plain += 1;
        } else if PathBuf::from(zst).exists() {
            compressed += 1;
        } else {
            missing += 1;
        }
    }
    format!("{plain} plain, {compressed} only compressed, {missing} missing")
}

fn table(meta: &Meta, shards: &[&ShardInfo]) -> String {
    let names = [
        "shard",
        "split",
        "games",
        "samples",
        "overflow",
        "bad moves",
        "skipped",
        "filtered",
        "file",
    ];
    let row = |shard: &&ShardInfo| {
        let split = meta.split_of(shard.shard_id).map_or("none", split_name);
        vec![
            shard.shard_id.to_string(),
            split.into(),
            format!("{}..{}", shard.game_start, shard.game_end),
            shard.num_samples.to_string(),
            shard.num_overflow.to_string(),
            shard.num_bad_push.to_string(),
            shard.num_skipped_games.to_string(),
            shard.num_filtered_games.to_string(),
            shard.path.clone(),
        ]
    };
    columns(&names, &shards.iter().map(row).collect::<Vec<_>>())
}

/// What the rows of a shard are, as they say themselves.
#[derive(Default)]
struct Counts {
    rows: u64,
    white: u64,
    /// Draws, White's wins, Black's wins, and anything else.
    results: [u64; 4],
    full_lists: u64,
    legal_moves: u64,
    en_passant: u64,
    plies: Option<(u16, u16)>,
}

impl Counts {
    fn add(&mut self, rows: &FlatDataset) -> Result<(), Failure> {
        let progress = Progress::new("rows", Some(rows.len()));
        let mut batch = Vec::new();
        for block in 0..rows.block_count() {
            Failure::if_interrupted("nothing was changed")?;
            let indices: Vec<_> = rows.block(block).collect();
            rows.gather(&indices, &mut batch)?;
            batch.iter().for_each(|row| self.add_row(row));
            progress.add(indices.len() as u64);
        }
        Ok(())
    }

    fn add_row(&mut self, row: &FlatRecord) {
        self.rows += 1;
        self.white += u64::from(row.is_white());
        let result = usize::try_from(row.result()).unwrap_or(3).min(3);
        self.results[result] += 1;
        self.full_lists += u64::from(usize::from(row.legal_cnt()) == FlatRecord::LEGAL_CAP);
        self.legal_moves += u64::from(row.legal_cnt());
        self.en_passant += u64::from(row.en_passant_file() < 8);
        let ply = row.move_number();
        let (first, last) = self.plies.unwrap_or((ply, ply));
        self.plies = Some((first.min(ply), last.max(ply)));
    }

    fn facts(&self, file: String) -> Vec<(&'static str, String)> {
        let [draws, white, black, others] = self.results;
        let mean = self.legal_moves as f64 / self.rows.max(1) as f64;
        let mut rows = vec![
            ("file", file),
            ("rows", self.rows.to_string()),
            (
                "White, Black to move",
                format!("{}, {}", self.white, self.rows - self.white),
            ),
            (
                "White won, draw, Black won",
                format!("{white}, {draws}, {black}"),
            ),
            (
                "legal moves",
                format!("{mean:.1} a row, {} rows with 64 or more", self.full_lists),
            ),
            ("en passant", self.en_passant.to_string()),
        ];
        let plies = self.plies.map(|(first, last)| format!("{first} to {last}"));
        rows.extend(plies.map(|plies| ("plies", plies)));
        if others > 0 {
            rows.push(("no result at all", others.to_string()));
        }
        rows
    }

    fn json(&self) -> Value {
        let [draws, white, black, others] = self.results;
        json!({
            "rows": self.rows,
            "white_to_move": self.white,
            "results": { "white_won": white, "draw": draws, "black_won": black, "none": others },
            "legal_moves": self.legal_moves,
            "full_lists": self.full_lists,
            "en_passant": self.en_passant,
            "first_ply": self.plies.map(|plies| plies.0),
            "last_ply": self.plies.map(|plies| plies.1),
        })
    }
}
