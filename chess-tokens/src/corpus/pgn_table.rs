//! PGN as a table with the columns of raw games.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::pgn::PgnText;
use datafusion::arrow::array::{
    ArrayRef, Date32Builder, Int16Builder, RecordBatch, StringViewBuilder,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;

use crate::source::{SourceError, pgn_blocks};

/// Batches that wait for who takes them.
const QUEUED_BATCHES: usize = 2;

/// The games of files of PGN (plain, `.zst` or in a zip), one after the other, as a table.
pub(super) fn pgn_table(files: Vec<PathBuf>, batch_rows: usize) -> Result<StreamingTable> {
    let schema = Arc::new(schema());
    let games = PgnFiles {
        files,
        batch_rows,
        schema: Arc::clone(&schema),
    };
    StreamingTable::try_new(schema, vec![Arc::new(games)])
}

fn schema() -> Schema {
    let text = |name| Field::new(name, DataType::Utf8View, true);
    let elo = |name| Field::new(name, DataType::Int16, true);
    Schema::new(vec![
        text("Event"),
        text("Site"),
        text("Result"),
        elo("WhiteElo"),
        elo("BlackElo"),
        Field::new("UTCDate", DataType::Date32, true),
        text("ECO"),
        text("Termination"),
        text("TimeControl"),
        text("movetext"),
    ])
}

#[derive(Debug)]
struct PgnFiles {
    files: Vec<PathBuf>,
    batch_rows: usize,
    schema: SchemaRef,
}

impl PartitionStream for PgnFiles {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder =
            RecordBatchReceiverStream::builder(Arc::clone(&self.schema), QUEUED_BATCHES);
        let send = builder.tx();
        let (files, batch_rows) = (self.files.clone(), self.batch_rows);
        let schema = Arc::clone(&self.schema);
        builder.spawn_blocking(move || {
            // An error: nobody takes any more.
            let send = |batch| send.blocking_send(Ok(batch)).map_err(|_| Stop::Done);
            let mut rows = GameRows::new(schema);
            let read = files.iter().try_for_each(|path| {
                read_file(path, |text| {
                    rows.push(text);
                    match rows.count < batch_rows {
                        true => Ok(()),
                        false => send(rows.take()?),
                    }
                })
            });
            match read.and_then(|()| send(rows.take()?)) {
                Ok(()) | Err(Stop::Done) => Ok(()),
                Err(Stop::Failed(error)) => Err(error),
            }
        });
        builder.build()
    }
}

/// Why reading ends early.
enum Stop {
    Done,
    Failed(DataFusionError),
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Failed(DataFusionError::External(Box::new(error)))
    }
}

impl From<ArrowError> for Stop {
    fn from(error: ArrowError) -> Self {
        Self::Failed(error.into())
    }
}

/// Hands on games until there are no more or something is in the way.
fn read_file(
    path: &Path,
    mut push: impl FnMut(&PgnText<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut pushed = Ok(());
    pgn_blocks(path, &mut |block| {
        pushed = block.games().try_for_each(|game| push(&game));
        match pushed {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    pushed
}

/// Rows of a batch.
struct GameRows {
    schema: SchemaRef,
    count: usize,
    /// Event, Site and Result.
    first: [StringViewBuilder; 3],
    elos: [Int16Builder; 2],
    dates: Date32Builder,
    /// ECO, Termination and TimeControl.
    last: [StringViewBuilder; 3],
    movetext: StringViewBuilder,
}

impl GameRows {
    fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            count: 0,
            first: Default::default(),
            elos: Default::default(),
            dates: Date32Builder::new(),
            last: Default::default(),
            movetext: StringViewBuilder::new(),
        }
    }

    fn push(&mut self, game: &PgnText<'_>) {
        let tags = game.tags();
        let movetext = String::from_utf8_lossy(game.movetext());
        let result = tags.get("Result").filter(|result| result != "*");
        let result = result
            .as_deref()
            .or_else(|| movetext.split_ascii_whitespace().last());
        let site = tags.get("Site").unwrap_or("?".into());
        let values = [tags.get("Event").as_deref(), Some(&site), result]
            .map(|value| value.map(str::to_owned));
        for (column, value) in self.first.iter_mut().zip(values) {
            column.append_option(value);
        }
        for (column, name) in self.elos.iter_mut().zip(["WhiteElo", "BlackElo"]) {
            column.append_option(tags.get(name).and_then(|elo| elo.trim().parse().ok()));
        }
        let day = |name| tags.get(name).and_then(|date| day_of(&date));
        self.dates
            .append_option(day("UTCDate").or_else(|| day("Date")));
        for (column, name) in self
            .last
            .iter_mut()
            .zip(["ECO", "Termination", "TimeControl"])
        {
            column.append_option(tags.get(name));
        }
        // Moves of a game that is not the usual one are not legal in it.
        let variant = tags
            .get("Variant")
            .is_some_and(|variant| variant != "Standard");
        let usual = !variant && tags.get("FEN").is_none();
        self.movetext.append_option(usual.then_some(&*movetext));
        self.count += 1;
    }

    /// The rows, which begin anew.
    fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.count = 0;
        let [event, site, result] = &mut self.first;
        let [white, black] = &mut self.elos;
        let [eco, termination, time_control] = &mut self.last;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(event.finish()),
            Arc::new(site.finish()),
            Arc::new(result.finish()),
            Arc::new(white.finish()),
            Arc::new(black.finish()),
            Arc::new(self.dates.finish()),
            Arc::new(eco.finish()),
            Arc::new(termination.finish()),
            Arc::new(time_control.finish()),
            Arc::new(self.movetext.finish()),
        ];
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

/// The days from 1970-01-01 to a date like `2025.05.01` or `2025-05-01`; `None` for one that is not
/// known whole, like `1851.??.??`.
fn day_of(date: &str) -> Option<i32> {
    let bytes = date.as_bytes();
    let [_, _, _, _, b'.' | b'-', _, _, b'.' | b'-', _, _] = bytes else {
        return None;
    };
    let number = |range: std::ops::Range<usize>| {
        let digits = &bytes[range];
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| {
            digits
                .iter()
                .fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0'))
        })
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if year == 0 || day == 0 || day > days {
        return None;
    }
    // Years that begin in March end with the day that is not always there.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days_to_year =
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days_to_month = (153 * month + 2) / 5;
    Some(days_to_year + days_to_month + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        assert_eq!(day_of("1970.01.01"), Some(0));
        assert_eq!(day_of("1970-01-02"), Some(1));
        assert_eq!(day_of("1969.12.31"), Some(-1));
        assert_eq!(day_of("2000.02.29"), Some(11_016));
        assert_eq!(day_of("2025.05.01"), Some(20_209));
        assert_eq!(day_of("1851.06.21"), Some(-43_293));
        for unknown in [
            "",
            "????.??.??",
            "1851.??.??",
            "2025.02.29",
            "2025.13.01",
            "2025.5.1",
            "0000.01.01",
            "2025.05.00",
            "2025.05.01 ",
            "20250501",
        ] {
            assert_eq!(day_of(unknown), None, "{unknown}");
        }
    }
}
