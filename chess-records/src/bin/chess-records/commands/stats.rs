//! `stats`: what files are made of.

use std::path::PathBuf;

use chess_records::tool_support::Progress;
use clap::Args;

use crate::arguments::{InputOptions, LayoutOptions};
use crate::failure::Failure;
use crate::report::{Report, plot};
use crate::streams::{Sink, total_bytes};

/// Counts results, scores, men, phases and games of files taken together.
///
/// Scores are from White's side. The phase is 24 at the start and 0 in a pawn endgame (a knight or
/// bishop counts 1, a rook 2, a queen 4). In bullet and zdat files the side to move is White. "-" is standard input. Exits with 1 if a record is at fault.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records stats games.marlin
  chess-records stats a.marlin b.marlin --json
  chess-records stats games.viri
  chess-records stats games.marlin --plot games.svg")]
pub(crate) struct Stats {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw histograms into an SVG file as well
    #[arg(long, value_name = "SVG")]
    plot: Option<PathBuf>,
    /// Replace the plot if it exists
    #[arg(short, long)]
    force: bool,
}

impl Stats {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (format, inputs) = (self.input.format()?, &self.input.inputs);
        let layout = self.layout.of(format)?;
        let files = inputs.iter().filter(|path| !crate::streams::is_pipe(path));
        let plot_output = self
            .plot
            .as_ref()
            .map(|path| crate::streams::target(path, self.force));
        if let Some(output) = &plot_output {
            output.check(files.map(PathBuf::as_path))?;
        }
        let progress = Progress::of_bytes(total_bytes(inputs));
        let mut report = Report::new(format);
        for path in inputs {
            report.add_file(path, layout, &progress)?;
        }
        drop(progress);
        if let Some(output) = plot_output {
            let mut sink = Sink::File(output.create([])?);
            plot::draw(&report.statistics, &mut sink)?;
            sink.finish()?;
        }
        report.print(self.json)
    }
}
