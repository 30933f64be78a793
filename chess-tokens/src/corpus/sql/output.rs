//! Rows as text.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use thiserror::Error;

use crate::corpus::rows::Rows;
use crate::corpus::session::QueryError;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SqlFormat {
    /// A table for people. It is kept in memory, as its columns are as wide as their widest value: of
    /// longer results the first [`SqlFormat::MOST_TABLE_ROWS`] rows are written.
    Table,
    /// Comma-separated values, with a line of names.
    Csv,
    /// A JSON object a line. Values that are null are left out.
    Json,
}

/// Why rows cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SqlOutputError {
    /// They cannot be worked out.
    #[error("the result cannot be worked out")]
    Query(#[from] QueryError),
    /// The output takes no more.
    #[error("the result cannot be written")]
    Io(#[from] io::Error),
    /// A value has no text.
    #[error("the result cannot be written as {format}")]
    Text {
        /// The format.
        format: SqlFormat,
        /// What the library said.
        source: ArrowError,
    },
}

impl SqlFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Table, Self::Csv, Self::Json];
    /// The most rows of a table.
    pub const MOST_TABLE_ROWS: usize = 10_000;

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for SqlFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SqlFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|format| format.name() == text);
        named.ok_or_else(|| format!("format {text:?}, expected table, csv or json"))
    }
}

impl Rows<'_> {
    /// Writes all rows, or as many as the format allows; true if there are more.
    ///
    /// # Errors
    ///
    /// When the rows cannot be worked out or written.
    pub fn write_to(
        mut self,
        format: SqlFormat,
        out: &mut dyn Write,
    ) -> Result<bool, SqlOutputError> {
        let mut noting = Noting { out, failed: None };
        let written = self.write_as(format, &mut noting);
        // Of what the output refused, the libraries keep no more than the text.
        match noting.failed {
            Some(error) => Err(error.into()),
            None => written,
        }
    }

    fn write_as(&mut self, format: SqlFormat, out: &mut dyn Write) -> Result<bool, SqlOutputError> {
        match format {
            SqlFormat::Table => self.table(out),
            SqlFormat::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(out);
                // Without rows there is still a line of names.
                let none = RecordBatch::new_empty(self.schema());
                let batches = std::iter::once(Ok(none)).chain(self.by_ref());
                write_all(batches, format, |batch| writer.write(batch))
            }
            SqlFormat::Json => {
                let mut writer = LineDelimitedWriter::new(out);
                write_all(self.by_ref(), format, |batch| writer.write(batch))?;
                let finished = writer.finish();
                finished.map_err(|source| text_error(format, source))?;
                Ok(false)
            }
        }
    }

    fn table(&mut self, out: &mut dyn Write) -> Result<bool, SqlOutputError> {
        let (mut batches, mut rows) = (vec![RecordBatch::new_empty(self.schema())], 0);
        let mut has_more = false;
        for batch in self.by_ref() {
            let batch = batch?;
            let room = SqlFormat::MOST_TABLE_ROWS - rows;
            has_more = batch.num_rows() > room;
            let taken = batch.slice(0, batch.num_rows().min(room));
            rows += taken.num_rows();
            batches.push(taken);
            if has_more {
                break;
            }
        }
        let table = pretty_format_batches(&batches);
        let table = table.map_err(|source| text_error(SqlFormat::Table, source))?;
        writeln!(out, "{table}")?;
        Ok(has_more)
    }
}

fn write_all(
    batches: impl Iterator<Item = Result<RecordBatch, QueryError>>,
    format: SqlFormat,
    mut write: impl FnMut(&RecordBatch) -> Result<(), ArrowError>,
) -> Result<bool, SqlOutputError> {
    for batch in batches {
        write(&batch?).map_err(|source| text_error(format, source))?;
    }
    Ok(false)
}

const fn text_error(format: SqlFormat, source: ArrowError) -> SqlOutputError {
    SqlOutputError::Text { format, source }
}

/// Notes why the output took no more.
struct Noting<'a> {
    out: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Noting<'_> {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            // That is tried again.
            if kind != io::ErrorKind::Interrupted {
                self.failed = Some(error);
            }
            kind.into()
        })
    }
}

impl Write for Noting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.note(flushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Session, SessionOptions};

    fn written(sql: &str, format: SqlFormat) -> (String, bool) {
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let rows = session.select(&session.ordered(), sql).unwrap();
        let mut out = Vec::new();
        let has_more = rows.write_to(format, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), has_more)
    }

    #[test]
    fn three_formats() {
        let sql = "SELECT * FROM (VALUES (1, 'a,b'), (2, NULL)) AS t(n, text)";
        let text = |format| written(sql, format).0;
        assert_eq!(text(SqlFormat::Csv), "n,text\n1,\"a,b\"\n2,\n");
        assert_eq!(
            text(SqlFormat::Json),
            "{\"n\":1,\"text\":\"a,b\"}\n{\"n\":2}\n"
        );
        let table =
            "+---+------+\n| n | text |\n+---+------+\n| 1 | a,b  |\n| 2 |      |\n+---+------+\n";
        assert_eq!(text(SqlFormat::Table), table);
        let none = "SELECT * FROM (VALUES (1)) AS t(n) WHERE n > 1";
        assert_eq!(written(none, SqlFormat::Csv).0, "n\n");
        assert_eq!(written(none, SqlFormat::Json).0, "");
    }

    #[test]
    fn tables_end_somewhere() {
        let sql = |rows: usize| format!("SELECT * FROM generate_series(1, {rows})");
        let most = SqlFormat::MOST_TABLE_ROWS;
        let lines = |rows| {
            let (text, has_more) = written(&sql(rows), SqlFormat::Table);
            (text.lines().count(), has_more)
        };
        assert_eq!(lines(most), (most + 4, false));
        assert_eq!(lines(most + 1), (most + 4, true));
        assert_eq!(
            written(&sql(most + 1), SqlFormat::Csv).0.lines().count(),
            most + 2
        );
    }

    #[test]
    fn nothing_is_changed() {
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let ctx = session.ordered();
        for sql in [
            "COPY (SELECT 1) TO '/nowhere/x.csv'",
            "CREATE VIEW v AS SELECT 1",
            "SET a.b = 1",
        ] {
            let error = session.select(&ctx, sql).unwrap_err();
            assert_eq!(error.to_string(), "the query cannot be planned", "{sql}");
        }
    }

    /// Takes some bytes and no more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::new(io::ErrorKind::BrokenPipe, "gone"));
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whoever_reads_no_more_is_known_by_the_error() {
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        for format in SqlFormat::ALL {
            let sql = "SELECT * FROM generate_series(1, 9000)";
            let rows = session.select(&session.ordered(), sql).unwrap();
            let error = rows.write_to(format, &mut Full(10)).unwrap_err();
            assert_eq!(error.to_string(), "the result cannot be written");
            let SqlOutputError::Io(source) = error else {
                panic!("{format}: {error}")
            };
            assert_eq!(source.kind(), io::ErrorKind::BrokenPipe);
        }
    }

    #[test]
    fn names() {
        for format in SqlFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "xml".parse::<SqlFormat>().unwrap_err();
        assert_eq!(error, "format \"xml\", expected table, csv or json");
    }
}
