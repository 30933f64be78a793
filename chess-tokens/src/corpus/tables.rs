//! Parquet files as tables of queries.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::options::ReadOptions;
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::reader::{FileReader, SerializedFileReader};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use thiserror::Error;

use super::Month;
use super::pgn_table::pgn_table;
use super::session::Session;

/// Why files cannot be a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// There is none.
    #[error("there is no file to read")]
    NoFiles,
    /// A path cannot be made absolute.
    #[error("{}: cannot be found", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The first file is no Parquet file, or cannot be read.
    #[error("{}: cannot be read as parquet", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the library said.
        source: Box<DataFusionError>,
    },
    /// A column is missing.
    #[error("{}: there is no column {column}", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// Its name.
        column: String,
    },
    /// Parquet files and others cannot be one table.
    #[error("{}: is parquet, and there is PGN too; expected files of one kind", path.display())]
    Mixed {
        /// The Parquet file.
        path: PathBuf,
    },
}

impl Session {
    /// Files of one schema, that of the first one, as the table `name` of `ctx`; where plans read in
    /// one partition, they come in the order of their paths. Gives the columns.
    ///
    /// # Errors
    ///
    /// When there are none, and when the first one is no Parquet file.
    pub fn register_files(
        &self,
        ctx: &SessionContext,
        name: &str,
        files: &[PathBuf],
    ) -> Result<SchemaRef, TableError> {
        self.register(ctx, name, files, &[])
    }

    /// As [`register_files`](Self::register_files), for files that must have these columns.
    pub(super) fn register_with(
        &self,
        ctx: &SessionContext,
        name: &str,
        files: &[PathBuf],
        columns: &[&str],
    ) -> Result<SchemaRef, TableError> {
        let schema = self.register_files(ctx, name, files)?;
        match columns
            .iter()
            .find(|column| schema.index_of(column).is_err())
        {
            None => Ok(schema),
            Some(column) => Err(TableError::NoColumn {
                path: files.first().cloned().unwrap_or_default(),
                column: (*column).to_owned(),
            }),
        }
    }

    /// As [`register_files`](Self::register_files), of raw games: Parquet files in the columns of the
    /// dataset, or PGN (plain, `.zst` or a zip that holds one), which becomes such columns: `Event`,
    /// `Site`, `Result`, `WhiteElo`, `BlackElo`, `UTCDate`, `ECO`, `Termination`, `TimeControl` and
    /// `movetext`.
    ///
    /// # Errors
    ///
    /// When there are no files, they are of both kinds, or the first one cannot be read.
    pub fn register_games(
        &self,
        ctx: &SessionContext,
        name: &str,
        files: &[PathBuf],
    ) -> Result<SchemaRef, TableError> {
        self.register_games_with(ctx, name, files, &[])
    }

    /// As [`register_games`](Self::register_games), of which Parquet files must have these columns.
    pub(super) fn register_games_with(
        &self,
        ctx: &SessionContext,
        name: &str,
        files: &[PathBuf],
        columns: &[&str],
    ) -> Result<SchemaRef, TableError> {
        let mut pgn = Vec::new();
        for file in files {
            if !is_parquet(file)? {
                pgn.push(file.clone());
            }
        }
        if pgn.is_empty() {
            return self.register_with(ctx, name, files, columns);
        }
        if let Some(parquet) = files.iter().find(|file| !pgn.contains(file)) {
            let path = parquet.clone();
            return Err(TableError::Mixed { path });
        }
        let table = pgn_table(pgn, ctx.copied_config().batch_size());
        let registered = table.and_then(|table| {
            let schema = table.schema();
            ctx.register_table(name, Arc::new(table))?;
            Ok(schema)
        });
        registered.map_err(read_error(&files[0]))
    }

    /// As [`register_files`](Self::register_files), for all files in a folder and the folders
    /// `column=value` in it, with these columns.
    pub(super) fn register(
        &self,
        ctx: &SessionContext,
        name: &str,
        paths: &[PathBuf],
        partitions: &[(&str, DataType)],
    ) -> Result<SchemaRef, TableError> {
        let first = paths.first().ok_or(TableError::NoFiles)?;
        let urls = paths.iter().map(|path| table_url(path));
        let urls = urls.collect::<Result<Vec<_>, _>>()?;
        let columns = partitions
            .iter()
            .map(|(name, of)| ((*name).to_owned(), of.clone()));
        // Of folders, what stages have finished; files may be called whatever they are.
        let extension = if partitions.is_empty() {
            ""
        } else {
            Month::GAMES
        };
        let options = ParquetReadOptions::default()
            .file_extension(extension)
            .table_partition_cols(columns.collect())
            .to_listing_options(&ctx.copied_config(), ctx.copied_table_options());
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
        let table = self.wait(async {
            let config = config.infer_schema(&ctx.state()).await?;
            ListingTable::try_new(config)
        });
        let registered = table.and_then(|table| {
            let table = Arc::new(table);
            ctx.register_table(name, Arc::<ListingTable>::clone(&table))?;
            Ok(table.schema())
        });
        registered.map_err(read_error(first))
    }
}

fn read_error(path: &Path) -> impl Fn(DataFusionError) -> TableError {
    |source| TableError::Read {
        path: path.to_path_buf(),
        source: Box::new(source),
    }
}

fn is_parquet(path: &Path) -> Result<bool, TableError> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4).read_to_end(&mut start));
    read.map_err(|source| TableError::Path {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(start == b"PAR1")
}

/// How many rows a Parquet file has.
pub(super) fn rows_of(path: &Path) -> Result<u64, TableError> {
    let file = File::open(path).map_err(|source| TableError::Path {
        path: path.to_path_buf(),
        source,
    })?;
    let reader = SerializedFileReader::new(file);
    let reader = reader.map_err(|source| read_error(path)(source.into()))?;
    let rows = reader.metadata().file_metadata().num_rows();
    Ok(u64::try_from(rows).unwrap_or(0))
}

/// The first Parquet file that cannot be read to its end.
pub(super) fn first_damaged(files: &[PathBuf]) -> Option<TableError> {
    let error = |path: &Path, source: ParquetError| read_error(path)(source.into());
    for path in files
        .iter()
        .filter(|path| is_parquet(path).unwrap_or(false))
    {
        let Ok(file) = File::open(path) else { continue };
        let rows = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|file| file.build());
        let rows = match rows {
            Ok(rows) => rows,
            Err(source) => return Some(error(path, source)),
        };
        if let Some(source) = rows.into_iter().find_map(Result::err) {
            return Some(error(path, source.into()));
        }
    }
    None
}

/// How many rows files have together, if all are Parquet files.
pub(super) fn row_count(files: &[PathBuf]) -> Option<u64> {
    files.iter().map(|file| rows_of(file).ok()).sum()
}

/// A path as a URL, in which no character of it means anything else.
fn table_url(path: &Path) -> Result<ListingTableUrl, TableError> {
    let error = |source| TableError::Path {
        path: path.to_path_buf(),
        source,
    };
    let whole = path.canonicalize().map_err(error)?;
    let is_folder = whole.is_dir();
    let invalid = || error(io::Error::from(io::ErrorKind::InvalidInput));
    let text = whole.to_str().ok_or_else(invalid)?;
    let mut url = String::from("file://");
    let mut push = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
            url.push(char::from(byte));
        }
        b'\\' if cfg!(windows) => url.push('/'),
        other => url += &format!("%{other:02X}"),
    };
    // What Windows puts before long paths is not for URLs; there a path begins with a letter.
    let text = text.strip_prefix(r"\\?\").unwrap_or(text);
    if cfg!(windows) {
        push(b'/');
    }
    text.bytes().for_each(&mut push);
    if is_folder {
        push(b'/');
    }
    ListingTableUrl::parse(&url).map_err(read_error(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::SessionOptions;

    #[test]
    fn what_is_no_table() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let ctx = session.ordered();
        let error = |files: &[PathBuf]| {
            let error = session.register_games(&ctx, "t", files).unwrap_err();
            error.to_string()
        };
        assert_eq!(error(&[]), "there is no file to read");
        let missing = folder.path().join("missing");
        let expected = format!("{}: cannot be found", missing.display());
        assert_eq!(error(std::slice::from_ref(&missing)), expected);
        let (pgn, parquet) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&pgn, "1. e4 *").unwrap();
        std::fs::write(&parquet, "PAR1 and no more").unwrap();
        let expected = format!("{}: cannot be read as parquet", parquet.display());
        assert_eq!(error(std::slice::from_ref(&parquet)), expected);
        let expected = "is parquet, and there is PGN too; expected files of one kind";
        let expected = format!("{}: {expected}", parquet.display());
        assert_eq!(error(&[pgn, parquet]), expected);
    }

    #[test]
    #[cfg(unix)]
    fn names_mean_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b%20[c]*?#é.parquet");
        std::fs::write(&path, "").unwrap();
        let url = table_url(&path).unwrap();
        let prefix = url.prefix().to_string();
        assert!(prefix.ends_with("a b%20[c]*?#é.parquet"), "{prefix}");
        assert!(!url.is_collection());
        assert!(table_url(folder.path()).unwrap().is_collection());
    }
}
