//! One game: its bytes, its moves, and its positions replayed.

use core::iter::FusedIterator;

use zerocopy::FromBytes;

use super::{PLY_BYTES, START_BYTES, ViriError, ViriFault};
use crate::{
    Board, Color, Label, Labelled, LabelledPosition, MarlinError, MarlinMoveRecord, MarlinRecord,
    Placement, Position, Score, ViriMove, ViriMoveError,
};

/// A game as it stands in bytes: a start record and moves with scores, without the zeros at the end.
///
/// ```
/// use chess_records::ViriGame;
///
/// # let bytes: Vec<u8> = [
/// #     0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88,
/// #     0x9e, 0xca, 0xad, 0xe9, 0x40, 0, 1, 0, 0, 0, 2, 0, 0x0c, 0x07, 0x11, 0, 0, 0, 0, 0,
/// # ].to_vec();
/// let (game, rest) = ViriGame::first(&bytes, 0, 0)?; // number 0, at byte 0
/// assert!(rest.is_empty());
/// for position in game.positions() {
///     let position = position?; // replayed, or the ply at fault
///     println!("{} {}", position.labelled.text()?, position.played);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ViriGame<'a> {
    number: u64,
    byte_offset: u64,
    start: &'a MarlinRecord,
    plies: &'a [[u8; PLY_BYTES]],
}

impl<'a> ViriGame<'a> {
    /// The first game of `bytes` and what follows it. `number` and `byte_offset` are what faults are
    /// to say of it: how many games and bytes stand before. Neither the start record nor the moves
    /// are checked.
    ///
    /// # Errors
    ///
    /// A [`ViriFault`] when the bytes end before the game does.
    pub fn first(
        bytes: &'a [u8],
        number: u64,
        byte_offset: u64,
    ) -> Result<(Self, &'a [u8]), ViriFault> {
        let fault = |ply, error| ViriFault {
            game: number,
            game_offset: byte_offset,
            ply,
            error,
        };
        let Ok((start, after_start)) = MarlinRecord::ref_from_prefix(bytes) else {
            let found = bytes.len();
            return Err(fault(None, ViriError::CutStart { found }));
        };
        let (plies, tail) = after_start.as_chunks();
        let Some(len) = plies.iter().position(|ply| *ply == [0; PLY_BYTES]) else {
            let error = match tail.len() {
                0 => ViriError::NoEnd,
                found => ViriError::CutPly { found },
            };
            return Err(fault(Some(plies.len() as u64), error));
        };
        let game = Self {
            number,
            byte_offset,
            start,
            plies: &plies[..len],
        };
        Ok((game, &after_start[(len + 1) * PLY_BYTES..]))
    }

    /// The game's number, from 0.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Where the game starts, in bytes.
    #[must_use]
    pub const fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// How many bytes the game has, the zeros at its end included.
    #[must_use]
    pub const fn byte_len(&self) -> usize {
        START_BYTES + PLY_BYTES * (self.plies.len() + 1)
    }

    /// The record the game starts with. Its result is the game's.
    #[must_use]
    pub const fn start(&self) -> &'a MarlinRecord {
        self.start
    }

    /// How many moves the game has, and so how many positions with a score.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.plies.len()
    }

    /// Whether the game has no move.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// The moves with their scores, as they are written: nothing is played. A score is White's, in
    /// centipawns, of the position before the move.
    #[must_use]
    pub fn moves(&self) -> ViriMoves<'a> {
        ViriMoves(self.plies.iter())
    }

    /// The positions before each move, replayed and checked. After a fault nothing more comes.
    #[must_use]
    pub fn positions(&self) -> ViriPositions<'a> {
        ViriPositions {
            game: *self,
            next: 0,
            at: None,
        }
    }

    /// The position after the last move.
    ///
    /// # Errors
    ///
    /// The first fault of the game.
    pub fn last_position(&self) -> Result<Position, ViriFault> {
        let mut positions = self.positions();
        positions
            .by_ref()
            .try_for_each(|position| position.map(|_| ()))?;
        match positions.at {
            Some(labelled) => Ok(labelled.position),
            // A game without moves.
            None => self.decode_start().map(|labelled| labelled.position),
        }
    }

    /// Checks everything: the start record, and every move by playing it.
    ///
    /// # Errors
    ///
    /// The first fault of the game.
    pub fn verify(&self) -> Result<(), ViriFault> {
        self.last_position().map(|_| ())
    }

    /// Checks the start record alone.
    ///
    /// # Errors
    ///
    /// When it is no position.
    pub fn check_start(&self) -> Result<(), ViriFault> {
        self.decode_start().map(|_| ())
    }

    fn decode_start(&self) -> Result<LabelledPosition, ViriFault> {
        self.start.decode().map_err(|error| self.at_start(error))
    }

    fn at_start(&self, error: MarlinError) -> ViriFault {
        self.fault(None, error.into())
    }

    const fn fault(&self, ply: Option<u64>, error: ViriError) -> ViriFault {
        ViriFault {
            game: self.number,
            game_offset: self.byte_offset,
            ply,
            error,
        }
    }
}

/// The moves of a game with White's score in centipawns before each, as they are written.
#[derive(Clone, Debug)]
pub struct ViriMoves<'a>(core::slice::Iter<'a, [u8; PLY_BYTES]>);

impl Iterator for ViriMoves<'_> {
    type Item = (Result<ViriMove, ViriMoveError>, i16);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().copied().map(read_ply)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for ViriMoves<'_> {}
impl FusedIterator for ViriMoves<'_> {}

fn read_ply(
    [low, high, score_low, score_high]: [u8; PLY_BYTES],
) -> (Result<ViriMove, ViriMoveError>, i16) {
    let bits = u16::from_le_bytes([low, high]);
    let score_cp = i16::from_le_bytes([score_low, score_high]);
    (ViriMove::from_bits(bits), score_cp)
}

/// A position of a game, with the move that was played in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViriPosition {
    /// How many moves of the game stand before it.
    pub ply: u64,
    /// The position, its score from White's side and the game's result.
    pub labelled: LabelledPosition,
    /// What was played.
    pub played: ViriMove,
}

impl ViriPosition {
    /// The position as a marlinformat record with extra byte 0. Lost are the move and the game that
    /// the position belongs to.
    ///
    /// # Panics
    ///
    /// When the label has been given another unit or lost a part; those of a game are whole.
    #[must_use]
    pub fn to_marlin_lossy(&self) -> MarlinRecord {
        match MarlinRecord::encode(&self.labelled, 0) {
            Ok(record) => record,
            Err(error) => panic!("{error}"),
        }
    }

    /// The position as a marlinformat record with the move played, in viriformat's packing, in the
    /// place of the fullmove number, which is lost as is the game.
    ///
    /// # Panics
    ///
    /// As [`ViriPosition::to_marlin_lossy`].
    #[must_use]
    pub fn to_marlin_move_lossy(&self) -> MarlinMoveRecord {
        MarlinMoveRecord::from_marlin_lossy(&self.to_marlin_lossy(), self.played.to_bits())
    }
}

impl Board for ViriPosition {
    fn side_to_move(&self) -> Color {
        self.labelled.side_to_move()
    }

    fn placement(&self) -> Placement {
        self.labelled.placement()
    }
}

impl Labelled for ViriPosition {
    fn label(&self) -> Label {
        self.labelled.label
    }
}

/// The positions of a game before each move, replayed; see [`ViriGame::positions`].
///
/// A position is yielded when the move played in it has been found legal.
#[derive(Clone, Debug)]
pub struct ViriPositions<'a> {
    game: ViriGame<'a>,
    next: usize,
    /// The position at `next`, with the game's result and the score before it.
    at: Option<LabelledPosition>,
}

impl ViriPositions<'_> {
    /// The position at `next`, whose ply is there; goes on to the one after it.
    fn replay(&mut self, ply: [u8; PLY_BYTES]) -> Result<ViriPosition, ViriFault> {
        let game = self.game;
        let at = match &mut self.at {
            Some(at) => at,
            at => at.insert(game.decode_start()?),
        };
        let ply_number = self.next as u64;
        let fault = |error| game.fault(Some(ply_number), error);
        let (played, score_cp) = read_ply(ply);
        let played = played.map_err(|error| fault(error.into()))?;
        at.label.score = Some(Score::Centipawns(score_cp));
        let here = ViriPosition {
            ply: ply_number,
            labelled: *at,
            played,
        };
        let after = at.position.after_move(played);
        at.position = after.map_err(|source| fault(ViriError::Move { played, source }))?;
        self.next += 1;
        Ok(here)
    }
}

impl Iterator for ViriPositions<'_> {
    type Item = Result<ViriPosition, ViriFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let ply = *self.game.plies.get(self.next)?;
        let here = self.replay(ply);
        if here.is_err() {
            self.next = self.game.plies.len();
        }
        Some(here)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.game.plies.len() - self.next;
        (left.min(1), Some(left))
    }
}

impl FusedIterator for ViriPositions<'_> {}
