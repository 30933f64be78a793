//! The 4545 bytes, and what can be read from them without checking anything.

use core::fmt;

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::layout::{Layout, RankOrder};
use super::plane::Plane;
use super::policy::{CELLS, Policy};
use crate::{Color, Wing};

/// A position as `.zdat` files have it, seen from the side to move; see the [module](super) for the
/// table.
///
/// Any 4545 bytes are a record: nothing is checked until [`ZdatRecord::decode`] or a `verify`. The
/// type is aligned to 1, so that the records of a decompressed group are borrowed as they stand.
/// Numbers are what the bytes say, NaN included.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ZdatRecord {
    planes: [[u8; 8]; Plane::COUNT],
    policy: [u8; CELLS],
    scalars: [F32; ZdatRecord::SCALARS],
    score: F32,
    outcome: F32,
    moves_to_go: u8,
}

const _: () = assert!(size_of::<ZdatRecord>() == 4545 && align_of::<ZdatRecord>() == 1);

/// The scalars by number.
pub(super) const STATIC_EVAL: usize = 0;
pub(super) const QUIESCENCE: usize = 1;
pub(super) const CASTLING: usize = 2;
pub(super) const REPEATED: usize = 6;
pub(super) const FIFTY: usize = 7;

impl ZdatRecord {
    /// The size of a record.
    pub const BYTES: usize = 4545;
    /// How many scalars a record has.
    pub const SCALARS: usize = 18;

    pub(super) const SCALARS_OFFSET: usize = 8 * Plane::COUNT + CELLS;
    pub(super) const SCORE_OFFSET: usize = Self::SCALARS_OFFSET + 4 * Self::SCALARS;

    /// A record whose bytes are all 0: an empty board, no legal move.
    #[must_use]
    pub fn zeroed() -> Self {
        Self::new_zeroed()
    }

    /// The record with these bytes. Any bytes will do.
    #[must_use]
    pub const fn from_bytes(bytes: &[u8; Self::BYTES]) -> &Self {
        zerocopy::transmute_ref!(bytes)
    }

    /// The bytes, borrowed.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        zerocopy::transmute_ref!(self)
    }

    /// Offset 8·plane: a plane as it stands, a byte for each row, the most significant bit being
    /// file a.
    #[must_use]
    pub const fn plane_rows(&self, plane: Plane) -> [u8; 8] {
        self.planes[plane.index()]
    }

    /// All planes as they stand.
    #[must_use]
    pub const fn planes(&self) -> &[[u8; 8]; Plane::COUNT] {
        &self.planes
    }

    /// A plane as a mask, bit *i* = square *i*, the side to move seen as White.
    #[must_use]
    pub const fn plane(&self, plane: Plane, rows: RankOrder) -> u64 {
        rows.mask(self.plane_rows(plane))
    }

    /// Offset 368: the policy as it stands, cell from·64 + to: 0 = illegal, else 1 + 254 p.
    #[must_use]
    pub const fn policy_cells(&self) -> &[u8; CELLS] {
        &self.policy
    }

    /// The legal moves and their probabilities, in the order of the cells.
    #[must_use]
    pub fn policy(&self, layout: Layout) -> Policy<'_> {
        Policy::new(&self.policy, layout.policy)
    }

    /// Offset 4464: all scalars as they stand. 8–17 are internal to the engine that made the format.
    #[must_use]
    pub fn scalars(&self) -> [f32; Self::SCALARS] {
        self.scalars.map(F32::get)
    }

    /// Offset 4464: the static evaluation, −1 (the mover loses) to 1.
    #[must_use]
    pub const fn static_eval(&self) -> f32 {
        self.scalars[STATIC_EVAL].get()
    }

    /// Offset 4468: the score of quiescence search, −1 (the mover loses) to 1.
    #[must_use]
    pub const fn quiescence(&self) -> f32 {
        self.scalars[QUIESCENCE].get()
    }

    /// Offsets 4472–4484: whether a side may castle on a wing, 0 or 1. [`Color::White`] is the side
    /// to move, as everywhere in records seen from it.
    #[must_use]
    pub const fn castling(&self, color: Color, wing: Wing) -> f32 {
        self.scalars[Self::castling_scalar(color, wing)].get()
    }

    pub(super) const fn castling_scalar(color: Color, wing: Wing) -> usize {
        CASTLING + 2 * color.index() + wing as usize
    }

    /// Offset 4488: whether the position was there before, 0 or 1.
    #[must_use]
    pub const fn repeated(&self) -> f32 {
        self.scalars[REPEATED].get()
    }

    /// Offset 4492: the fifty-move counter, 0 to 1. The format does not say what 1 stands for.
    #[must_use]
    pub const fn fifty(&self) -> f32 {
        self.scalars[FIFTY].get()
    }

    /// The fifty-move counter in plies, taken to be what this crate writes: plies over 100, none
    /// counted after 100. `None` if it is not from 0 to 1. No position is given this of itself:
    /// files by others may count otherwise.
    #[must_use]
    pub fn halfmove_clock(&self) -> Option<u8> {
        let fifty = self.fifty();
        (0.0..=1.0)
            .contains(&fifty)
            .then(|| (fifty * 100.0).round() as u8)
    }

    /// Offset 4536: the score, in no unit that the format gives.
    #[must_use]
    pub const fn score(&self) -> f32 {
        self.score.get()
    }

    /// Offset 4540: how the game ended for the side to move: −1 lost, 0 draw, 1 won.
    #[must_use]
    pub const fn outcome(&self) -> f32 {
        self.outcome.get()
    }

    /// Offset 4544: plies to the end of the game, as it stands; 255 = that or more, 0 = unknown.
    #[must_use]
    pub const fn moves_to_go(&self) -> u8 {
        self.moves_to_go
    }

    pub(super) fn set_plane(&mut self, plane: Plane, rows: RankOrder, mask: u64) {
        self.planes[plane.index()] = rows.rows(mask);
    }

    pub(super) fn set_policy(&mut self, cell: usize, value: u8) {
        self.policy[cell] = value;
    }

    pub(super) fn set_scalars(&mut self, scalars: [f32; Self::SCALARS]) {
        self.scalars = scalars.map(F32::new);
    }

    pub(super) fn set_targets(&mut self, score: f32, outcome: f32, moves_to_go: u8) {
        self.score = F32::new(score);
        self.outcome = F32::new(outcome);
        self.moves_to_go = moves_to_go;
    }
}

/// Equal when every byte is.
impl PartialEq for ZdatRecord {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for ZdatRecord {}

impl fmt::Debug for ZdatRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZdatRecord")
            .field("planes", &self.planes)
            .field("legal moves", &self.policy(Layout::default()).count())
            .field("scalars", &self.scalars())
            .field("score", &self.score())
            .field("outcome", &self.outcome())
            .field("moves_to_go", &self.moves_to_go)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_table_says() {
        let mut bytes = [0; 4545];
        bytes[8] = 0x80;
        bytes[368 + 12 * 64 + 28] = 255;
        for index in 0..20 {
            let offset = 4464 + 4 * index;
            bytes[offset..offset + 4].copy_from_slice(&(index as f32 + 0.5).to_le_bytes());
        }
        bytes[4544] = 7;
        let record = ZdatRecord::from_bytes(&bytes);
        assert_eq!(
            record.plane(Plane::own(crate::PieceType::Knight), RankOrder::Rank1First),
            1
        );
        let entry = record.policy(Layout::default()).next().unwrap();
        assert_eq!(
            (entry.from, entry.to),
            (crate::Square::E2, crate::Square::E4)
        );
        assert_eq!(entry.probability(), 1.0);
        assert_eq!((record.static_eval(), record.quiescence()), (0.5, 1.5));
        let castling = Color::ALL.map(|color| Wing::ALL.map(|wing| record.castling(color, wing)));
        assert_eq!(castling, [[2.5, 3.5], [4.5, 5.5]]);
        assert_eq!((record.repeated(), record.fifty()), (6.5, 7.5));
        assert_eq!(record.scalars()[17], 17.5);
        assert_eq!((record.score(), record.outcome()), (18.5, 19.5));
        assert_eq!(record.moves_to_go(), 7);
        assert_eq!(record.as_bytes(), &bytes);
        assert_eq!(ZdatRecord::SCORE_OFFSET, 4536);
    }

    #[test]
    fn the_clock_in_plies() {
        let clock = |fifty| {
            let mut record = ZdatRecord::zeroed();
            let mut scalars = [0.0; ZdatRecord::SCALARS];
            scalars[FIFTY] = fifty;
            record.set_scalars(scalars);
            record.halfmove_clock()
        };
        for plies in 0..=100u8 {
            assert_eq!(clock(f32::from(plies) / 100.0), Some(plies));
        }
        assert_eq!(clock(1.01), None);
        assert_eq!(clock(-0.01), None);
        assert_eq!(clock(f32::NAN), None);
    }
}
