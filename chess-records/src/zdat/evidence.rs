//! Which layout a file has, told from its records.

use core::fmt;

use super::decode::OwnMen;
use super::layout::{Layout, RankOrder};
use super::plane::Plane;
use super::record::ZdatRecord;
use crate::{Color, PieceType, Wing};

/// What records say of the [`Layout`] they are in.
///
/// Three things are asked of each record under each layout:
///
/// - Who may castle has the king on the first rank of his side.
/// - Every move of the policy leaves an own man, and ends on none but for castling written as king
///   onto own rook.
/// - Moves of own pawns go up the board.
///
/// A layout under which a record fails is contradicted by it. The answer is the one layout that no
/// record contradicts; a few hundred records from anywhere in a file are plenty, and a single one of
/// a game's first moves is enough.
///
/// ```
/// # fn tell(records: &[chess_records::ZdatRecord]) {
/// use chess_records::zdat::LayoutEvidence;
///
/// let evidence: LayoutEvidence = records.iter().collect();
/// match evidence.layout() {
///     Ok(layout) => println!("{layout}"),
///     Err(undecided) => println!("{undecided}"),
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayoutEvidence {
    records: u64,
    /// By the layout's place in [`Layout::ALL`].
    contradicting: [u64; Layout::COUNT],
}

/// That records do not tell their layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// Several layouts fit every record.
    Ambiguous {
        /// How many records were looked at.
        records: u64,
        /// Which fit, as in [`Layout::ALL`].
        fitting: [bool; Layout::COUNT],
    },
    /// Every layout is contradicted by some record: they are damaged, or were mixed.
    Contradictory {
        /// How many records were looked at.
        records: u64,
        /// How many of them contradict each layout, as in [`Layout::ALL`].
        contradicting: [u64; Layout::COUNT],
    },
}

impl LayoutEvidence {
    /// No record seen yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            records: 0,
            contradicting: [0; Layout::COUNT],
        }
    }

    /// Takes a record into account.
    pub fn add(&mut self, record: &ZdatRecord) {
        self.records += 1;
        for (layout, contradicting) in Layout::ALL.iter().zip(&mut self.contradicting) {
            *contradicting += u64::from(!fits(record, *layout));
        }
    }

    /// How many records were taken into account.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// How many of them contradict each layout, as in [`Layout::ALL`].
    #[must_use]
    pub const fn contradicting(&self) -> [u64; Layout::COUNT] {
        self.contradicting
    }

    /// The only layout that no record contradicts.
    ///
    /// # Errors
    ///
    /// [`Undecided`] when there are several such layouts or none.
    pub fn layout(&self) -> Result<Layout, Undecided> {
        let fitting = self.contradicting.map(|count| count == 0);
        let mut left = Layout::ALL
            .into_iter()
            .zip(fitting)
            .filter(|(_, fits)| *fits);
        let records = self.records;
        match (left.next(), left.next()) {
            (Some((layout, _)), None) => Ok(layout),
            (Some(_), Some(_)) => Err(Undecided::Ambiguous { records, fitting }),
            (None, _) => Err(Undecided::Contradictory {
                records,
                contradicting: self.contradicting,
            }),
        }
    }

    /// The order of the planes' rows, which is enough to decode positions: records without a policy
    /// may tell this alone.
    #[must_use]
    pub fn rows(&self) -> Option<RankOrder> {
        let [one, eight] = RankOrder::ALL.map(|rows| {
            let counts = Layout::ALL.iter().zip(self.contradicting);
            counts
                .filter(|(layout, _)| layout.rows == rows)
                .any(|(_, count)| count == 0)
        });
        match (one, eight) {
            (true, false) => Some(RankOrder::Rank1First),
            (false, true) => Some(RankOrder::Rank8First),
            _ => None,
        }
    }
}

impl<'a> Extend<&'a ZdatRecord> for LayoutEvidence {
    fn extend<I: IntoIterator<Item = &'a ZdatRecord>>(&mut self, records: I) {
        for record in records {
            self.add(record);
        }
    }
}

impl<'a> FromIterator<&'a ZdatRecord> for LayoutEvidence {
    fn from_iter<I: IntoIterator<Item = &'a ZdatRecord>>(records: I) -> Self {
        let mut evidence = Self::new();
        evidence.extend(records);
        evidence
    }
}

fn fits(record: &ZdatRecord, layout: Layout) -> bool {
    castling_kings_at_home(record, layout.rows) && policy_fits(record, layout)
}

fn castling_kings_at_home(record: &ZdatRecord, rows: RankOrder) -> bool {
    let king = PieceType::King;
    let planes = [Plane::own(king), Plane::opponent(king)];
    Color::ALL.into_iter().zip(planes).all(|(color, plane)| {
        let home = 0xff << (8 * color.home_rank());
        let may_castle = Wing::ALL
            .iter()
            .any(|&wing| record.castling(color, wing) == 1.0);
        !may_castle || record.plane(plane, rows) & home != 0
    })
}

fn policy_fits(record: &ZdatRecord, layout: Layout) -> bool {
    let own = OwnMen::of(record, layout.rows);
    let pawns = record.plane(Plane::own(PieceType::Pawn), layout.rows);
    record.policy(layout).all(|entry| {
        let goes_up = entry.to.rank() > entry.from.rank();
        own.check(entry).is_ok() && (goes_up || pawns & entry.from.bit() == 0)
    })
}

/// One line, such as `undecided after 3 records: they fit rank 1 first, policy from a1; rank 8 first,
/// policy from a8`.
impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ambiguous { records, fitting } => {
                write!(f, "undecided after {records} records: they fit ")?;
                let fitting = Layout::ALL.iter().zip(fitting).filter(|(_, fits)| **fits);
                for (number, (layout, _)) in fitting.enumerate() {
                    let separator = if number == 0 { "" } else { "; " };
                    write!(f, "{separator}{layout}")?;
                }
                Ok(())
            }
            Self::Contradictory {
                records,
                contradicting,
            } => {
                write!(f, "undecided after {records} records: ")?;
                for (number, (layout, count)) in Layout::ALL.iter().zip(contradicting).enumerate() {
                    let separator = if number == 0 { "" } else { "; " };
                    write!(f, "{separator}{count} contradict {layout}")?;
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for Undecided {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Square;
    use std::string::ToString;

    /// A record with own men and moves, in the given layout.
    fn record(
        layout: Layout,
        men: &[(PieceType, Square)],
        moves: &[(Square, Square)],
    ) -> ZdatRecord {
        let mut record = ZdatRecord::zeroed();
        for &(piece_type, square) in men {
            let plane = Plane::own(piece_type);
            let mask = record.plane(plane, layout.rows) | square.bit();
            record.set_plane(plane, layout.rows, mask);
        }
        for &(from, to) in moves {
            let number = |square| usize::from(layout.policy.number(square));
            record.set_policy(number(from) * 64 + number(to), 9);
        }
        record
    }

    fn with_right(mut record: ZdatRecord, color: Color) -> ZdatRecord {
        let mut scalars = [0.0; ZdatRecord::SCALARS];
        scalars[ZdatRecord::castling_scalar(color, Wing::Queenside)] = 1.0;
        record.set_scalars(scalars);
        record
    }

    fn tell(record: &ZdatRecord) -> Result<Layout, Undecided> {
        [record].into_iter().collect::<LayoutEvidence>().layout()
    }

    #[test]
    fn a_pawn_and_its_moves_tell_everything() {
        for layout in Layout::ALL {
            let men = [(PieceType::Pawn, Square::E2)];
            let moved = record(layout, &men, &[(Square::E2, Square::E4)]);
            assert_eq!(tell(&moved), Ok(layout));
        }
    }

    #[test]
    fn castling_rights_tell_the_rows_and_a_king_the_policy() {
        for layout in Layout::ALL {
            let men = [(PieceType::King, Square::E1), (PieceType::Rook, Square::A1)];
            let castles = record(layout, &men, &[(Square::E1, Square::A1)]);
            let undecided = tell(&castles).unwrap_err();
            assert!(matches!(undecided, Undecided::Ambiguous { .. }));
            assert_eq!(tell(&with_right(castles, Color::White)), Ok(layout));
            let silent = with_right(record(layout, &men, &[]), Color::White);
            let evidence: LayoutEvidence = [&silent].into_iter().collect();
            assert_eq!(evidence.rows(), Some(layout.rows));
            assert!(evidence.layout().is_err());
        }
    }

    #[test]
    fn the_opponents_king_counts_as_well() {
        for rows in RankOrder::ALL {
            let mut record = ZdatRecord::zeroed();
            record.set_plane(Plane::opponent(PieceType::King), rows, Square::E8.bit());
            let evidence: LayoutEvidence =
                [&with_right(record, Color::Black)].into_iter().collect();
            assert_eq!(evidence.rows(), Some(rows));
        }
    }

    #[test]
    fn only_a_king_may_move_onto_a_rook() {
        let men = [
            (PieceType::King, Square::E1),
            (PieceType::Rook, Square::A1),
            (PieceType::Rook, Square::E8),
        ];
        let layout = Layout::default();
        let contradictory = |moves| {
            matches!(
                tell(&record(layout, &men, moves)),
                Err(Undecided::Contradictory { .. })
            )
        };
        assert!(!contradictory(&[(Square::E1, Square::E8)]));
        assert!(contradictory(&[
            (Square::A1, Square::E8),
            (Square::A1, Square::E1)
        ]));
    }

    #[test]
    fn what_does_not_tell_is_undecided() {
        assert_eq!(
            LayoutEvidence::new().layout().unwrap_err().to_string(),
            "undecided after 0 records: they fit rank 1 first, policy from a1; \
             rank 1 first, policy from a8; rank 8 first, policy from a1; \
             rank 8 first, policy from a8"
        );
        let knight = [(PieceType::Knight, Square::B1)];
        let symmetric = record(Layout::default(), &knight, &[(Square::B1, Square::C3)]);
        assert_eq!(
            tell(&symmetric).unwrap_err().to_string(),
            "undecided after 1 records: they fit rank 1 first, policy from a1; \
             rank 8 first, policy from a8"
        );
        let pawn = [(PieceType::Pawn, Square::E2)];
        let mixed = Layout::ALL.map(|l| record(l, &pawn, &[(Square::E2, Square::E3)]));
        let evidence: LayoutEvidence = mixed[1..3].iter().collect();
        assert_eq!(
            evidence.layout().unwrap_err().to_string(),
            "undecided after 2 records: 2 contradict rank 1 first, policy from a1; \
             1 contradict rank 1 first, policy from a8; 1 contradict rank 8 first, policy from a1; \
             2 contradict rank 8 first, policy from a8"
        );
        assert_eq!((evidence.records(), evidence.rows()), (2, None));
        assert_eq!(evidence.contradicting(), [2, 1, 1, 2]);
        // One that contradicts itself: its pawn may castle, so to say, and goes down.
        let down = with_right(
            record(Layout::default(), &pawn, &[(Square::E2, Square::E1)]),
            Color::White,
        );
        assert!(matches!(tell(&down), Err(Undecided::Contradictory { .. })));
    }
}
