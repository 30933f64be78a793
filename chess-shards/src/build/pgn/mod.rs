//! Games from PGN text, streamed.
//!
//! What counts as a game, a tag and a move is what python-chess, the reference's reader, takes for
//! one: the numbering of games, and with it every shard, depends on it.

mod blocks;
mod lines;
mod movetext;
mod tags;
mod tokens;

use chess_records::GameResult;

use self::lines::{LineKind, Sections, next_line, without_bom};
use self::movetext::Movetext;
use self::tags::Tags;
use super::game::Replay;

pub use self::blocks::PgnReadError;
pub(super) use self::blocks::{PgnBlock, PgnBlocks};

/// Why a game is left out before games are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LeftOut {
    /// A variant other than Standard.
    Variant,
    /// A start of its own: a FEN tag.
    Start,
    /// None of the three results.
    Result,
    /// An Elo is missing, and there are bounds.
    MissingElo,
    /// A move that is not legal.
    IllegalMove,
    /// More than one legal move is written like this.
    AmbiguousMove,
    /// A null move, a piece put on the board, or a result within a variation.
    NoMove,
    /// More plies, or deeper variations, than can be kept.
    TooLong,
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
        elos: tags.elos(),
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
