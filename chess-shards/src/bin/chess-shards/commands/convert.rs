//! `convert`: to marlinformat.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use chess_records::ops::Output;
use chess_records::tool_support::Progress;
use chess_records::{AtomicFile, Dataset};
use chess_shards::{FlatDataset, MarlinLoss};
use clap::Args;

use crate::failure::Failure;
use crate::report::{note, print};
use crate::shards::{Part, Shards, Split};

/// Converts a set or a shard to marlinformat, which loses the moves and makes up a score.
///
/// A row has no score, which marlinformat must have: --score, from White's side, is written for each,
/// so that nothing but the result can be learned from it. What is lost is told first, and nothing is
/// written without --lossy. Rows come in the order of meta.json.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards convert shards all.marlin --lossy
  chess-shards convert shards val.marlin --split val --lossy")]
pub(crate) struct Convert {
    /// The folder of a set, or a shard
    #[arg(value_name = "DIR|FILE")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT.marlin")]
    output: PathBuf,
    /// Convert though that loses something
    #[arg(long)]
    lossy: bool,
    /// The score to write for each row, in centipawns from White's side
    #[arg(
        long,
        value_name = "CP",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    score: i16,
    /// Only this split of the set
    #[arg(long)]
    split: Option<Split>,
    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,
}

impl Convert {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let shards = Shards::open(&self.input)?;
        let parts = shards.parts(self.split)?;
        if !self.lossy {
            let loss = MarlinLoss::ALL;
            return Err(Failure::usage(format!(
                "{loss}; --lossy converts all the same"
            )));
        }
        note(&MarlinLoss::ALL.to_string())?;
        let mut file = BufWriter::with_capacity(1 << 20, self.create(&parts)?);
        let progress = Progress::new("rows", parts.iter().map(Part::rows).sum());
        let mut rows = 0;
        for part in parts {
            let shard = part.open()?;
            self.convert(&shard, &mut file, &progress)?;
            rows += shard.len();
        }
        drop(progress);
        let file = file.into_inner().map_err(|error| error.into_error())?;
        file.finish()?;
        print(&format!("{rows} records\n"))
    }

    fn create(&self, parts: &[Part<'_>]) -> Result<AtomicFile, Failure> {
        let output = if self.force {
            Output::replacing(&self.output)
        } else {
            Output::new(&self.output)
        };
        let inputs: Vec<_> = parts.iter().map(Part::path).collect();
        Ok(output.create(inputs.iter().map(PathBuf::as_path))?)
    }

    fn convert(
        &self,
        rows: &FlatDataset,
        file: &mut impl Write,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let mut batch = Vec::new();
        for block in 0..rows.block_count() {
            Failure::if_interrupted("the output is as it was")?;
            let indices: Vec<_> = rows.block(block).collect();
            rows.gather(&indices, &mut batch)?;
            for (row, &index) in batch.iter().zip(&indices) {
                let converted = row.to_marlin_lossy(self.score);
                let record = converted.map_err(|error| at(rows, index, error))?;
                file.write_all(record.as_bytes())?;
            }
            progress.add(indices.len() as u64);
        }
        Ok(())
    }
}

fn at(rows: &FlatDataset, index: u64, error: impl std::fmt::Display) -> Failure {
    let place = rows.locate(index);
    let place = place.map(|(path, row)| format!("{}: row {row}", path.display()));
    Failure::data(format!("{}: {error}", place.unwrap_or_default()))
}
