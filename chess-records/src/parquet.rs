//! Games from Parquet files of UCI moves.
//!
//! A row is a game, and four columns are looked at:
//!
//! | column | physical type | what |
//! |---|---|---|
//! | `uci` | `BYTE_ARRAY` | the moves as UCI has them, apart by white space |
//! | `result` | `BYTE_ARRAY` | `1-0`, `0-1` or `1/2-1/2` |
//! | `white_elo`, `black_elo` | `INT32`, of any width | the ratings |
//!
//! Any value may be null. Others, such as `game_id` and `month`, may be there and are not read.

use core::fmt;
use std::fs::File;
use std::string::{String, ToString};
use std::vec::Vec;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::file::serialized_reader::SerializedFileReader;
use thiserror::Error;

use crate::{Game, GameResult, LeftOut, UciMove};

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
#[derive(Clone, Debug)]
pub struct UciRow {
    /// `None` where the value is null.
    moves: Option<ByteArray>,
    result: Option<GameResult>,
    white_elo: Option<i32>,
    black_elo: Option<i32>,
}

impl UciRow {
    /// The words of the list of moves, none where it is null. Words need not be moves.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        let moves = self.moves.as_ref().map_or(&[][..], ByteArray::data);
        let words = moves.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty())
    }

    /// How the game ended. `None` for anything but the three results.
    #[must_use]
    pub const fn result(&self) -> Option<GameResult> {
        self.result
    }

    /// White's rating.
    #[must_use]
    pub const fn white_elo(&self) -> Option<i32> {
        self.white_elo
    }

    /// Black's rating.
    #[must_use]
    pub const fn black_elo(&self) -> Option<i32> {
        self.black_elo
    }

    /// Whether the row has what a game needs, whatever its words are.
    ///
    /// # Errors
    ///
    /// Why the game is left out: no result, no moves, or more of them than [`Game::MAX_PLIES`].
    pub fn check(&self) -> Result<(), LeftOut> {
        if self.result.is_none() {
            return Err(LeftOut::Result);
        }
        if self.moves.is_none() {
            return Err(LeftOut::NoMove);
        }
        match self.words().count() > Game::MAX_PLIES {
            true => Err(LeftOut::TooLong),
            false => Ok(()),
        }
    }

    /// The game. Whether its moves are legal is not looked at.
    ///
    /// # Errors
    ///
    /// Why the game is left out: as [`UciRow::check`], and where a word is no move.
    pub fn game(&self) -> Result<Game, LeftOut> {
        self.check()?;
        let moves = self.words().map(UciMove::from_ascii);
        let moves: Result<_, _> = moves.collect();
        Ok(Game {
            moves: moves.map_err(|_| LeftOut::NoMove)?,
            result: self.result.ok_or(LeftOut::Result)?,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
        })
    }
}

/// Reads rows, a row group after the other. Memory is that of a page of each column and of the rows that
/// are asked for at once.
pub struct UciRows {
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
    /// Reads the file's end, which tells where all else is.
    ///
    /// # Errors
    ///
    /// When the file is no Parquet file, or has not the four columns.
    pub fn new(file: File) -> Result<Self, ParquetReadError> {
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

    /// How many rows the file has, as its end says.
    #[must_use]
    pub fn len(&self) -> u64 {
        let rows = self.file.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most so many rows, at least one; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged. There is no reading on after an error.
    pub fn next_rows(&mut self, most: usize) -> Result<Option<Vec<UciRow>>, ParquetReadError> {
        let most = most.max(1);
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

impl fmt::Debug for UciRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UciRows")
            .field("rows", &self.len())
            .field("next_group", &self.next_group)
            .finish_non_exhaustive()
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
            result: result.and_then(|result| GameResult::from_pgn(result.data())),
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
