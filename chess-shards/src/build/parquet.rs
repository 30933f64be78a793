//! Games from Parquet files of UCI moves.

use std::fs::File;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::file::serialized_reader::SerializedFileReader;
use chess_records::{GameResult, UciMove};
use thiserror::Error;

use super::game::{Replay, legal_prefix};
use super::pgn::{LeftOut, result_of};
use super::source::check_list;

/// Why a Parquet file cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ParquetReadError {
    /// The file is damaged, or made in a way that is not known here.
    #[error("row group {row_group} cannot be read")]
    RowGroup {
        /// The number of the row group.
        row_group: usize,
        /// What the library said.
        source: ParquetError,
    },
    /// The file's end is damaged, or it is no Parquet file.
    #[error("not a parquet file, or its end is damaged")]
    Footer(#[source] ParquetError),
    /// There is no such column.
    #[error("there is no column {column}")]
    NoColumn {
        /// Its name.
        column: &'static str,
    },
    /// A column is of another type.
    #[error("column {column} is {found}, expected {expected} without repetition")]
    Type {
        /// Its name.
        column: &'static str,
        /// Its physical type.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// Columns are not of the same length.
    #[error("column {column} of row group {row_group} ends {missing} rows early")]
    Short {
        /// Its name.
        column: &'static str,
        /// The number of the row group.
        row_group: usize,
        /// How many rows there should be.
        missing: usize,
    },
}

/// A row, as it is.
pub(super) struct UciRow {
    /// `None` where the value is null.
    moves: Option<ByteArray>,
    result: Option<GameResult>,
    white_elo: Option<i32>,
    black_elo: Option<i32>,
}

impl UciRow {
    /// Whether the game counts.
    pub(super) fn check(&self, needs_elos: bool) -> Result<(), LeftOut> {
        if self.result.is_none() {
            return Err(LeftOut::Result);
        }
        let moves = self.moves.as_ref().ok_or(LeftOut::NoMove)?;
        check_list(
            words(moves.data()).count(),
            self.white_elo.zip(self.black_elo),
            needs_elos,
        )
    }

    /// The game of a row that counts.
    pub(super) fn replay(&self) -> Replay {
        let moves = self.moves.as_ref().map_or(&[][..], ByteArray::data);
        Replay {
            moves: legal_prefix(words(moves).map(|word| UciMove::from_ascii(word).ok())),
            plies: words(moves).count(),
            // A row without one does not count.
            result: self.result.unwrap_or(GameResult::Draw),
            white_elo: self.white_elo,
            black_elo: self.black_elo,
        }
    }
}

fn words(moves: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = moves.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// Reads rows, a row group after the other.
pub(super) struct UciRows {
    file: SerializedFileReader<File>,
    columns: [usize; 4],
    next_group: usize,
    group: Option<Group>,
}

const COLUMNS: [(&str, ::parquet::basic::Type); 4] = [
    ("uci", ::parquet::basic::Type::BYTE_ARRAY),
    ("result", ::parquet::basic::Type::BYTE_ARRAY),
    ("white_elo", ::parquet::basic::Type::INT32),
    ("black_elo", ::parquet::basic::Type::INT32),
];

/// The columns of a row group, as far as they were read.
struct Group {
    number: usize,
    rows_left: usize,
    uci: Column<ByteArrayType>,
    result: Column<ByteArrayType>,
    white_elo: Column<Int32Type>,
    black_elo: Column<Int32Type>,
}

struct Column<T: DataType> {
    name: &'static str,
    reader: ColumnReaderImpl<T>,
    /// The definition level of a value that is not null.
    defined: i16,
}

impl UciRows {
    pub(super) fn new(file: File) -> Result<Self, ParquetReadError> {
        let file = SerializedFileReader::new(file).map_err(ParquetReadError::Footer)?;
        let mut columns = [0; 4];
        for (index, (name, expected)) in columns.iter_mut().zip(COLUMNS) {
            *index = column(&file, name, expected)?;
        }
        Ok(Self {
            file,
            columns,
            next_group: 0,
            group: None,
        })
    }

    /// At most so many rows; `None` at the end.
    pub(super) fn next_rows(
        &mut self,
        most: usize,
    ) -> Result<Option<Vec<UciRow>>, ParquetReadError> {
        loop {
            if let Some(group) = self.group.as_mut().filter(|group| group.rows_left > 0) {
                return group.read(most).map(Some);
            }
            if self.next_group == self.file.num_row_groups() {
                return Ok(None);
            }
            let row_group = self.next_group;
            let open = |source| ParquetReadError::RowGroup { row_group, source };
            self.group = Some(self.open(row_group).map_err(open)?);
            self.next_group += 1;
        }
    }

    fn open(&self, number: usize) -> Result<Group, ParquetError> {
        let reader = self.file.get_row_group(number)?;
        let [uci, result, white_elo, black_elo] = self.columns;
        Ok(Group {
            number,
            rows_left: usize::try_from(reader.metadata().num_rows()).unwrap_or(0),
            uci: Column::open(&*reader, 0, uci)?,
            result: Column::open(&*reader, 1, result)?,
            white_elo: Column::open(&*reader, 2, white_elo)?,
            black_elo: Column::open(&*reader, 3, black_elo)?,
        })
    }
}

/// The number of a column, which must be of the expected type.
fn column(
    file: &SerializedFileReader<File>,
    name: &'static str,
    expected: ::parquet::basic::Type,
) -> Result<usize, ParquetReadError> {
    let schema = file.metadata().file_metadata().schema_descr();
    let found = schema
        .columns()
        .iter()
        .position(|column| column.path().string() == name);
    let index = found.ok_or(ParquetReadError::NoColumn { column: name })?;
    let column = schema.column(index);
    if column.physical_type() != expected || column.max_rep_level() != 0 {
        return Err(ParquetReadError::Type {
            column: name,
            found: column.physical_type().to_string(),
            expected: match expected {
                ::parquet::basic::Type::INT32 => "INT32",
                _ => "BYTE_ARRAY",
            },
        });
    }
    Ok(index)
}

impl Group {
    fn read(&mut self, most: usize) -> Result<Vec<UciRow>, ParquetReadError> {
        let rows = most.min(self.rows_left);
        let uci = self.uci.read(rows, self.number)?;
        let results = self.result.read(rows, self.number)?;
        let white = self.white_elo.read(rows, self.number)?;
        let black = self.black_elo.read(rows, self.number)?;
        self.rows_left -= rows;
        let elos = white.into_iter().zip(black);
        let rows = uci.into_iter().zip(results).zip(elos);
        let row = |((moves, result), (white, black)): ((_, Option<ByteArray>), (_, _))| UciRow {
            moves,
            result: result.and_then(|result| result_of(result.data())),
            white_elo: white,
            black_elo: black,
        };
        Ok(rows.map(row).collect())
    }
}

impl<T: DataType> Column<T> {
    fn open(group: &dyn RowGroupReader, name: usize, column: usize) -> Result<Self, ParquetError> {
        let reader: ColumnReader = group.get_column_reader(column)?;
        Ok(Self {
            name: COLUMNS[name].0,
            reader: get_typed_column_reader(reader),
            defined: group
                .metadata()
                .column(column)
                .column_descr()
                .max_def_level(),
        })
    }

    /// The next values, `None` where they are null.
    fn read(
        &mut self,
        rows: usize,
        row_group: usize,
    ) -> Result<Vec<Option<T::T>>, ParquetReadError> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let read = self
            .reader
            .read_records(rows, Some(&mut levels), None, &mut values);
        let error = |source| ParquetReadError::RowGroup { row_group, source };
        let (read, ..) = read.map_err(error)?;
        if read < rows {
            return Err(ParquetReadError::Short {
                column: self.name,
                row_group,
                missing: rows - read,
            });
        }
        if self.defined == 0 {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        let is_defined = |&level: &i16| level == self.defined;
        let value = |level| {
            if is_defined(level) {
                values.next()
            } else {
                None
            }
        };
        Ok(levels.iter().map(value).collect())
    }
}
