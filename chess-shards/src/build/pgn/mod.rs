//! Games from PGN text, streamed.
//!
//! What counts as a game, a tag and a move is what python-chess, the reference's reader, takes for
//! one: the numbering of games, and with it every shard, depends on it.

mod blocks;
mod lines;
mod movetext;
mod tags;
mod tokens;

use std::io::Read;

use chess_records::{Game, GameResult};
use thiserror::Error;

use self::lines::{LineKind, Sections, next_line, without_bom};
use self::movetext::Movetext;
use self::tags::Tags;
use super::game::Replay;

pub use self::blocks::PgnReadError;
pub(super) use self::blocks::{PgnBlock, PgnBlocks};

/// Why a game is left out before games are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum LeftOut {
    /// A variant other than Standard.
    #[error("a variant other than standard chess")]
    Variant,
    /// A start of its own: a FEN tag.
    #[error("a start of its own")]
    Start,
    /// None of the three results.
    #[error("a result other than 1-0, 0-1 and 1/2-1/2")]
    Result,
    /// An Elo is missing, and there are bounds.
    #[error("an Elo is missing")]
    MissingElo,
    /// A move that is not legal, in the game or a variation.
    #[error("a move that is not legal")]
    IllegalMove,
    /// More than one legal move is written like this.
    #[error("a move of which more than one is meant")]
    AmbiguousMove,
    /// A null move, a piece put on the board, or a result within a variation.
    #[error("something else in the place of a move")]
    NoMove,
    /// More than 65,536 plies, or variations more than 64 deep.
    #[error("more plies or deeper variations than are read")]
    TooLong,
}

/// The games of a stream of PGN, one after another, as [`Source::pgn`](super::Source::pgn) reads them.
///
/// Each item is a game, or why it is left out. The reader stops after an error.
pub struct PgnGames<R> {
    blocks: PgnBlocks<R>,
    block: std::vec::IntoIter<Result<Game, LeftOut>>,
    failed: bool,
}

impl<R: Read> PgnGames<R> {
    /// Reads PGN that is not compressed.
    pub fn new(reader: R) -> Self {
        Self {
            blocks: PgnBlocks::new(reader),
            block: Vec::new().into_iter(),
            failed: false,
        }
    }
}

impl<R: Read> Iterator for PgnGames<R> {
    type Item = Result<Result<Game, LeftOut>, PgnReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.block.next() {
                return Some(Ok(game));
            }
            if self.failed {
                return None;
            }
            match self.blocks.next_block() {
                Ok(None) => return None,
                Ok(Some(block)) => {
                    let read = |text| Ok(Game::from(read_game(text, false)?));
                    let games: Vec<_> = block.games().map(read).collect();
                    self.block = games.into_iter();
                }
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl<R> std::fmt::Debug for PgnGames<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgnGames").finish_non_exhaustive()
    }
}

/// The game with this text, tags and movetext.
pub(super) fn read_game(mut text: &[u8], needs_elos: bool) -> Result<Replay, LeftOut> {
    let (mut sections, mut tags) = (Sections::new(), Tags::default());
    let mut begun = false;
    while let Some((line, len)) = next_line(text, true) {
        let line = if begun { line } else { without_bom(line) };
        match sections.next(line) {
            LineKind::Tag => tags.read(line),
            LineKind::Movetext | LineKind::End => break,
            LineKind::Nothing => {}
        }
        begun = true;
        text = &text[len..];
    }
    tags.check()?;
    if needs_elos && tags.elos().is_none() {
        return Err(LeftOut::MissingElo);
    }
    let movetext = read_movetext(text)?;
    let result = tags.result(movetext.result()).ok_or(LeftOut::Result)?;
    let moves = movetext.into_moves();
    Ok(Replay {
        plies: moves.len(),
        moves,
        result,
        white_elo: tags.white_elo,
        black_elo: tags.black_elo,
    })
}

/// Reads what is known to be the movetext of one game.
fn read_movetext(mut text: &[u8]) -> Result<Movetext, LeftOut> {
    let mut movetext = Movetext::new();
    while let Some((line, len)) = next_line(text, true) {
        movetext.read_line(line)?;
        text = &text[len..];
    }
    Ok(movetext)
}

/// One of the three results.
pub(super) fn result_of(text: &[u8]) -> Option<GameResult> {
    match text {
        b"1-0" => Some(GameResult::WhiteWon),
        b"0-1" => Some(GameResult::BlackWon),
        b"1/2-1/2" => Some(GameResult::Draw),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
