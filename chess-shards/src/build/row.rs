//! From a position of a game to its record.

use chess_records::GameResult;
use shakmaty::{CastlingSide, Chess, Color, Move, Position};

use super::order;
use crate::{Action, ActionError, FlatFields, FlatRecord};

/// Encodes positions, and keeps the buffer that it sorts legal moves in.
#[derive(Default)]
pub(super) struct RowEncoder {
    keys: Vec<u32>,
}

/// A record, and whether legal moves were left out of it.
pub(super) struct Row {
    pub(super) record: FlatRecord,
    pub(super) overflow: bool,
}

impl RowEncoder {
    /// The record of a position from which `target`, a legal move, was played after `ply` others.
    pub(super) fn encode(
        &mut self,
        position: &Chess,
        target: Move,
        result: GameResult,
        ply: u16,
    ) -> Result<Row, ActionError> {
        order::ordered_keys(position, &mut self.keys)?;
        let target = Action::try_from(&target)?;
        let fields = FlatFields {
            position: men(position),
            legal_idx: self.legal_list(target),
            legal_cnt: self.keys.len().min(FlatRecord::LEGAL_CAP) as u8,
            from_square: target.from_square().into(),
            action_plane: target.plane(),
            castling_rights: castling_bits(position),
            en_passant_file: en_passant_file(position),
            is_white: u8::from(position.turn() == Color::White),
            result: result_number(result),
            move_number: ply,
        };
        Ok(Row {
            record: FlatRecord::from_fields(&fields),
            overflow: self.keys.len() > FlatRecord::LEGAL_CAP,
        })
    }

    /// The move played, and then as many of the others as there is room for.
    fn legal_list(&self, target: Action) -> [u16; FlatRecord::LEGAL_CAP] {
        let mut list = [Action::PAD; FlatRecord::LEGAL_CAP];
        let actions = self.keys.iter().map(|&key| order::action(key));
        let others = actions.filter(|&action| action != target.index());
        let all = std::iter::once(target.index()).chain(others);
        list.iter_mut()
            .zip(all)
            .for_each(|(slot, action)| *slot = action);
        list
    }
}

fn men(position: &Chess) -> [u8; 64] {
    let mut men = [0; 64];
    for (square, piece) in position.board() {
        let offset = piece.color.fold_wb(0, 6);
        men[usize::from(square)] = offset + piece.role as u8;
    }
    men
}

fn castling_bits(position: &Chess) -> u8 {
    let mut bits = 0;
    for (number, color) in [Color::White, Color::Black].into_iter().enumerate() {
        for (side, bit) in [(CastlingSide::KingSide, 1), (CastlingSide::QueenSide, 2)] {
            if position.castles().has(color, side) {
                bits |= bit << (2 * number);
            }
        }
    }
    bits
}

/// 8 where no en passant capture is legal.
fn en_passant_file(position: &Chess) -> u8 {
    let square = position.legal_ep_square();
    square.map_or(8, |square| square.file() as u8)
}

/// The result as flat shards number it, which is not how [`GameResult`] does.
const fn result_number(result: GameResult) -> i8 {
    match result {
        GameResult::Draw => 0,
        GameResult::WhiteWon => 1,
        GameResult::BlackWon => 2,
    }
}
