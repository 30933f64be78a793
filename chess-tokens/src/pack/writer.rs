//! Writing a pack.

mod commit;
mod error;
mod left_over;
mod npy_file;

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use error::WritePackError;
pub(super) use left_over::OLD_META_NAME;
pub use left_over::is_unfinished;

use super::{Meta, MetaError, STARTS_NAME, TOKENS_NAME};
use crate::Tokenizer;
use crate::folder_lock::{self, FolderLock};
use crate::tokenizer::{BOS, EOS};
use npy_file::NpyFile;

/// Writes a pack, game by game.
///
/// Tokens and starts go to temporary files in the pack's folder, so that memory does not grow with
/// them; the files are byte for byte those that numpy and Python's `json` write.
/// [`PackWriter::finish`] puts the three files in place. A writer that is dropped unfinished, or fails,
/// leaves the folder as it was.
///
/// # An old pack
///
/// A pack that is there already stays whole until everything of the new one is on the disk. Then its
/// `meta.json` is taken away, the other two files are replaced and the new `meta.json` is put there last:
/// whoever opens the pack finds the old one, the new one or, for the moment between, one that is
/// [half replaced](super::OpenPackError::HalfReplaced). A process that is killed leaves one of the three.
/// Three files of fixed names cannot be replaced as one, but nothing is lost: [`recover`], and the next
/// writer as it begins, makes the half replaced pack the old one or the new one, and removes what else
/// was left. A writer that *fails* after the first file was replaced, as on a disk that breaks, leaves no
/// pack. [`is_unfinished`] tells of a first pack that was begun.
///
/// Where the system has locks (on Unix; some network shares have none), a second writer in the same
/// folder is refused.
#[derive(Debug)]
pub struct PackWriter {
    folder: PathBuf,
    meta: Meta,
    tokens: NpyFile,
    starts: NpyFile,
    /// A write has failed, so that the files are not what they should be.
    is_broken: bool,
    /// Held while there is a writer. After the files, which are removed first.
    #[allow(dead_code)] // Closed when it is dropped.
    lock: Option<File>,
    new_folder: NewFolder,
}

impl PackWriter {
    /// Begins a pack in a folder, which is made if it is not there. `sources` are the labels of where
    /// the games come from, such as [`source_label`] gives them.
    ///
    /// # Errors
    ///
    /// When the tokenizer's vocabulary has more than 65,536 tokens or its hash is none, when there are
    /// no sources or one has an empty label, when another writer is at work in the folder, or when no
    /// files can be made there.
    pub fn create<S: AsRef<str>>(
        folder: impl Into<PathBuf>,
        tokenizer: &dyn Tokenizer,
        sources: impl IntoIterator<Item = S>,
    ) -> Result<Self, WritePackError> {
        let folder = folder.into();
        let meta = empty(tokenizer, joined(sources)?)?;
        let new_folder = NewFolder::make(&folder)?;
        let lock = lock(&folder)?;
        if lock.is_some() {
            left_over::clear(&folder)?;
        }
        Ok(Self {
            tokens: NpyFile::create(folder.join(TOKENS_NAME), "<u2")?,
            starts: NpyFile::create(folder.join(STARTS_NAME), "<i8")?,
            folder,
            meta,
            is_broken: false,
            lock,
            new_folder,
        })
    }

    /// How many games there are so far.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.meta.n_games
    }

    /// How many tokens they have together.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.meta.n_tokens
    }

    /// Adds a whole game, as the tokenizer [encodes](Tokenizer::encode) it.
    ///
    /// # Errors
    ///
    /// When the tokens do not begin with `<bos>` and end with `<eos>` or the vocabulary does not have
    /// one of them; the game is then left out. When it cannot be written; the writer can then no longer
    /// be used.
    pub fn push(&mut self, tokens: &[u16]) -> Result<(), WritePackError> {
        self.check(tokens)?;
        if self.is_broken {
            return Err(WritePackError::Broken);
        }
        let start = self.meta.n_tokens as i64; // Under 2^61, as a disk's bytes are.
        self.is_broken = true;
        self.tokens.push(tokens)?;
        self.starts.push(&[start])?;
        self.is_broken = false;
        self.meta.n_tokens += tokens.len() as u64;
        self.meta.n_games += 1;
        Ok(())
    }

    /// Brings everything to the disk and puts the files in place; what `meta.json` now says.
    ///
    /// # Errors
    ///
    /// When the system cannot write or rename. An old pack is then as it was, unless the error came
    /// between the first rename and the last, in which case there is no pack.
    pub fn finish(self) -> Result<Meta, WritePackError> {
        self.commit(&mut |_| true)
    }

    fn check(&self, tokens: &[u16]) -> Result<(), WritePackError> {
        let (game, vocab_size) = (self.meta.n_games, self.meta.vocab_size);
        let [first, .., last] = *tokens else {
            let found = tokens.len();
            return Err(WritePackError::TooShort { game, found });
        };
        if first != BOS {
            return Err(WritePackError::NoBos { game, found: first });
        }
        if last != EOS {
            return Err(WritePackError::NoEos { game, found: last });
        }
        let outside = |token: u16| u32::from(token) >= vocab_size;
        match tokens.iter().position(|&token| outside(token)) {
            None => Ok(()),
            Some(index) => Err(WritePackError::Token {
                game,
                index,
                found: tokens[index],
                vocab_size,
            }),
        }
    }
}

/// Ends what a [`PackWriter`] that was killed has left in a folder: a pack that is half replaced becomes the
/// old one, if none of its files was replaced yet, or else the new one; temporary files, and a first pack
/// that was not finished, are removed. A folder in which nothing was left stays as it is.
///
/// Where the system has no locks (on Windows, and on some network shares), whoever calls this must know
/// that no writer is at work.
///
/// # Errors
///
/// When another writer is at work, or the folder cannot be read or written.
pub fn recover(folder: impl AsRef<Path>) -> Result<(), WritePackError> {
    let folder = folder.as_ref();
    let _lock = lock(folder)?;
    left_over::clear(folder)
}

/// The label of a file of games in `meta.json`: the name of its folder and its own, and of which games,
/// where it is not all of them: `dir/games.parquet[skip:end]`.
///
/// ```
/// use chess_tokens::pack::source_label;
///
/// let path = "/data/2025-05/games.parquet".as_ref();
/// assert_eq!(source_label(path, None), "2025-05/games.parquet");
/// assert_eq!(source_label(path, Some(0..100)), "2025-05/games.parquet[0:100]");
/// ```
#[must_use]
pub fn source_label(path: &Path, games: Option<Range<u64>>) -> String {
    let name =
        |path: Option<&std::ffi::OsStr>| path.map(|name| name.to_string_lossy().into_owned());
    let folder = name(path.parent().and_then(Path::file_name));
    let file = name(path.file_name());
    let parts: Vec<String> = folder.into_iter().chain(file).collect();
    let label = parts.join("/");
    match games {
        None => label,
        Some(Range { start, end }) => format!("{label}[{start}:{end}]"),
    }
}

fn joined<S: AsRef<str>>(sources: impl IntoIterator<Item = S>) -> Result<String, WritePackError> {
    let mut labels = Vec::new();
    for source in sources {
        if source.as_ref().is_empty() {
            let index = labels.len();
            return Err(WritePackError::EmptyLabel { index });
        }
        labels.push(source.as_ref().to_owned());
    }
    if labels.is_empty() {
        return Err(WritePackError::NoSources);
    }
    Ok(labels.join("+"))
}

/// The description of a pack without games.
fn empty(tokenizer: &dyn Tokenizer, source: String) -> Result<Meta, MetaError> {
    let meta = Meta {
        n_games: 0,
        n_tokens: 0,
        scheme: tokenizer.scheme(),
        vocab_size: tokenizer.vocab_size(),
        vocab_hash: tokenizer.vocab_hash().to_owned(),
        source,
    };
    meta.check()?;
    Ok(meta)
}

/// A folder that is removed again if nothing came to stand in it.
#[derive(Debug)]
struct NewFolder(Option<PathBuf>);

impl NewFolder {
    fn make(path: &Path) -> Result<Self, WritePackError> {
        let error = |source| WritePackError::Folder {
            path: path.to_path_buf(),
            source,
        };
        if path.try_exists().map_err(error)? {
            return Ok(Self(None));
        }
        fs::create_dir_all(path).map_err(error)?;
        Ok(Self(Some(path.to_path_buf())))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Refused, as it should be, where there are files in it.
            let _ = fs::remove_dir(path);
        }
    }
}

/// The folder locked against other writers, where that can be done.
fn lock(folder: &Path) -> Result<Option<File>, WritePackError> {
    let path = || folder.to_path_buf();
    match folder_lock::lock(folder) {
        Ok(FolderLock::Held(file)) => Ok(Some(file)),
        Ok(FolderLock::Unknown) => Ok(None),
        Ok(FolderLock::Busy) => Err(WritePackError::Busy { folder: path() }),
        Err(source) => Err(WritePackError::Folder {
            path: path(),
            source,
        }),
    }
}

#[cfg(test)]
pub(super) mod tests;
