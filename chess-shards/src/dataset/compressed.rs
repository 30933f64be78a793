//! Shards that are there only as `.npy.zst`.

use std::path::{Path, PathBuf};

use super::ShardError;
use super::memory::Memory;
use super::options::{Compressed, ShardOptions};

#[cfg(feature = "zstd")]
pub use zst::unpack_shard;

/// What a compressed shard became.
#[cfg_attr(not(feature = "zstd"), allow(dead_code))]
pub(super) enum Unpacked {
    /// A plain file.
    File(PathBuf),
    /// Its rows, without the header.
    Memory { rows: u64, bytes: Memory },
}

/// Decompresses a shard as the options say.
pub(super) fn unpack(
    path: &Path,
    expected_rows: Option<u64>,
    options: &ShardOptions,
) -> Result<Unpacked, ShardError> {
    match &options.compressed {
        Compressed::Refuse => Err(ShardError::Compressed {
            path: path.to_path_buf(),
        }),
        #[cfg(feature = "zstd")]
        Compressed::Memory => zst::into_memory(path, expected_rows, options),
        #[cfg(feature = "zstd")]
        Compressed::Folder(folder) => zst::into_folder(path, folder, expected_rows, options),
        #[cfg(not(feature = "zstd"))]
        Compressed::Memory | Compressed::Folder(_) => {
            let _ = expected_rows;
            Err(ShardError::NoZstd {
                path: path.to_path_buf(),
            })
        }
    }
}

#[cfg(feature = "zstd")]
mod zst {
    use std::fs::{self, File};
    use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
    use std::path::{Path, PathBuf};

    use chess_records::{AtomicFile, AtomicFileError};

    use super::{ShardError, ShardOptions, Unpacked};
    use crate::NpyHeader;
    use crate::dataset::ShardProgress;
    use crate::dataset::file::{ShardFile, check_rows, read_header};
    use crate::dataset::memory::Memory;

    /// Decompresses the shard `from`, a `.npy.zst`, to the plain shard `to`, which takes its place when it
    /// is whole. Of the options, [`ShardOptions::progress`] counts. Says how many rows there are.
    ///
    /// # Errors
    ///
    /// A [`ShardError`] when `from` is no compressed shard, has not as many rows as its header says or
    /// not as many as expected, or `to` cannot be written.
    pub fn unpack_shard(
        from: &Path,
        to: &Path,
        expected_rows: Option<u64>,
        options: &ShardOptions,
    ) -> Result<u64, ShardError> {
        let mut stream = Stream::open(from, expected_rows, options)?;
        write(&mut stream, to)?;
        Ok(stream.header.rows())
    }

    /// How much is decompressed between two reports of progress.
    const PIECE_BYTES: u64 = 4 << 20;

    pub(super) fn into_memory(
        path: &Path,
        expected_rows: Option<u64>,
        options: &ShardOptions,
    ) -> Result<Unpacked, ShardError> {
        let mut stream = Stream::open(path, expected_rows, options)?;
        let io_error = |source| decompress_error(path, source);
        let len = stream.header.file_bytes() - stream.header.data_offset();
        let rows = stream.header.rows();
        let bytes = Memory::filled(len, io_error, |mut rows| stream.copy(&mut rows, io_error))?;
        Ok(Unpacked::Memory { rows, bytes })
    }

    pub(super) fn into_folder(
        path: &Path,
        folder: &Path,
        expected_rows: Option<u64>,
        options: &ShardOptions,
    ) -> Result<Unpacked, ShardError> {
        fs::create_dir_all(folder).map_err(|source| ShardError::CacheFolder {
            path: folder.to_path_buf(),
            source,
        })?;
        let target = folder.join(name_in_folder(path)?);
        // What is there from the last time, unless it is damaged.
        if ShardFile::open_plain(&target, expected_rows, false).is_err() {
            let mut stream = Stream::open(path, expected_rows, options)?;
            write(&mut stream, &target)?;
        }
        Ok(Unpacked::File(target))
    }

    fn write(stream: &mut Stream<'_>, target: &Path) -> Result<(), ShardError> {
        let zst = stream.path.to_path_buf();
        let cache = |source| ShardError::Cache {
            path: zst.clone(),
            source,
        };
        let write_error = |source| {
            cache(AtomicFileError::Write {
                path: target.to_path_buf(),
                source,
            })
        };
        let mut file = AtomicFile::create(target).map_err(cache)?;
        let header = NpyHeader::to_bytes(stream.header.rows());
        file.write_all(&header).map_err(write_error)?;
        stream.copy(&mut file, write_error)?;
        file.finish().map_err(cache)
    }

    /// The shard's name and a number of its compressed bytes, of which the last hold a checksum.
    fn name_in_folder(path: &Path) -> Result<PathBuf, ShardError> {
        let key = key(path).map_err(|source| ShardError::Io {
            path: path.to_path_buf(),
            source,
        })?;
        // Off `.zst` and `.npy`.
        let stem = path.with_extension("").with_extension("");
        let stem = stem.file_name().unwrap_or_default();
        Ok(format!("{}.{key:016x}.npy", stem.to_string_lossy()).into())
    }

    /// FNV-1a of the length, the first and the last kilobyte.
    fn key(path: &Path) -> io::Result<u64> {
        const ENDS: u64 = 1024;
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut bytes = len.to_le_bytes().to_vec();
        (&file).take(ENDS).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(len.saturating_sub(ENDS)))?;
        (&file).take(ENDS).read_to_end(&mut bytes)?;
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        Ok(bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    fn decompress_error(path: &Path, source: io::Error) -> ShardError {
        ShardError::Decompress {
            path: path.to_path_buf(),
            source,
        }
    }

    /// A compressed shard, read up to its first row.
    struct Stream<'a> {
        path: &'a Path,
        options: &'a ShardOptions,
        decoder: zstd::Decoder<'static, BufReader<File>>,
        header: NpyHeader,
    }

    impl<'a> Stream<'a> {
        fn open(
            path: &'a Path,
            expected_rows: Option<u64>,
            options: &'a ShardOptions,
        ) -> Result<Self, ShardError> {
            let file = File::open(path).map_err(|source| ShardError::Io {
                path: path.to_path_buf(),
                source,
            })?;
            let decoder = zstd::Decoder::new(file);
            let mut decoder = decoder.map_err(|source| decompress_error(path, source))?;
            let header = match read_header(&mut decoder, path) {
                Err(ShardError::Io { path, source }) => {
                    return Err(ShardError::Decompress { path, source });
                }
                header => header?,
            };
            check_rows(path, header.rows(), expected_rows)?;
            Ok(Self {
                path,
                options,
                decoder,
                header,
            })
        }

        /// Copies the rows, of which there must be as many as the header says.
        fn copy(
            &mut self,
            out: &mut impl Write,
            write_error: impl Fn(io::Error) -> ShardError,
        ) -> Result<(), ShardError> {
            let total = self.header.file_bytes();
            let mut done = self.header.data_offset();
            let mut piece = Vec::new();
            while done < total {
                self.read(&mut piece, PIECE_BYTES.min(total - done))?;
                if piece.is_empty() {
                    return Err(self.wrong_length(done));
                }
                out.write_all(&piece).map_err(&write_error)?;
                done += piece.len() as u64;
                self.tell(done);
            }
            self.read(&mut piece, 1)?;
            match piece.len() as u64 {
                0 => Ok(()),
                more => Err(self.wrong_length(total + more)),
            }
        }

        fn read(&mut self, piece: &mut Vec<u8>, len: u64) -> Result<(), ShardError> {
            piece.clear();
            let read = (&mut self.decoder).take(len).read_to_end(piece);
            read.map_err(|source| decompress_error(self.path, source))?;
            Ok(())
        }

        fn tell(&self, bytes: u64) {
            if let Some(tell) = &self.options.progress {
                tell(&ShardProgress {
                    path: self.path.to_path_buf(),
                    bytes,
                    total: self.header.file_bytes(),
                });
            }
        }

        fn wrong_length(&self, found: u64) -> ShardError {
            ShardError::Length {
                path: self.path.to_path_buf(),
                rows: self.header.rows(),
                found,
                expected: self.header.file_bytes(),
            }
        }
    }
}
