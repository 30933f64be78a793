//! `bench`: how fast this machine gathers rows.
#![allow(unsafe_code)] // Maps, whose files nobody may change.

use std::fmt;
use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chess_records::ops::Output;
use chess_records::tool_support::Progress;
use chess_records::{Dataset, Permutation};
use chess_shards::{
    FlatColumns, FlatDataset, FlatRecord, Regime, ShardError, ShardOptions, ShardSet, ShardSetError,
};
use clap::{Args, value_parser};
use serde_json::json;

use crate::failure::Failure;
use crate::plot;
use crate::report::{columns, note, print};
use crate::threads::{MAX_THREADS, processors};

/// Measures how fast random rows of a set are gathered on this machine: from maps as if all were in
/// memory (cached), from maps without read-ahead (cold), and by one read a row (pread).
///
/// Every way must first give the rows that plain reading gives. Times are of batches of random rows,
/// all of them different until the set is through, the best of three. Rows come from the page cache
/// where the system has them there, whatever the way is called: the first line says how it was before.
/// Nobody may change the shards meanwhile. Shards must be plain: see `chess-shards unpack`.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards bench shards
  chess-shards bench shards --svg rates.svg --time 1000 --threads 8")]
pub(crate) struct Bench {
    /// The folder of a set
    #[arg(value_name = "DIR")]
    input: PathBuf,
    /// Draw the rates as SVG, too
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    /// The sizes of batches
    #[arg(long, value_name = "ROWS", value_delimiter = ',', default_values_t = [64, 512, 4096, 16384])]
    batch: Vec<usize>,
    /// The most threads; powers of two up to it are tried [default: one a processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
    /// For how long each way is measured, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300)]
    time: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Replace the drawing if it exists
    #[arg(short, long)]
    force: bool,
}

/// What rows are gathered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Records,
    Columns,
}

/// A way to gather rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) regime: Regime,
    pub(crate) target: Target,
    pub(crate) threads: usize,
}

/// How fast a way is.
pub(crate) struct Rate {
    pub(crate) way: Way,
    pub(crate) batch: usize,
    pub(crate) rows_per_second: f64,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Records => "records",
            Self::Columns => "columns",
        })
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = match self.threads {
            1 => "1 thread".to_string(),
            threads => format!("{threads} threads"),
        };
        write!(f, "{} {}, {threads}", self.regime, self.target)
    }
}

const ROUNDS: u64 = 3;
/// How many rows each way must give as plain reading gives them.
const COMPARED: usize = 2048;
const LEFT: &str = "not everything was measured";

impl Bench {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.batch.contains(&0) {
            return Err(Failure::usage("--batch is 0, expected at least 1 row"));
        }
        let set = ShardSet::open(&self.input)?;
        let output = self.svg_output()?;
        let auto = self.open(&set, Regime::Auto, 1)?;
        if auto.is_empty() {
            return Err(Failure::data("the set has no rows"));
        }
        if cfg!(debug_assertions) {
            note("this is a debug build: a release build is many times faster")?;
        }
        note(&format!("{} rows; {}", auto.len(), auto.regime()))?;
        drop(auto);
        let rates = self.measure(&set)?;
        print(&if self.json {
            format!("{:#}\n", json(&rates))
        } else {
            table(&rates, &self.batch)
        })?;
        match output {
            Some(output) => {
                let mut file = output.create([])?;
                file.write_all(plot::draw(&rates)?.as_bytes())?;
                Ok(file.finish()?)
            }
            None => Ok(()),
        }
    }

    /// Told before anything is measured if it cannot be written.
    fn svg_output(&self) -> Result<Option<Output>, Failure> {
        let Some(path) = &self.svg else {
            return Ok(None);
        };
        let output = if self.force {
            Output::replacing(path)
        } else {
            Output::new(path)
        };
        output.check([])?;
        Ok(Some(output))
    }

    fn open(&self, set: &ShardSet, regime: Regime, threads: usize) -> Result<FlatDataset, Failure> {
        let options = ShardOptions::new().threads(threads);
        // SAFETY: the tool does not write to shards, and its help asks that nobody else does while
        // it runs.
        let opened: Result<_, ShardSetError> = unsafe { set.map_all(&options, regime) };
        match opened {
            Err(ShardSetError::Shard(ShardError::Compressed { path })) => {
                Err(Failure::usage(format!(
                    "{}: is compressed; `chess-shards unpack` makes plain shards",
                    path.display()
                )))
            }
            opened => Ok(opened?),
        }
    }

    fn measure(&self, set: &ShardSet) -> Result<Vec<Rate>, Failure> {
        let ways = self.ways();
        let all = (ways.len() * self.batch.len()) as u64;
        let progress = Progress::new("measurements", Some(all));
        let mut rates = Vec::new();
        for way in ways {
            let rows = self.open(set, way.regime, way.threads)?;
            let mut gather = Gather::new(&rows, way.target);
            gather.check(set)?;
            for &batch in &self.batch {
                rates.push(Rate {
                    way,
                    batch,
                    rows_per_second: self.rate(&mut gather, batch)?,
                });
                progress.add(1);
            }
        }
        Ok(rates)
    }

    fn ways(&self) -> Vec<Way> {
        let most = self.threads.map_or_else(processors, usize::from);
        let counts = (0..).map(|power| 1 << power);
        let counts: Vec<usize> = counts.take_while(|&threads| threads <= most).collect();
        let mut ways = Vec::new();
        for regime in [Regime::Cached, Regime::Cold, Regime::Pread] {
            for target in [Target::Records, Target::Columns] {
                ways.extend(counts.iter().map(|&threads| Way {
                    regime,
                    target,
                    threads,
                }));
            }
        }
        ways
    }

    fn rate(&self, gather: &mut Gather<'_>, batch: usize) -> Result<f64, Failure> {
        let round = Duration::from_millis(self.time) / ROUNDS as u32;
        let mut best = 0.0_f64;
        for _ in 0..ROUNDS {
            Failure::if_interrupted(LEFT)?;
            best = best.max(gather.round(batch, round)?);
        }
        Ok(best)
    }
}

/// Gathers random rows, going on where it was.
struct Gather<'a> {
    rows: &'a FlatDataset,
    target: Target,
    order: Permutation,
    next: u64,
    records: Vec<FlatRecord>,
    columns: FlatColumns,
}

impl<'a> Gather<'a> {
    fn new(rows: &'a FlatDataset, target: Target) -> Self {
        Self {
            rows,
            target,
            order: Permutation::new(rows.len(), 1),
            next: 0,
            records: Vec::new(),
            columns: FlatColumns::default(),
        }
    }

    /// The next so many rows; from the start again after the last.
    fn picks(&mut self, count: usize) -> Vec<u64> {
        let mut picks = Vec::with_capacity(count);
        while picks.len() < count {
            let missing = count - picks.len();
            picks.extend(self.order.iter_from(self.next).take(missing));
            self.next = (self.next + missing as u64) % self.rows.len();
        }
        picks
    }

    fn gather(&mut self, picks: &[u64]) -> Result<(), Failure> {
        match self.target {
            Target::Records => self.rows.gather(picks, &mut self.records)?,
            Target::Columns => self.rows.gather_columns(picks, &mut self.columns)?,
        }
        Ok(())
    }

    /// Whether rows are those that plain reading gives.
    fn check(&mut self, set: &ShardSet) -> Result<(), Failure> {
        let picks = self.picks(COMPARED);
        let (plain, mut expected) = (set.all(&ShardOptions::new())?, Vec::new());
        plain.gather(&picks, &mut expected)?;
        self.gather(&picks)?;
        for (slot, expected) in expected.iter().enumerate() {
            let is_same = match self.target {
                Target::Records => self.records[slot] == *expected,
                Target::Columns => self.columns.fields(slot) == expected.fields(),
            };
            if !is_same {
                let index = picks[slot];
                return Err(Failure::data(format!(
                    "row {index} is not gathered as it is read, nothing was measured"
                )));
            }
        }
        Ok(())
    }

    /// Rows per second, for about so long.
    fn round(&mut self, batch: usize, time: Duration) -> Result<f64, Failure> {
        let (mut rows, mut spent) = (0, Duration::ZERO);
        while spent < time {
            let batches: Vec<_> = (0..8).map(|_| self.picks(batch)).collect();
            let start = Instant::now();
            for picks in &batches {
                self.gather(picks)?;
                black_box((&self.records, &self.columns));
            }
            spent += start.elapsed();
            rows += 8 * batch;
        }
        Ok(rows as f64 / spent.as_secs_f64())
    }
}

/// Rows per second, a line for each way and a column for each size of batch.
fn table(rates: &[Rate], batches: &[usize]) -> String {
    let sizes: Vec<_> = batches
        .iter()
        .map(|batch| format!("batch {batch}"))
        .collect();
    let mut names = vec!["rows per second", "into", "threads"];
    names.extend(sizes.iter().map(String::as_str));
    let lines = rates.chunk_by(|one, other| one.way == other.way);
    let line = |of_way: &[Rate]| {
        let way = of_way[0].way;
        let mut cells = vec![
            way.regime.to_string(),
            way.target.to_string(),
            way.threads.to_string(),
        ];
        cells.extend(
            of_way
                .iter()
                .map(|rate| format!("{:.0}", rate.rows_per_second)),
        );
        cells
    };
    columns(&names, &lines.map(line).collect::<Vec<_>>())
}

fn json(rates: &[Rate]) -> serde_json::Value {
    let rate = |rate: &Rate| {
        json!({
            "regime": rate.way.regime.to_string(),
            "into": rate.way.target.to_string(),
            "threads": rate.way.threads,
            "batch": rate.batch,
            "rows_per_second": rate.rows_per_second.round(),
        })
    };
    rates.iter().map(rate).collect()
}
