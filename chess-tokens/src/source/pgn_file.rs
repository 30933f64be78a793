//! Files of PGN: plain, compressed by zstd or in a zip.

use std::io::{Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use chess_records::pgn::{self, PgnBlock, PgnBlocks};

use super::SourceError;
use super::files::io_error;

/// Takes blocks of games until it breaks.
type Take<'a> = dyn FnMut(PgnBlock) -> ControlFlow<()> + 'a;

/// Hands on the games of a file, block after block.
#[cfg(feature = "corpus")]
pub(crate) fn pgn_blocks(path: &Path, take: &mut Take<'_>) -> Result<(), SourceError> {
    use super::GameFormat;
    use super::files::readable_format;
    use super::format::beginning;

    let mut file = std::fs::File::open(path).map_err(io_error(path))?;
    let beginning = beginning(&mut file).map_err(io_error(path))?;
    match readable_format(path, &beginning)? {
        GameFormat::Pgn | GameFormat::PgnZstd => {
            text_blocks(path, std::io::Cursor::new(beginning).chain(file), take)
        }
        GameFormat::Zip => zip_blocks(path, file, take),
        format @ GameFormat::Parquet => Err(SourceError::NoFile {
            path: path.to_path_buf(),
            format,
        }),
    }
}

/// Hands on the games of a text, which may be compressed by zstd.
pub(super) fn text_blocks(
    path: &Path,
    stream: impl Read + Send,
    take: &mut Take<'_>,
) -> Result<(), SourceError> {
    blocks_of(path, pgn::text_of(stream).map_err(io_error(path))?, take)
}

fn blocks_of(path: &Path, text: impl Read, take: &mut Take<'_>) -> Result<(), SourceError> {
    let mut blocks = PgnBlocks::new(text);
    let error = |source| SourceError::Pgn {
        path: path.to_path_buf(),
        source,
    };
    while let Some(block) = blocks.next_block().map_err(error)? {
        if take(block).is_break() {
            break;
        }
    }
    Ok(())
}

/// Hands on the games of the one PGN in a zip.
pub(super) fn zip_blocks(
    path: &Path,
    file: impl Read + Seek + Send,
    take: &mut Take<'_>,
) -> Result<(), SourceError> {
    let error = |source| SourceError::Zip {
        path: path.to_path_buf(),
        source,
    };
    let mut archive = zip::ZipArchive::new(file).map_err(error)?;
    let index = the_one_pgn(path, &archive)?;
    let entry = archive.by_index(index).map_err(error)?;
    // The file itself could be read, so that what does not decompress is the zip's fault.
    let text = pgn::text_of(entry).map_err(|source| error(source.into()))?;
    blocks_of(path, text, take)
}

/// Which file of a zip is read: the only one, or the only one whose name ends in `.pgn`.
fn the_one_pgn<R: Read + Seek>(
    path: &Path,
    archive: &zip::ZipArchive<R>,
) -> Result<usize, SourceError> {
    let names: Vec<_> = archive.file_names_raw().collect();
    let is_folder = |name: &[u8]| name.ends_with(b"/");
    // Beside each file macOS puts what else it knows of it.
    let is_of_macos = |name: &[u8]| name.starts_with(b"__MACOSX/");
    let files =
        (0..names.len()).filter(|&index| !is_folder(names[index]) && !is_of_macos(names[index]));
    let files: Vec<_> = files.collect();
    let is_pgn = |&&index: &&usize| names[index].to_ascii_lowercase().ends_with(b".pgn");
    let pgns: Vec<_> = files.iter().filter(is_pgn).copied().collect();
    match (&files[..], &pgns[..]) {
        (&[only], _) | (_, &[only]) => Ok(only),
        _ => Err(SourceError::ZipFiles {
            path: path.to_path_buf(),
            found: pgns.len(),
        }),
    }
}
