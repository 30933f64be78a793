//! From files of games to a pack.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chess_records::{Game, LeftOut, LeftOutGames};
use thiserror::Error;

use super::{GameBlock, GameFiles, SourceError};
use crate::Tokenizer;
use crate::pack::{Meta, PackWriter, WritePackError};
use crate::tokenizer::EncodeError;

/// Why games could not be packed. The folder is then as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackGamesError {
    /// The games cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The pack cannot be written.
    #[error(transparent)]
    Write(#[from] WritePackError),
    /// A game cannot be written as tokens, and not for a reason that leaves it out.
    #[error("game {game}, counted from 0, cannot be written as tokens")]
    Encode {
        /// Its number among those that count.
        game: u64,
        /// Why.
        source: EncodeError,
    },
    /// The work was stopped.
    #[error("stopped")]
    Stopped,
}

/// How far packing is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PackProgress {
    /// How many games were packed.
    pub games: u64,
    /// How many tokens they have.
    pub tokens: u64,
    /// How many bytes of the files were read, about.
    pub bytes_read: u64,
    /// How many bytes the files have; what is no regular file does not count.
    pub bytes: u64,
}

/// What became of the games.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PackReport {
    /// What the pack's `meta.json` says.
    pub meta: Meta,
    /// How many games were left out, by reason: by the readers; [`LeftOut::MissingElo`] where the scheme
    /// writes ratings, [`LeftOut::IllegalMove`] where it writes legal moves only.
    pub left_out: LeftOutGames,
}

/// Packs the games of files into a folder: read and turned into tokens on several threads, written in
/// order. `sources` are the labels for `meta.json`. `progress` is told of every block of games, some
/// thousands at most, and may stop the work.
///
/// Memory does not grow with the games. Nothing in the folder changes before all is done, as
/// [`PackWriter`] says.
///
/// # Errors
///
/// When games cannot be read, or the pack cannot be written, and when the work is stopped.
pub fn pack_games<S: AsRef<str>>(
    files: &GameFiles,
    tokenizer: &Arc<dyn Tokenizer>,
    folder: &Path,
    sources: impl IntoIterator<Item = S>,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<PackReport, PackGamesError> {
    let mut writer = PackWriter::create(folder, &**tokenizer, sources)?;
    let mut left_out = LeftOutGames::default();
    let encoder = Arc::clone(tokenizer);
    let mut blocks = files.map_blocks(move |block| Encoded::of(&*encoder, &block))?;
    while let Some(block) = blocks.next() {
        let block = block?;
        left_out.merge(&block.left_out);
        for tokens in block.games() {
            writer.push(tokens)?;
        }
        if let Some(source) = block.failure {
            let game = writer.games();
            return Err(PackGamesError::Encode { game, source });
        }
        let now = PackProgress {
            games: writer.games(),
            tokens: writer.tokens(),
            bytes_read: blocks.bytes_read(),
            bytes: files.bytes(),
        };
        if progress(&now).is_break() {
            return Err(PackGamesError::Stopped);
        }
    }
    let meta = writer.finish()?;
    Ok(PackReport { meta, left_out })
}

/// The games of a block as tokens, up to one that has none for no reason to leave it out.
struct Encoded {
    tokens: Vec<u16>,
    /// Where games end among the tokens.
    ends: Vec<usize>,
    left_out: LeftOutGames,
    failure: Option<EncodeError>,
}

impl Encoded {
    fn of(tokenizer: &dyn Tokenizer, block: &GameBlock) -> Self {
        let mut encoded = Self {
            tokens: Vec::new(),
            ends: Vec::with_capacity(block.games.len()),
            left_out: block.left_out,
            failure: None,
        };
        for game in &block.games {
            encoded.take(tokenizer, game);
            if encoded.failure.is_some() {
                break;
            }
        }
        encoded
    }

    fn take(&mut self, tokenizer: &dyn Tokenizer, game: &Game) {
        match tokenizer.encode(game, &mut self.tokens) {
            Ok(()) => self.ends.push(self.tokens.len()),
            Err(EncodeError::NoElo { .. }) => self.left_out.add(LeftOut::MissingElo),
            Err(EncodeError::IllegalMove { .. }) => self.left_out.add(LeftOut::IllegalMove),
            Err(error) => self.failure = Some(error),
        }
    }

    fn games(&self) -> impl Iterator<Item = &[u16]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let bounds = starts.zip(&self.ends);
        bounds.map(|(start, &end)| &self.tokens[start..end])
    }
}
