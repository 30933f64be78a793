//! `convert`: from one format to another.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use chess_records::tool_support::Progress;
use chess_records::zdat::Layout;
use chess_records::{CornerBishops, Field, Fields, LabelledPosition, Loss, ViriFilter};

use crate::arguments::LayoutOptions;
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::games::{self, Games, PositionOptions};
use crate::report::note;
use crate::resume::Start;
use crate::streams::{Named, Place, Placed, Sink, Source, total_bytes};
use crate::units::{Extras, Unit, lost, name};
use crate::zdat::{self, Opened};

/// Writes a file in another format.
///
/// A format that has no place for something (castling rights, a policy, which positions make a game)
/// is written only with --lossy; without, the command says what would go. So it is with a record of
/// which something else would be lost, such as an extra byte. What was lost is counted at the end.
/// "-" is standard input or output.
///
/// After an interruption, the same command goes on where it was; between pipes it cannot.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin (.marlin), marlin-move, bullet (.bullet), text (.txt), from each to each; and from
viri (.viri) and zdat (.zdat) to these. No format but viri has the moves of its games, and none but
zdat a policy, so that nothing is converted to them.

Positions of bullet and zdat files are seen from the side to move, which is White in what is made of
them.

Examples:
  chess-records convert games.marlin games.txt
  chess-records convert games.txt games.marlin --force
  chess-records convert - - --from marlin --to text < games.marlin | head
  chess-records convert moves.bin games.marlin --from marlin-move --lossy
  chess-records convert games.marlin games.bullet --lossy
  chess-records convert games.viri games.marlin --lossy --quiet --min-ply 16
  chess-records convert train_1.zdat train_1.bullet --lossy --score-scale 100")]
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
    /// Centipawns for a score of 1 in a .zdat file, whose scores have no unit
    #[arg(long, value_name = "CENTIPAWNS", value_parser = scale, allow_negative_numbers = true)]
    score_scale: Option<f64>,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    positions: PositionOptions,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if scale > 0.0 && f64::is_finite(scale) => Ok(scale),
        _ => Err(format!("{text} is no scale, expected a number over 0")),
    }
}

/// What is converted, and how.
enum From {
    Records(Format),
    Games(ViriFilter),
    Zdat { scale: f64, layout: Option<Layout> },
}

/// A position to be converted.
struct Found {
    place: Place,
    labelled: LabelledPosition,
    extras: Extras,
    after: After,
}

/// Where to go on after a position: how many records or games are done, the byte after them, and
/// how many plies of the next game.
#[derive(Clone, Copy)]
struct After {
    number: u64,
    byte: u64,
    ply: u64,
}

impl From {
    const fn unit(&self) -> &'static str {
        match self {
            Self::Games(_) => "game",
            Self::Records(_) | Self::Zdat { .. } => "record",
        }
    }
}

impl Convert {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = Format::of_input(&self.input, self.from, "--from")?;
        let to = Format::of(&self.output, self.to, "--to")?;
        refuse_target(format, to)?;
        let from = self.from(format)?;
        let loss = format.library().loss_into(to.library());
        self.refuse_loss(loss)?;
        with_unit!(to, B => self.convert::<B>(&from, to, loss))
    }

    fn from(&self, format: Format) -> Result<From, Failure> {
        let layout = self.layout.of(format)?;
        let filter = self.positions.of(format)?;
        match (format, self.score_scale) {
            (Format::Zdat, Some(scale)) => Ok(From::Zdat { scale, layout }),
            (Format::Zdat, None) => Err(Failure::usage(
                "scores of zdat have no unit, give --score-scale: how many centipawns 1 is",
            )),
            (_, Some(_)) => Err(Failure::usage("--score-scale is for zdat files alone")),
            (Format::Viri, None) => Ok(From::Games(filter)),
            (format, None) => Ok(From::Records(format)),
        }
    }

    /// Refuses what formats lose of every record. Extra bytes are often not used: whether they are
    /// lost is told record by record.
    fn refuse_loss(&self, loss: Loss) -> Result<(), Failure> {
        const EXTRA: Fields = Fields::of(&[Field::Extra, Field::MoreExtra]);
        if self.lossy || loss.fields().without(EXTRA).is_empty() {
            return Ok(());
        }
        let text = format!("{loss}; --lossy converts all the same");
        Err(Failure::usage(text))
    }

    fn convert<B: Unit>(&self, from: &From, to: Format, loss: Loss) -> Result<(), Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let mut sink = Sink::at(&self.output, self.force, to, inputs)?;
        let start = sink.start(from.unit())?;
        let mut counted = Counted::of(&start);
        self.each(from, &start, &mut |found| {
            let converted = self.convert_one::<B>(&found, loss, &mut counted)?;
            sink.put(&converted)?;
            sink.note_if_due(|| counted.at(found.after))
        })?;
        sink.finish()?;
        counted.say()
    }

    /// Hands every position of the input to `each`.
    fn each(
        &self,
        from: &From,
        start: &Start,
        each: &mut dyn FnMut(Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match *from {
            From::Records(format) => with_unit!(format, A => self.each_record::<A>(start, each)),
            From::Games(filter) => self.each_of_games(filter, start, each),
            From::Zdat { scale, layout } => self.each_of_zdat(scale, layout, start, each),
        }
    }

    fn progress(&self) -> Progress {
        Progress::of_bytes(total_bytes(std::slice::from_ref(&self.input)))
    }

    fn each_record<A: Unit>(
        &self,
        start: &Start,
        each: &mut dyn FnMut(Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let progress = self.progress();
        let source = Source::open_from::<A>(&self.input, start.within(0), &progress)?;
        let cursor = source.cursor();
        for (index, decoded) in (start.number..).zip(source.decoded::<A>()) {
            let (record, labelled) = decoded?;
            each(Found {
                place: Place::record::<A>(index),
                labelled,
                extras: record.extras(),
                after: After {
                    number: index + 1,
                    byte: cursor.get(),
                    ply: 0,
                },
            })?;
        }
        Ok(())
    }

    fn each_of_games(
        &self,
        filter: ViriFilter,
        start: &Start,
        each: &mut dyn FnMut(Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let progress = self.progress();
        let mut games = Games::open_from(&self.input, start.within(0), &progress)?;
        loop {
            let (number, byte) = games.place();
            let Some(game) = games.next()? else {
                return Ok(());
            };
            for here in game.positions() {
                let here = here.map_err(|fault| games::fault(&self.input, fault))?;
                let is_done = number == start.number && here.ply < start.count(Counted::PLY);
                if is_done || !filter.keeps(&here) {
                    continue;
                }
                let ply = here.ply + 1;
                each(Found {
                    place: Place::Ply {
                        game: game.number(),
                        ply: here.ply,
                    },
                    labelled: here.labelled,
                    extras: Extras {
                        best_move: Some(here.played.to_bits()),
                        ..Extras::byte(game.start().extra())
                    },
                    after: After { number, byte, ply },
                })?;
            }
        }
    }

    fn each_of_zdat(
        &self,
        scale: f64,
        layout: Option<Layout>,
        start: &Start,
        each: &mut dyn FnMut(Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let opened = Opened::open(&self.input, layout)?;
        opened.say()?;
        let layout = opened.needed_rows()?;
        opened.each_from(start.number, |found| {
            let found = found.map_err(|fault| opened.failure(fault))?;
            let decoded = found.record.decode(layout);
            let decoded =
                decoded.map_err(|error| opened.failure(opened.record_fault(&found, error)))?;
            let place = Place::Record {
                index: found.index,
                byte: None,
            };
            let score_cp =
                centipawns(decoded.score, scale).map_err(|text| self.at(place, text.into()))?;
            each(Found {
                place,
                labelled: zdat::labelled(&decoded, Some(score_cp)),
                extras: Extras::default(),
                after: After {
                    number: found.index + 1,
                    byte: 0,
                    ply: 0,
                },
            })
        })
    }

    fn at(&self, place: Place, error: Box<dyn std::error::Error>) -> Failure {
        Failure::data(Named::of(&self.input, Placed::of(place, error)))
    }

    fn convert_one<B: Unit>(
        &self,
        found: &Found,
        loss: Loss,
        counted: &mut Counted,
    ) -> Result<B, Failure> {
        let Found {
            place,
            labelled,
            extras,
            ..
        } = found;
        let at = |error| self.at(*place, error);
        let converted = B::convert(labelled, *extras).map_err(|error| at(error.into()))?;
        let back = converted.decode().map_err(|error| at(error.into()))?;
        counted.corner_bishops.add(labelled);
        for field in lost((labelled, *extras), (&back, converted.extras()), loss) {
            if !self.lossy {
                let name = name(field);
                let text = format!("{name} would be lost; --lossy converts all the same");
                return Err(at(text.into()));
            }
            *counted.lost.entry(field).or_default() += 1;
        }
        Ok(converted)
    }
}

/// Refuses formats that nothing is converted to.
fn refuse_target(from: Format, to: Format) -> Result<(), Failure> {
    let name = from.name();
    match to {
        Format::Viri | Format::Zdat if from == to => Err(Failure::usage(format!(
            "the input is {name} already, there is nothing to convert"
        ))),
        Format::Viri => Err(Failure::usage(format!(
            "viri holds the moves of whole games, which {name} does not have"
        ))),
        Format::Zdat => Err(Failure::usage(format!(
            "zdat holds a policy and evaluations, which {name} does not have"
        ))),
        _ => Ok(()),
    }
}

fn centipawns(score: f32, scale: f64) -> Result<i16, String> {
    let score_cp = (f64::from(score) * scale).round();
    if (f64::from(i16::MIN)..=f64::from(i16::MAX)).contains(&score_cp) {
        Ok(score_cp as i16)
    } else {
        Err(format!(
            "the score {score} makes {score_cp} centipawns, expected -32768 to 32767"
        ))
    }
}

/// What a conversion has seen.
#[derive(Default)]
struct Counted {
    lost: BTreeMap<Field, u64>,
    corner_bishops: CornerBishops,
}

impl Counted {
    /// Where the number of plies stands among the counts of a [`Start`]; then come the fields' and
    /// those of early positions.
    const PLY: usize = 0;

    fn of(start: &Start) -> Self {
        let lost = (Self::PLY + 1..).zip(Field::ALL);
        let lost = lost.map(|(index, field)| (field, start.count(index)));
        let early = Self::PLY + 1 + Field::COUNT;
        Self {
            lost: lost.filter(|&(_, records)| records > 0).collect(),
            corner_bishops: CornerBishops::from_counts(start.count(early), start.count(early + 1)),
        }
    }

    fn at(&self, After { number, byte, ply }: After) -> Start {
        let lost = |field| self.lost.get(&field).copied().unwrap_or(0);
        let corners = self.corner_bishops;
        let counts = [ply].into_iter().chain(Field::ALL.map(lost));
        Start {
            file: 0,
            number,
            byte,
            counts: counts
                .chain([corners.early(), corners.suspicious()])
                .collect(),
        }
    }

    fn say(&self) -> Result<(), Failure> {
        for (&field, records) in &self.lost {
            note(&format!("lost of {records} records: {}", name(field)))?;
        }
        if self.corner_bishops.looks_damaged() {
            note(&format!("WARNING: {}", self.corner_bishops))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_survive_an_interruption() {
        let mut counted = Counted::default();
        counted.lost.insert(Field::Castling, 5);
        counted.lost.insert(Field::PliesToGo, 7);
        counted.corner_bishops = CornerBishops::from_counts(30, 4);
        let after = After {
            number: 3,
            byte: 96,
            ply: 8,
        };
        let start = counted.at(after);
        assert_eq!((start.number, start.byte), (3, 96));
        assert_eq!(start.count(Counted::PLY), 8);
        let again = Counted::of(&start);
        assert_eq!(again.lost, counted.lost);
        assert_eq!(again.corner_bishops, counted.corner_bishops);
    }

    #[test]
    fn scores_are_scaled_and_rounded() {
        assert_eq!(centipawns(-0.5, 301.0), Ok(-151));
        assert_eq!(centipawns(1.0, 32767.0), Ok(32767));
        assert_eq!(
            centipawns(1.0, 1e6).unwrap_err(),
            "the score 1 makes 1000000 centipawns, expected -32768 to 32767"
        );
        assert!(centipawns(f32::NAN, 1.0).is_err());
    }
}
