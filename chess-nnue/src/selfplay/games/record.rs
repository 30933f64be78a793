//! Games as viriformat and marlinformat keep them.

use std::borrow::Cow;
use std::format;
use std::vec::Vec;

use chess_records::{
    Label, LabelledPosition, MarlinRecord, Position, Score, Square, ViriFault, ViriFilter,
    ViriGame, ViriMove, ViriMoveKind, ViriWriter,
};
use cozy_chess::{Board, Move, Piece};

use super::datagen::DatagenError;
use super::play::PlayedGame;

/// What a chunk of games holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChunkFormat {
    /// Whole games in viriformat, each move with its score.
    Viri,
    /// The positions that a filter leaves, in marlinformat, game after game.
    Marlin(ViriFilter),
}

impl ChunkFormat {
    /// What files of this format end in, without a dot.
    #[must_use]
    pub const fn extension(&self) -> &'static str {
        match self {
            Self::Viri => "viri",
            Self::Marlin(_) => "marlin",
        }
    }

    /// The bytes of a game whose viriformat is given.
    pub(super) fn bytes<'a>(&self, viri: &'a [u8]) -> Result<Cow<'a, [u8]>, ViriFault> {
        match self {
            Self::Viri => Ok(viri.into()),
            Self::Marlin(filter) => {
                let mut bytes = Vec::new();
                let (game, _) = ViriGame::first(viri, 0, 0)?;
                append_marlin(game, filter, &mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

/// A game in viriformat.
pub(super) fn viri(game: &PlayedGame) -> Result<Vec<u8>, DatagenError> {
    let mut bytes = Vec::new();
    let mut writer = ViriWriter::new(&mut bytes);
    let start = Position::from_fen(&format!("{:#}", game.start))?;
    let start = MarlinRecord::encode(&labelled(start, game), 0)?;
    let (mut board, mut moves) = (game.start.clone(), Vec::with_capacity(game.moves.len()));
    for made in &game.moves {
        moves.push((viri_move(&board, made.played)?, made.white_cp as i16));
        board.play_unchecked(made.played);
    }
    writer.write_game(&start, moves)?;
    Ok(bytes)
}

/// Appends the positions of a game that a filter keeps, in marlinformat.
pub(in crate::selfplay) fn append_marlin(
    game: ViriGame<'_>,
    filter: &ViriFilter,
    records: &mut Vec<u8>,
) -> Result<(), ViriFault> {
    for position in game.positions() {
        let position = position?;
        if filter.keeps(&position) {
            records.extend(position.to_marlin_lossy().as_bytes());
        }
    }
    Ok(())
}

/// The start of a game, with its first score and its result.
fn labelled(position: Position, game: &PlayedGame) -> LabelledPosition {
    let first = game.moves.first().map_or(0, |made| made.white_cp);
    LabelledPosition {
        position,
        label: Label::new(Some(Score::Centipawns(first as i16)), Some(game.result)),
    }
}

fn viri_move(board: &Board, played: Move) -> Result<ViriMove, DatagenError> {
    let Move {
        from,
        to,
        promotion,
    } = played;
    let moved = board.piece_on(from);
    let kind = match (moved, promotion) {
        (_, Some(made)) => ViriMoveKind::Promotion(made.into()),
        (Some(Piece::King), None) if board.colors(board.side_to_move()).has(to) => {
            ViriMoveKind::Castling
        }
        (Some(Piece::Pawn), None) if from.file() != to.file() && board.piece_on(to).is_none() => {
            ViriMoveKind::EnPassant
        }
        _ => ViriMoveKind::Normal,
    };
    Ok(ViriMove::new(Square::from(from), Square::from(to), kind)?)
}
