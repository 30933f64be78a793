//! Where games begin in a file of single positions.
//!
//! A new game begins where (fullmove number, side to move) does not grow. That holds only if the
//! records of a game stand together and in order, which a shuffled file's do not; and nothing in a
//! file says whether it was shuffled. So neighbours which the rule puts into one game are asked
//! whether they can be of one game: a game has one result, and its men never grow in number. Where
//! more than one such pair in ten says no, or more than half of those in one place, the file is taken
//! not to be in game order. A file of which less than a 64th is shuffled may pass.

use crate::view::sealed::{GameClue, Sealed};

/// How many stretches of a long file are looked at.
pub(crate) const STRETCHES: usize = 64;
/// How many records a stretch has.
pub(crate) const STRETCH: usize = 64;
/// Of how many pairs one may contradict the rule. Files in order do contradict it: a game that
/// begins at a higher move number than the last one ended is not noticed.
const TOLERATED: usize = 10;

/// Whether the records seem to stand in game order. Looks at no more than 4096 of them.
pub(crate) fn in_game_order<R: Sealed>(records: &[R]) -> bool {
    if !R::TELLS_GAMES {
        return false;
    }
    if records.len() < 2 {
        return true;
    }
    let mut pairs = Pairs::default();
    if records.len() <= STRETCHES * STRETCH {
        pairs.count(records);
    } else {
        for stretch in 0..STRETCHES {
            // In 128 bits: a file may be larger than a 64th of the address space.
            let room = (records.len() - STRETCH) as u128;
            let start = (room * stretch as u128 / (STRETCHES - 1) as u128) as usize;
            let mut here = Pairs::default();
            here.count(&records[start..start + STRETCH]);
            if here.are_shuffled() {
                return false;
            }
            pairs.count(&records[start..start + STRETCH]);
        }
    }
    pairs.in_game_order()
}

/// Whether a game starts at `records[index]`, in records that stand in game order.
pub(crate) fn game_start<R: Sealed>(records: &[R], index: usize) -> Option<bool> {
    if index == 0 {
        return Some(true);
    }
    let (before, here) = (records[index - 1].game_clue()?, records[index].game_clue()?);
    Some(starts_after(before, here))
}

pub(crate) const fn starts_after(before: GameClue, here: GameClue) -> bool {
    here.ply <= before.ply
}

/// Neighbours, counted by what they say of the order they stand in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// Of which both tell their move number.
    told: usize,
    /// Of these, which the rule puts into the same game.
    same_game: usize,
    /// Of these, which cannot be of the same game.
    contradicting: usize,
}

impl Pairs {
    fn count<R: Sealed>(&mut self, stretch: &[R]) {
        for pair in stretch.windows(2) {
            if let (Some(before), Some(here)) = (pair[0].game_clue(), pair[1].game_clue()) {
                self.count_pair(before, here);
            }
        }
    }

    /// Counts a pair of neighbours.
    pub(crate) fn count_pair(&mut self, before: GameClue, here: GameClue) {
        let contradicts = here.result != before.result || here.men > before.men;
        self.add(!starts_after(before, here), contradicts);
    }

    /// Counts a pair of which both tell where they stand in a game: whether the rule puts them into
    /// the same game, and whether they contradict that.
    pub(crate) fn add(&mut self, same_game: bool, contradicts: bool) {
        self.told += 1;
        self.same_game += usize::from(same_game);
        self.contradicting += usize::from(same_game && contradicts);
    }

    /// Whether these few neighbours lie so badly that a part of the file must have been shuffled, be
    /// the rest in order: half of what the rule puts into one game cannot be of one.
    fn are_shuffled(&self) -> bool {
        self.same_game >= 8 && self.contradicting * 2 > self.same_game
    }

    pub(crate) fn in_game_order(&self) -> bool {
        self.told > 0 && self.contradicting * TOLERATED <= self.same_game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MarlinMoveRecord, MarlinRecord};
    use std::vec::Vec;

    /// A record of which only the clues matter.
    fn record(number: u16, black: bool, men: u32, result: u8) -> MarlinRecord {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&((1u64 << men) - 1).to_le_bytes());
        bytes[24] = if black { 0xc0 } else { 0x40 };
        bytes[26..28].copy_from_slice(&number.to_le_bytes());
        bytes[30] = result;
        MarlinRecord::from_bytes(&bytes)
    }

    fn starts(records: &[MarlinRecord]) -> Vec<Option<bool>> {
        (0..records.len())
            .map(|index| game_start(records, index))
            .collect()
    }

    #[test]
    fn a_game_begins_where_number_and_side_do_not_grow() {
        let records = [
            record(5, false, 32, 1),
            record(5, true, 32, 1),
            record(6, false, 32, 1),
            record(6, false, 32, 1), // the same again
            record(7, true, 32, 1),
            record(7, false, 32, 1), // White after Black, same number
            record(0, false, 32, 1),
            record(8, false, 32, 1),
        ];
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(starts(&records), [yes, no, no, yes, no, yes, None, None]);
    }

    #[test]
    fn one_contradiction_in_ten_is_tolerated() {
        let game = |result: [u8; 11]| -> Vec<_> {
            let plies = (1..).zip(result);
            plies
                .map(|(ply, result)| record(ply, false, 20, result))
                .collect()
        };
        assert!(in_game_order(&game([1; 11])));
        assert!(in_game_order(&game([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])));
        assert!(!in_game_order(&game([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0])));
        let grows = [record(1, false, 20, 1), record(2, false, 21, 1)];
        assert!(!in_game_order(&grows));
    }

    #[test]
    fn files_that_do_not_tell() {
        let silent = [record(0, false, 32, 1), record(0, true, 32, 1)];
        assert!(!in_game_order(&silent));
        assert!(in_game_order(&silent[..1]));
        let move_record = MarlinMoveRecord::from_bytes(&[0; 32]);
        assert!(!in_game_order(&[move_record]));
    }

    #[test]
    fn long_files_are_looked_at_from_end_to_end() {
        let sound = |n: usize| record((n % 60 + 1) as u16, false, 20, (n / 60 % 3) as u8);
        let mut records: Vec<_> = (0..100_000).map(sound).collect();
        assert!(in_game_order(&records));
        let last = records.len() - STRETCH;
        let mixed = |n: usize| record(n as u16 + 1, false, 20, (n % 3) as u8);
        let stretches: Vec<_> = (0..STRETCH).map(mixed).collect();
        for stretch in 0..STRETCHES {
            let start = last * stretch / (STRETCHES - 1);
            if stretch % 8 == 7 {
                records[start..start + STRETCH].copy_from_slice(&stretches);
            }
        }
        assert!(!in_game_order(&records));
    }
}
