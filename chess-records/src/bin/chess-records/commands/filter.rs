//! `filter`: some of the records.

use clap::{Args, ValueEnum};
use std::ops::RangeInclusive;

use chess_records::GameResult;
use chess_records::ops::{self, StreamRecord};

use crate::arguments::{InputOptions, OutputOptions, range};
use crate::failure::Failure;
use crate::format::with_unit;
use crate::report::note;
use crate::resume::Start;
use crate::streams::{Sink, Source};

/// Writes the records that fulfil every condition given.
///
/// Ranges are LOW..HIGH with both ends in them; either end may be left out. A record that does not
/// tell (such as one without a move number, asked for its move) is not written. In bullet files the
/// side to move is White. "-" is standard input or output.
///
/// After an interruption, the same command goes on where it was; between pipes it cannot.
#[derive(Args)]
#[command(after_long_help = "\
Formats: all but viri and zdat; convert expands the games of viri with filters of its own.

Examples:
  chess-records filter games.marlin -o quiet.marlin --score -1000..1000 --no-check --ply 16..
  chess-records filter games.marlin -o - --men ..7 | chess-records stats - --format marlin")]
pub(crate) struct Filter {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Scores in centipawns from White's side
    #[arg(long, value_name = "RANGE", value_parser = range::<i16>, allow_hyphen_values = true)]
    score: Option<RangeInclusive<i16>>,
    /// Number of men, kings among them
    #[arg(long, value_name = "RANGE", value_parser = range::<u32>)]
    men: Option<RangeInclusive<u32>>,
    /// Move numbers
    #[arg(long = "move", value_name = "RANGE", value_parser = range::<u16>)]
    fullmove_number: Option<RangeInclusive<u16>>,
    /// Plies since the start of the game, by the move number
    #[arg(long, value_name = "RANGE", value_parser = range::<u32>)]
    ply: Option<RangeInclusive<u32>>,
    /// Plies since the last capture or pawn move
    #[arg(long, value_name = "RANGE", value_parser = range::<u8>)]
    halfmove_clock: Option<RangeInclusive<u8>>,
    /// The result of the game
    #[arg(long)]
    result: Option<Outcome>,
    /// Only positions with the side to move in check
    #[arg(long, conflicts_with = "no_check")]
    check: bool,
    /// Only positions with the side to move not in check
    #[arg(long)]
    no_check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Outcome {
    /// White won
    White,
    /// Nobody won
    Draw,
    /// Black won
    Black,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::White => Self::WhiteWon,
            Outcome::Draw => Self::Draw,
            Outcome::Black => Self::BlackWon,
        }
    }
}

impl Filter {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        with_unit!(self.input.format()?, U => self.copy::<U>())
    }

    fn conditions(&self) -> ops::Filter {
        let mut filter = ops::Filter::default();
        filter.score_cp = self.score.clone();
        filter.men = self.men.clone();
        filter.fullmove_number = self.fullmove_number.clone();
        filter.ply = self.ply.clone();
        filter.halfmove_clock = self.halfmove_clock.clone();
        filter.result = self.result.map(GameResult::from);
        filter.in_check = (self.check || self.no_check).then_some(self.check);
        filter
    }

    fn copy<U: StreamRecord>(&self) -> Result<(), Failure> {
        let (inputs, filter) = (&self.input.inputs, self.conditions());
        let mut sink = Sink::create(&self.output, self.input.format()?, inputs)?;
        let start = sink.start("record")?;
        let progress = start.progress(inputs);
        let (mut read, mut kept) = (start.count(0), start.count(1));
        for (file, path) in inputs.iter().enumerate().skip(start.file) {
            let within = start.within(file);
            let source = Source::open_from::<U>(path, within, &progress)?;
            let cursor = source.cursor();
            for (number, decoded) in (within.0..).zip(source.decoded::<U>()) {
                let (record, labelled) = decoded?;
                read += 1;
                if filter.keeps(&labelled) {
                    sink.put(&record)?;
                    kept += 1;
                }
                sink.note_if_due(|| Start {
                    file,
                    number: number + 1,
                    byte: cursor.get(),
                    counts: vec![read, kept],
                })?;
            }
        }
        sink.finish()?;
        drop(progress);
        note(&format!("{kept} of {read} records kept"))
    }
}
