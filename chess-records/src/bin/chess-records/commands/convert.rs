//! `convert`: from one format to another.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::progress::Progress;
use crate::report::note;
use crate::streams::{Named, Placed, Sink, Source, total_bytes};
use crate::units::{Loss, Unit, losses};

/// Writes a file in another format.
///
/// A record of which something would be lost (a best move, an extra byte, that a move number is
/// unknown) ends the conversion, saying what, unless --lossy is given; then what was lost is counted.
/// "-" is standard input or output.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin (.marlin), marlin-move, text (.txt).

Examples:
  chess-records convert games.marlin games.txt
  chess-records convert games.txt games.marlin --force
  chess-records convert - - --from marlin --to text < games.marlin | head
  chess-records convert moves.bin games.marlin --from marlin-move --lossy")]
pub(crate) struct Convert {
    /// The file to read
    input: PathBuf,
    /// The file to write
    output: PathBuf,
    /// The input's format, if its extension does not tell
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// The output's format, if its extension does not tell
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Convert even what cannot be kept whole
    #[arg(long)]
    lossy: bool,
    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,
}

impl Convert {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let from = Format::of(&self.input, self.from, "--from")?;
        let to = Format::of(&self.output, self.to, "--to")?;
        with_unit!(from, A => with_unit!(to, B => self.convert::<A, B>(to)))
    }

    fn convert<A: Unit, B: Unit>(&self, to: Format) -> Result<(), Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let mut sink = Sink::at(&self.output, self.force, to, inputs)?;
        let progress = Progress::new(total_bytes(inputs));
        let mut lost = BTreeMap::new();
        let records = Source::open(&self.input, &progress)?.decoded::<A>();
        for (index, decoded) in (0..).zip(records) {
            let converted: B = self.convert_one::<A, B>(index, &decoded?, &mut lost)?;
            sink.put(&converted)?;
        }
        sink.finish()?;
        drop(progress);
        for (loss, records) in lost {
            note(&format!(
                "{} was lost of {records} records",
                Loss::name(loss)
            ))?;
        }
        Ok(())
    }

    fn convert_one<A: Unit, B: Unit>(
        &self,
        index: u64,
        (record, labelled): &(A, chess_records::LabelledPosition),
        lost: &mut BTreeMap<Loss, u64>,
    ) -> Result<B, Failure> {
        let at = |error: Box<dyn std::error::Error>| {
            Failure::data(Named::of(&self.input, Placed::of::<A>(index, error)))
        };
        let extras = record.extras();
        let converted = B::convert(labelled, extras).map_err(|error| at(error.into()))?;
        let back = converted.decode().map_err(|error| at(error.into()))?;
        for loss in losses((labelled, extras), (&back, converted.extras())) {
            if !self.lossy {
                let name = loss.name();
                return Err(at(format!(
                    "{name} would be lost; --lossy converts all the same"
                )
                .into()));
            }
            *lost.entry(loss).or_default() += 1;
        }
        Ok(converted)
    }
}
