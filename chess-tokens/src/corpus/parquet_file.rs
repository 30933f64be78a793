//! Parquet files as stages write them: whole or not at all, and the same bytes for the same rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::{AtomicFile, AtomicFileError};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::{BatchCoalescer, cast};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::schema::types::ColumnPath;
use thiserror::Error;

/// Rows that are encoded together. Pages end where such a batch does, so that the bytes would depend on
/// how rows come in if they were not put together anew.
const BATCH_ROWS: usize = 8192;
/// Rows of a row group, if they do not take too much memory.
const GROUP_ROWS: usize = 1 << 17;
/// Encoded bytes at which a row group ends.
const GROUP_BYTES: usize = 256 << 20;
/// Columns in which hardly a value is there twice.
const DISTINCT: [&str; 5] = ["game_id", "uci", "movetext", "Site", "site"];

/// Why a Parquet file cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ParquetWriteError {
    /// The system does not let it take its place.
    #[error("a file cannot be put in place")]
    File(#[from] AtomicFileError),
    /// Rows cannot be written: the disk may be full.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the library said.
        source: ParquetError,
    },
    /// Rows do not fit the columns.
    #[error("{}: has other columns than the rows", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// What the library said.
        source: ArrowError,
    },
}

/// Writes rows to a file that takes its place at the end.
pub(super) struct ParquetFile {
    path: PathBuf,
    writer: ArrowWriter<AtomicFile>,
    /// The columns as they are in memory until they are written.
    coalescer: BatchCoalescer,
    rows: u64,
}

impl ParquetFile {
    /// Begins a file with these columns; texts in any form become plain ones.
    pub(super) fn create(path: &Path, columns: &Schema) -> Result<Self, ParquetWriteError> {
        let file = AtomicFile::create(path)?;
        let schema = Arc::new(plain(columns));
        let in_memory = Arc::new(viewed(columns));
        let writer = ArrowWriter::try_new(file, schema, Some(properties()));
        Ok(Self {
            path: path.to_path_buf(),
            writer: writer.map_err(|source| write_error(path, source))?,
            coalescer: BatchCoalescer::new(in_memory, BATCH_ROWS)
                // Large batches would be passed on as they are.
                .with_biggest_coalesce_batch_size(None),
            rows: 0,
        })
    }

    /// Adds rows, whose columns are cast to those of the file.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetWriteError> {
        let pushed = cast_to(batch, &self.coalescer.schema())
            .and_then(|batch| self.coalescer.push_batch(batch));
        pushed.map_err(|source| self.rows_error(source))?;
        self.rows += batch.num_rows() as u64;
        self.pass_on()
    }

    fn pass_on(&mut self) -> Result<(), ParquetWriteError> {
        while let Some(batch) = self.coalescer.next_completed_batch() {
            let written = self.writer.write(&batch);
            written.map_err(|source| write_error(&self.path, source))?;
        }
        Ok(())
    }

    /// Puts the file in its place, and tells how many rows it has.
    pub(super) fn finish(mut self) -> Result<u64, ParquetWriteError> {
        let rest = self.coalescer.finish_buffered_batch();
        rest.map_err(|source| self.rows_error(source))?;
        self.pass_on()?;
        let file = self.writer.into_inner();
        let file = file.map_err(|source| write_error(&self.path, source))?;
        file.finish()?;
        Ok(self.rows)
    }

    fn rows_error(&self, source: ArrowError) -> ParquetWriteError {
        let path = self.path.clone();
        ParquetWriteError::Rows { path, source }
    }
}

fn write_error(path: &Path, source: ParquetError) -> ParquetWriteError {
    let path = path.to_path_buf();
    ParquetWriteError::Write { path, source }
}

fn properties() -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("chess-tokens ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES));
    for column in DISTINCT {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    builder.build()
}

/// The columns with texts as other programs expect them.
fn plain(columns: &Schema) -> Schema {
    with_types(columns, |of| match of {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        other => other.clone(),
    })
}

/// The columns with texts in the form whose batches have no limit of size.
fn viewed(columns: &Schema) -> Schema {
    with_types(columns, |of| match of {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        other => other.clone(),
    })
}

fn with_types(columns: &Schema, of: impl Fn(&DataType) -> DataType) -> Schema {
    let fields = columns.fields().iter();
    let field = |field: &Arc<Field>| {
        // What other programs have noted with the columns does not come along, and none is promised to
        // be without nulls.
        Field::new(field.name(), of(field.data_type()), true)
    };
    Schema::new(fields.map(field).collect::<Vec<_>>())
}

fn cast_to(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if batch.num_columns() != schema.fields().len() {
        let counts = format!(
            "{}, expected {}",
            batch.num_columns(),
            schema.fields().len()
        );
        return Err(ArrowError::SchemaError(format!(
            "number of columns {counts}"
        )));
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use datafusion::arrow::array::{Int64Array, StringArray, StringViewArray};

    use super::*;

    fn schema() -> Schema {
        let field = |name, of| Field::new(name, of, false);
        Schema::new(vec![
            field("game_id", DataType::Int64),
            field("uci", DataType::Utf8View),
        ])
    }

    fn rows(ids: std::ops::Range<i64>, views: bool) -> RecordBatch {
        let text = |id: i64| (id % 7 != 0).then(|| format!("e2e4 {id}"));
        let texts: Vec<_> = ids.clone().map(text).collect();
        let texts: datafusion::arrow::array::ArrayRef = if views {
            Arc::new(StringViewArray::from_iter(texts))
        } else {
            Arc::new(StringArray::from_iter(texts))
        };
        let ids = Arc::new(Int64Array::from_iter_values(ids));
        RecordBatch::try_from_iter([("game_id", ids as _), ("uci", texts)]).unwrap()
    }

    #[test]
    fn bytes_depend_on_rows_alone() {
        let folder = tempfile::tempdir().unwrap();
        let written = |step: usize, views| {
            let path = folder.path().join(format!("{step}-{views}.parquet"));
            let mut file = ParquetFile::create(&path, &schema()).unwrap();
            for start in (0..40_000).step_by(step) {
                let end = (start + step as i64).min(40_000);
                file.write(&rows(start..end, views)).unwrap();
            }
            assert!(!path.exists());
            assert_eq!(file.finish().unwrap(), 40_000);
            fs::read(path).unwrap()
        };
        let whole = written(40_000, false);
        for (step, views) in [(40_000, true), (8192, false), (1000, true), (8193, false)] {
            assert!(written(step, views) == whole, "{step} rows, {views}");
        }
    }

    #[test]
    fn what_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.parquet");
        let mut file = ParquetFile::create(&path, &schema()).unwrap();
        let batch = rows(0..3, true).project(&[0]).unwrap();
        let error = file.write(&batch).unwrap_err();
        let expected = format!("{}: has other columns than the rows", path.display());
        assert_eq!(error.to_string(), expected);
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let missing = folder.path().join("missing").join("games.parquet");
        let error = ParquetFile::create(&missing, &schema()).err().unwrap();
        assert_eq!(error.to_string(), "a file cannot be put in place");
    }
}
