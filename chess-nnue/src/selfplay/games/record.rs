//! Games as viriformat and marlinformat keep them.

use std::format;
use std::vec::Vec;

use chess_records::{
    Label, LabelledPosition, MarlinRecord, Position, Score, Square, ViriFilter, ViriGames,
    ViriMove, ViriMoveKind, ViriWriter,
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

    /// The bytes of a game.
    pub(super) fn bytes(&self, game: &PlayedGame) -> Result<Vec<u8>, DatagenError> {
        let viri = viri(game)?;
        match self {
            Self::Viri => Ok(viri),
            Self::Marlin(filter) => marlin(&viri, filter),
        }
    }
}

fn viri(game: &PlayedGame) -> Result<Vec<u8>, DatagenError> {
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

fn marlin(viri: &[u8], filter: &ViriFilter) -> Result<Vec<u8>, DatagenError> {
    let mut bytes = Vec::new();
    for position in ViriGames::new(viri)?.positions() {
        let position = position?;
        if filter.keeps(&position) {
            bytes.extend(position.to_marlin_lossy().as_bytes());
        }
    }
    Ok(bytes)
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
