//! Opening a pack, and its games.
#![cfg_attr(feature = "mmap", allow(unsafe_code))]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::column::{Column, Number};
use super::writer::OLD_META_NAME;
use super::{
    GameHeader, Meta, MetaReadError, OpenPackError, PackFault, PackFaultKind, STARTS_NAME,
    TOKENS_NAME, TokenizerMismatch,
};
use crate::Tokenizer;

/// Whole games as tokens, one after the other.
///
/// Opening compares the headers and lengths of the files with `meta.json` and looks at the first and
/// the last start, which takes as long for any number of games; [`TokenPack::verify`] looks at
/// everything. Games are borrowed from the file, or from memory, as they stand there; on a big-endian
/// machine they are turned when the pack is opened.
///
/// A pack that is replaced by a [`PackWriter`](super::PackWriter) while it is opened is opened whole,
/// the old one or the new one.
#[derive(Debug)]
pub struct TokenPack {
    folder: PathBuf,
    meta: Meta,
    tokens: Column<u16>,
    starts: Column<i64>,
}

/// How often a pack is opened anew when it was replaced meanwhile.
const TRIES: u32 = 8;

impl TokenPack {
    /// Reads a pack into memory.
    ///
    /// # Errors
    ///
    /// An [`OpenPackError`] that names the file.
    pub fn read(folder: impl Into<PathBuf>) -> Result<Self, OpenPackError> {
        let folder = folder.into();
        while_unchanged(&folder, |meta| {
            let tokens = Column::read(folder.join(TOKENS_NAME), meta.n_tokens)?;
            let starts = Column::read(folder.join(STARTS_NAME), meta.n_games)?;
            Self::new(folder.clone(), meta, tokens, starts)
        })
    }

    /// Maps a pack: nothing is read until it is looked at, so that a pack may be larger than memory and
    /// processes that map the same pack share what is in memory of it.
    ///
    /// # Safety
    ///
    /// No file of the pack may be changed or shortened, by this process or any other, while the pack
    /// exists. Tokens would change under their borrower, which is undefined behaviour; and looking past
    /// the end of a shortened file ends the process (SIGBUS on Unix, a structured exception on Windows).
    /// A failing disk or network share does the same. Replacing the pack by a
    /// [`PackWriter`](super::PackWriter) leaves the map as it is on Unix, and is refused on Windows.
    ///
    /// # Errors
    ///
    /// An [`OpenPackError`] that names the file.
    #[cfg(feature = "mmap")]
    pub unsafe fn map(folder: impl Into<PathBuf>) -> Result<Self, OpenPackError> {
        let folder = folder.into();
        while_unchanged(&folder, |meta| {
            // SAFETY: the caller promises that nobody changes the files.
            let (tokens, starts) = unsafe {
                (
                    Column::map(folder.join(TOKENS_NAME), meta.n_tokens)?,
                    Column::map(folder.join(STARTS_NAME), meta.n_games)?,
                )
            };
            Self::new(folder.clone(), meta, tokens, starts)
        })
    }

    /// A pack of files that are in memory: the contents of `meta.json`, `tokens.npy` and `starts.npy`.
    /// Errors call them so.
    ///
    /// # Errors
    ///
    /// As [`TokenPack::read`].
    pub fn from_bytes(
        meta: impl AsRef<[u8]>,
        tokens: impl AsRef<[u8]>,
        starts: impl AsRef<[u8]>,
    ) -> Result<Self, OpenPackError> {
        let meta = Meta::from_json(meta).map_err(|source| MetaReadError::Meta {
            path: Meta::FILE_NAME.into(),
            source,
        })?;
        let tokens = Column::parse(TOKENS_NAME.into(), tokens.as_ref(), meta.n_tokens)?;
        let starts = Column::parse(STARTS_NAME.into(), starts.as_ref(), meta.n_games)?;
        Self::new(PathBuf::new(), meta, tokens, starts)
    }

    fn new(
        folder: PathBuf,
        meta: Meta,
        tokens: Column<u16>,
        starts: Column<i64>,
    ) -> Result<Self, OpenPackError> {
        let pack = Self {
            folder,
            meta,
            tokens,
            starts,
        };
        pack.check_ends()?;
        Ok(pack)
    }

    fn check_ends(&self) -> Result<(), PackFault> {
        let (Some(&found), Some(&last)) = (self.starts().first(), self.starts().last()) else {
            return Ok(());
        };
        if found != 0 {
            return Err(self.start_fault(0, PackFaultKind::FirstStart { found }));
        }
        self.token_index(self.len() - 1, last)?;
        Ok(())
    }

    /// The folder, as given.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `meta.json` says.
    #[must_use]
    pub const fn meta(&self) -> &Meta {
        &self.meta
    }

    /// How many games there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.meta.n_games
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens of all games, one after the other.
    #[inline]
    #[must_use]
    pub fn tokens(&self) -> &[u16] {
        self.tokens.numbers()
    }

    /// The number of each game's first token, as it stands in the file: the first is 0 and the last
    /// under the number of tokens; those between are what [`TokenPack::verify`] looks at.
    #[inline]
    #[must_use]
    pub fn starts(&self) -> &[i64] {
        self.starts.numbers()
    }

    /// The tokens of a game; `None` past the last.
    ///
    /// # Errors
    ///
    /// When the game starts where it cannot.
    pub fn game(&self, index: u64) -> Result<Option<&[u16]>, PackFault> {
        let range = self.game_range(index)?;
        Ok(range.map(|range| &self.tokens()[range]))
    }

    /// The ratings and the result of a game, as far as its first and last tokens tell them; `None` past
    /// the last game.
    ///
    /// # Errors
    ///
    /// When the game starts where it cannot.
    pub fn game_header(&self, index: u64) -> Result<Option<GameHeader>, PackFault> {
        let game = self.game(index)?;
        Ok(game.map(|tokens| GameHeader::new(self.meta.scheme, tokens)))
    }

    /// Which tokens are a game's. Not empty.
    pub(crate) fn game_range(
        &self,
        index: u64,
    ) -> Result<Option<std::ops::Range<usize>>, PackFault> {
        let starts = self.starts();
        let rest = usize::try_from(index).ok().and_then(|at| starts.get(at..));
        let (start, end) = match rest {
            None | Some([]) => return Ok(None),
            Some(&[start]) => (self.token_index(index, start)?, self.tokens().len()),
            Some(&[start, next, ..]) => {
                let end = self.token_index(index + 1, next)?;
                (self.token_index(index, start)?, end)
            }
        };
        if start >= end {
            let kind = PackFaultKind::NotAscending {
                found: end as i64,
                previous: start as i64,
            };
            return Err(self.start_fault(index + 1, kind));
        }
        Ok(Some(start..end))
    }

    /// The number of a game's first token, if there is such a token.
    #[inline]
    pub(crate) fn token_index(&self, game: u64, start: i64) -> Result<usize, PackFault> {
        match usize::try_from(start) {
            Ok(start) if start < self.tokens().len() => Ok(start),
            _ => Err(self.start_outside(game, start)),
        }
    }

    #[cold]
    fn start_outside(&self, game: u64, found: i64) -> PackFault {
        let n_tokens = self.meta.n_tokens;
        self.start_fault(game, PackFaultKind::StartOutside { found, n_tokens })
    }

    pub(super) fn start_fault(&self, game: u64, kind: PackFaultKind) -> PackFault {
        fault(&self.starts, game, kind)
    }

    pub(super) fn token_fault(&self, token: u64, kind: PackFaultKind) -> PackFault {
        fault(&self.tokens, token, kind)
    }

    /// Whether a tokenizer is the one that the pack was made with: of the same scheme, with a
    /// vocabulary of the same size and hash.
    ///
    /// # Errors
    ///
    /// A [`TokenizerMismatch`] for the first of them that differs.
    pub fn check_tokenizer(&self, tokenizer: &dyn Tokenizer) -> Result<(), TokenizerMismatch> {
        let folder = || self.folder.clone();
        let (meta, scheme) = (&self.meta, tokenizer.scheme());
        if meta.scheme != scheme {
            return Err(TokenizerMismatch::Scheme {
                folder: folder(),
                found: meta.scheme,
                expected: scheme,
            });
        }
        if meta.vocab_size != tokenizer.vocab_size() {
            return Err(TokenizerMismatch::VocabSize {
                folder: folder(),
                found: meta.vocab_size,
                expected: tokenizer.vocab_size(),
            });
        }
        if meta.vocab_hash != tokenizer.vocab_hash() {
            return Err(TokenizerMismatch::VocabHash {
                folder: folder(),
                found: meta.vocab_hash.clone(),
                expected: tokenizer.vocab_hash().to_owned(),
            });
        }
        Ok(())
    }
}

fn fault<T: Number>(column: &Column<T>, index: u64, kind: PackFaultKind) -> PackFault {
    PackFault {
        path: column.path().to_path_buf(),
        index,
        byte_offset: column.byte_offset(index),
        kind,
    }
}

/// Opens files that belong to one `meta.json`. A writer takes that away before it replaces the first
/// of them and puts a new one there after the last, so that they are all of one pack if it is still the
/// same file after they were opened.
fn while_unchanged<T>(
    folder: &Path,
    mut open: impl FnMut(Meta) -> Result<T, OpenPackError>,
) -> Result<T, OpenPackError> {
    let path = folder.join(Meta::FILE_NAME);
    let mut is_missing = false;
    for _ in 0..TRIES {
        let file = open_meta(folder, &path)?;
        is_missing = file.is_none();
        let Some(file) = file else {
            continue;
        };
        let opened = Meta::read_from(&file, &path)
            .map_err(OpenPackError::from)
            .and_then(&mut open);
        // As long as the file is open, no other one can be taken for it.
        if is_same_file(&file, &path) {
            return opened;
        }
    }
    let folder = folder.to_path_buf();
    Err(match is_missing {
        true => OpenPackError::NoMeta { folder },
        false => OpenPackError::Replaced {
            folder,
            times: TRIES,
        },
    })
}

/// `None` if there is none: where two are looked for one after the other, a writer can be done in between.
fn open_meta(folder: &Path, path: &Path) -> Result<Option<File>, OpenPackError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(source) if source.kind() == io::ErrorKind::NotFound && folder.is_dir() => {
            let folder = folder.to_path_buf();
            match folder.join(OLD_META_NAME).exists() {
                true => Err(OpenPackError::HalfReplaced { folder }),
                false => Ok(None),
            }
        }
        Err(source) => Err(OpenPackError::Io {
            path: path.to_path_buf(),
            source,
        }),
    }
}

/// Whether an open file is the one that stands at a path.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (open, named) = (file.metadata(), fs::metadata(path));
    open.ok().map(identity) == named.ok().map(identity)
}

/// Elsewhere, files have no number that the standard library tells.
#[cfg(not(unix))]
fn is_same_file(file: &File, path: &Path) -> bool {
    let identity = |metadata: fs::Metadata| {
        (
            metadata.len(),
            metadata.modified().ok(),
            metadata.created().ok(),
        )
    };
    let (open, named) = (file.metadata(), fs::metadata(path));
    open.ok().map(identity) == named.ok().map(identity)
}

#[cfg(test)]
mod tests;
