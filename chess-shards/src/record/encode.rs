//! From a position and its moves to bytes.

use chess_records::{Board, Color, GameResult, Position};
use thiserror::Error;

use super::decode::{result_number, rights, rook_home};
use super::{FlatFields, FlatRecord};
use crate::Action;

/// Why a position cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FlatEncodeError {
    /// A castling right that only Chess960 has.
    #[error(
        "castling rights with king or rook off its usual square, which flat shards cannot hold"
    )]
    Chess960,
    /// The move played is not among the legal ones.
    #[error("the move played, {target}, is not among the {legal} legal moves")]
    Target {
        /// The move.
        target: Action,
        /// How many legal moves there are.
        legal: usize,
    },
}

impl FlatRecord {
    /// The record of a position from which `target` was played after `ply` plies of a game.
    ///
    /// `legal` are all legal moves, the one played included, in the order in which they are to be
    /// written; the move played is put first. Of more than 64, the last are left out, and the second
    /// value is true.
    ///
    /// The en passant file is written only where such a capture is legal, whatever the position says.
    ///
    /// # Errors
    ///
    /// When the castling rights are Chess960's, or `target` is not among `legal`.
    pub fn encode(
        position: &Position,
        target: Action,
        legal: impl IntoIterator<Item = Action>,
        result: GameResult,
        ply: u16,
    ) -> Result<(Self, bool), FlatEncodeError> {
        let list = LegalList::new(target, legal)?;
        let en_passant = position.normalize_en_passant().en_passant();
        let fields = FlatFields {
            position: men(position),
            legal_idx: list.numbers,
            legal_cnt: list.used as u8,
            from_square: target.from_square().into(),
            action_plane: target.plane(),
            castling_rights: castling_bits(position)?,
            en_passant_file: en_passant.map_or(8, chess_records::Square::file),
            is_white: u8::from(position.side_to_move() == Color::White),
            result: result_number(result),
            move_number: ply,
        };
        Ok((Self::from_fields(&fields), list.clipped))
    }
}

struct LegalList {
    numbers: [u16; FlatRecord::LEGAL_CAP],
    used: usize,
    clipped: bool,
}

impl LegalList {
    fn new(
        target: Action,
        legal: impl IntoIterator<Item = Action>,
    ) -> Result<Self, FlatEncodeError> {
        let mut list = Self {
            numbers: [Action::PAD; FlatRecord::LEGAL_CAP],
            used: 1,
            clipped: false,
        };
        list.numbers[0] = target.index();
        let (mut count, mut found) = (0, false);
        for action in legal {
            count += 1;
            if action == target {
                found = true;
            } else {
                list.push(action);
            }
        }
        if found {
            Ok(list)
        } else {
            Err(FlatEncodeError::Target {
                target,
                legal: count,
            })
        }
    }

    fn push(&mut self, action: Action) {
        match self.numbers.get_mut(self.used) {
            Some(number) => {
                *number = action.index();
                self.used += 1;
            }
            None => self.clipped = true,
        }
    }
}

fn men(position: &Position) -> [u8; 64] {
    let mut men = [0; 64];
    for (piece, square) in position.placement().pieces() {
        men[square.index()] = piece.index() as u8 + 1;
    }
    men
}

fn castling_bits(position: &Position) -> Result<u8, FlatEncodeError> {
    let (castling, placement) = (position.castling(), position.placement());
    let mut bits = 0;
    for (bit, color, wing) in rights() {
        match castling.rook(color, wing) {
            None => {}
            Some(rook) if rook == rook_home(color, wing) && placement.king(color).file() == 4 => {
                bits |= bit;
            }
            Some(_) => return Err(FlatEncodeError::Chess960),
        }
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::Square;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    fn encode(fen: &str, target: u16) -> Result<(FlatRecord, bool), FlatEncodeError> {
        let target = Action::new(target).unwrap();
        FlatRecord::encode(&position(fen), target, [target], GameResult::Draw, 7)
    }

    #[test]
    fn rights_result_and_en_passant() {
        let fen = "r3k2r/8/8/8/3pP3/8/8/R3K2R b Kq e3 0 1";
        let (record, clipped) = encode(fen, 0).unwrap();
        assert!(!clipped);
        assert_eq!(record.castling_rights(), 0b1001);
        assert_eq!(record.en_passant_file(), 4);
        assert_eq!((record.is_white(), record.result()), (false, 0));
        assert_eq!(record.move_number(), 7);
        assert_eq!(
            record.decode().unwrap().position.fen().to_string(),
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b Kq e3 0 4"
        );
        // The pawn on d4 is pinned by the rook.
        let (record, _) = encode("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", 0).unwrap();
        assert_eq!(record.en_passant_file(), 8);
    }

    #[test]
    fn lists_are_cut_at_64_and_lead_with_the_move_played() {
        let actions: Vec<_> = (0..4672).filter_map(|n| Action::new(n).ok()).collect();
        let kings = position("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let of = |target: usize, legal: usize| {
            let legal = actions[..legal].iter().copied();
            FlatRecord::encode(&kings, actions[target], legal, GameResult::BlackWon, 0).unwrap()
        };
        let (record, clipped) = of(63, 64);
        assert!(!clipped);
        assert_eq!(record.legal_cnt(), 64);
        assert_eq!(record.legal_idx()[0], actions[63].index());
        assert_eq!(record.legal_idx()[1], actions[0].index());
        assert_eq!(record.legal_idx()[63], actions[62].index());
        let (record, clipped) = of(64, 65);
        assert!(clipped);
        assert_eq!(record.legal_cnt(), 64);
        assert_eq!(record.target(), Ok(actions[64]));
        assert_eq!(record.legal_idx()[63], actions[62].index());
        let (record, _) = of(1, 3);
        assert_eq!(record.legal_idx()[3..], [Action::PAD; 61]);
        assert_eq!(record.legal_actions().count(), 3);
        assert_eq!(record.result(), 2);
    }

    #[test]
    fn texts() {
        let kings = position("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let e2 = Action::at(Square::E1, 0).unwrap();
        let error = FlatRecord::encode(&kings, e2, [], GameResult::Draw, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the move played, e1e2, is not among the 0 legal moves"
        );
        for fen in [
            "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1",
            "4k3/8/8/8/8/8/8/3K3R w H - 0 1",
        ] {
            assert_eq!(
                encode(fen, 0).unwrap_err().to_string(),
                "castling rights with king or rook off its usual square, which flat shards cannot hold"
            );
        }
    }
}
