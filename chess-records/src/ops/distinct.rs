//! How many different positions there are, about.

use std::boxed::Box;
use std::vec;

use super::PositionKey;
use crate::Position;

/// An estimate of how many different positions it has seen, in 16 KiB however many there are:
/// HyperLogLog (Flajolet and others, 2007) on the hash of each position's [key](PositionKey), with
/// linear counting where few are seen. Its standard error is 0.8 %; a few thousand are counted nearly
/// exactly.
#[derive(Clone, Debug)]
pub struct DistinctPositions {
    /// For each beginning of a hash, the most zeros that followed it, and one.
    registers: Box<[u8]>,
    seen: u64,
}

/// Of the hash choose the register.
const BITS: u32 = 14;
const REGISTERS: usize = 1 << BITS;

/// Nothing seen yet.
impl Default for DistinctPositions {
    fn default() -> Self {
        Self {
            registers: vec![0; REGISTERS].into_boxed_slice(),
            seen: 0,
        }
    }
}

impl DistinctPositions {
    /// Counts a position.
    pub fn add(&mut self, position: &Position) {
        let hash = PositionKey::new(position).hash(0);
        let register = &mut self.registers[(hash >> (u64::BITS - BITS)) as usize];
        // A set bit at the end bounds the zeros.
        let zeros = (hash << BITS | 1).leading_zeros();
        *register = (*register).max(zeros as u8 + 1);
        self.seen += 1;
    }

    /// How many positions were counted.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// About how many of them are different.
    #[must_use]
    pub fn distinct(&self) -> u64 {
        let registers = REGISTERS as f64;
        let empty = self.registers.iter().filter(|&&most| most == 0).count();
        let sum: f64 = self
            .registers
            .iter()
            .map(|&most| (-f64::from(most)).exp2())
            .sum();
        // The constants of the paper.
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let estimate = if raw <= 2.5 * registers && empty > 0 {
            registers * (registers / empty as f64).ln()
        } else {
            raw
        };
        (estimate.round() as u64).min(self.seen)
    }

    /// The share of those seen that are copies of others, about.
    #[must_use]
    pub fn duplicate_share(&self) -> f64 {
        if self.seen == 0 {
            return 0.0;
        }
        1.0 - self.distinct() as f64 / self.seen as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many different positions, each twice.
    fn seen(count: u32) -> DistinctPositions {
        let mut distinct = DistinctPositions::default();
        for number in 0..count {
            // The squares of a rook and a knight, and pawns.
            let (rook, knight) = (number % 7, number / 7 % 7);
            let pawns = (0..16).map(|bit| {
                if ((number / 49) >> bit) & 1 == 1 {
                    'P'
                } else {
                    'p'
                }
            });
            let pawns: std::string::String = pawns.collect();
            let row = |piece: char, at: u32| {
                let mut row = std::string::String::new();
                if at > 0 {
                    row += &std::format!("{at}");
                }
                row.push(piece);
                if at < 7 {
                    row += &std::format!("{}", 7 - at);
                }
                row
            };
            let fen = std::format!(
                "k7/{}/8/{}/{}/8/{}/7K w - - 0 1",
                row('R', rook),
                &pawns[..8],
                &pawns[8..],
                row('N', knight),
            );
            let position = Position::from_fen(&fen).unwrap();
            distinct.add(&position);
            distinct.add(&position);
        }
        distinct
    }

    #[test]
    fn few_are_counted_and_many_estimated() {
        let none = DistinctPositions::default();
        assert_eq!((none.distinct(), none.duplicate_share()), (0, 0.0));
        for (count, error) in [(1, 0.0), (1000, 0.01), (30_000, 0.03), (200_000, 0.03)] {
            let distinct = seen(count);
            assert_eq!(distinct.seen(), 2 * u64::from(count));
            let off = distinct.distinct() as f64 / f64::from(count) - 1.0;
            assert!(off.abs() <= error, "{off} of {count}");
            assert!((distinct.duplicate_share() - 0.5).abs() <= error);
        }
    }
}
