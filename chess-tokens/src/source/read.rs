//! The thread that reads files and cuts them into blocks.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
#[cfg(feature = "pgn")]
use std::ops::ControlFlow;
use std::path::Path;

#[cfg(feature = "parquet")]
use chess_records::parquet::{UciRow, UciRows};
#[cfg(feature = "pgn")]
use chess_records::pgn::PgnBlock;

use super::files::{Meter, io_error, readable_format};
use super::format::beginning;
use super::ordered::Send1;
#[cfg(feature = "pgn")]
use super::pgn_file;
use super::{GameFormat, SourceError};

/// Rows of Parquet that are a block.
#[cfg(feature = "parquet")]
const ROWS_A_BLOCK: usize = 4096;

/// Some games as they stand in a file.
pub(super) enum RawBlock {
    #[cfg(feature = "pgn")]
    Pgn(PgnBlock),
    #[cfg(feature = "parquet")]
    Uci(Vec<UciRow>),
}

/// Reads one file after the other and sends their blocks.
pub(super) struct Reader<'a, 'b> {
    meter: Meter,
    send: &'a mut Send1<'b, RawBlock>,
    /// Nobody wants any more.
    is_done: bool,
}

impl<'a, 'b> Reader<'a, 'b> {
    pub(super) fn new(meter: Meter, send: &'a mut Send1<'b, RawBlock>) -> Self {
        Self {
            meter,
            send,
            is_done: false,
        }
    }

    /// Sends the blocks of a file.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), SourceError> {
        if self.is_done {
            return Ok(());
        }
        let error = io_error(path);
        let mut file = File::open(path).map_err(&error)?;
        let beginning = beginning(&mut file).map_err(&error)?;
        let format = readable_format(path, &beginning)?;
        match format {
            GameFormat::Pgn | GameFormat::PgnZstd => {
                let whole = Cursor::new(beginning).chain(file);
                self.text(path, Metered(whole, self.meter.clone()))
            }
            GameFormat::Zip | GameFormat::Parquet => {
                let metadata = file.metadata().map_err(&error)?;
                if !metadata.is_file() {
                    return Err(SourceError::NoFile {
                        path: path.to_path_buf(),
                        format,
                    });
                }
                match format {
                    GameFormat::Zip => self.zip(path, file),
                    _ => self.rows(path, file, metadata.len()),
                }
            }
        }
    }

    fn send(&mut self, block: RawBlock) {
        self.is_done = (self.send)(block).is_break();
    }
}

#[cfg(feature = "pgn")]
impl Reader<'_, '_> {
    fn text(&mut self, path: &Path, stream: impl Read + Send) -> Result<(), SourceError> {
        pgn_file::text_blocks(path, stream, &mut |block| self.send_pgn(block))
    }

    fn zip(&mut self, path: &Path, file: File) -> Result<(), SourceError> {
        let file = Metered(file, self.meter.clone());
        pgn_file::zip_blocks(path, file, &mut |block| self.send_pgn(block))
    }

    fn send_pgn(&mut self, block: PgnBlock) -> ControlFlow<()> {
        self.send(RawBlock::Pgn(block));
        match self.is_done {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[cfg(not(feature = "pgn"))]
impl Reader<'_, '_> {
    /// Never called: such files are refused before.
    fn text(&mut self, path: &Path, _: impl Read + Send) -> Result<(), SourceError> {
        let format = GameFormat::Pgn;
        let path = path.to_path_buf();
        Err(SourceError::Feature { path, format })
    }

    /// Never called: such files are refused before.
    fn zip(&mut self, path: &Path, _: File) -> Result<(), SourceError> {
        let format = GameFormat::Zip;
        let path = path.to_path_buf();
        Err(SourceError::Feature { path, format })
    }
}

#[cfg(feature = "parquet")]
impl Reader<'_, '_> {
    fn rows(&mut self, path: &Path, file: File, bytes: u64) -> Result<(), SourceError> {
        let error = |source| SourceError::Parquet {
            path: path.to_path_buf(),
            source,
        };
        let mut rows = UciRows::new(file).map_err(error)?;
        let bytes_a_row = bytes.checked_div(rows.len()).unwrap_or(0);
        while !self.is_done {
            match rows.next_rows(ROWS_A_BLOCK).map_err(error)? {
                Some(some) => {
                    self.meter.add(some.len() as u64 * bytes_a_row);
                    self.send(RawBlock::Uci(some));
                }
                None => break,
            }
        }
        Ok(())
    }
}

#[cfg(not(feature = "parquet"))]
impl Reader<'_, '_> {
    /// Never called: such files are refused before.
    fn rows(&mut self, path: &Path, _: File, _: u64) -> Result<(), SourceError> {
        let format = GameFormat::Parquet;
        let path = path.to_path_buf();
        Err(SourceError::Feature { path, format })
    }
}

/// Counts the bytes that are read.
struct Metered<R>(R, Meter);

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.add(read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
