//! Which games come into which row.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{DocumentError, DocumentOptions, Fit, LongGames};
use crate::pack::{PackFault, TokenPack};

/// A game, or a piece of one: tokens that follow each other.
///
/// From the low bits on: the number of the first token (40 bits), how many there are (23 bits), and
/// whether the game goes on after them (1 bit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece(u64);

impl Piece {
    const START_BITS: u32 = 40;
    const GOES_ON: u64 = 1 << 63;
    /// How many tokens can be told apart.
    pub(super) const MOST_TOKENS: u64 = 1 << Self::START_BITS;

    fn new(tokens: Range<usize>, goes_on: bool) -> Self {
        let start = tokens.start as u64;
        let len = (tokens.len() as u64) << Self::START_BITS;
        Self(start | len | if goes_on { Self::GOES_ON } else { 0 })
    }

    pub(super) const fn start(self) -> usize {
        (self.0 & (Self::MOST_TOKENS - 1)) as usize
    }

    pub(super) const fn len(self) -> usize {
        ((self.0 & !Self::GOES_ON) >> Self::START_BITS) as usize
    }

    /// Which tokens.
    pub(super) const fn tokens(self) -> Range<usize> {
        self.start()..self.start() + self.len()
    }

    /// The token that comes next in the game, if there is one.
    pub(super) const fn next(self) -> Option<usize> {
        match self.0 & Self::GOES_ON {
            0 => None,
            _ => Some(self.start() + self.len()),
        }
    }
}

/// The pieces of all rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pieces: Vec<Piece>,
    /// For each row one past its last piece.
    ends: Vec<usize>,
}

impl Plan {
    pub(super) fn new(pack: &TokenPack, options: DocumentOptions) -> Result<Self, DocumentError> {
        let found = pack.tokens().len() as u64;
        if found > Piece::MOST_TOKENS {
            return Err(DocumentError::TooManyTokens { found });
        }
        let pieces = pieces(pack, options);
        let plan = match options.fit {
            Fit::Next => Self::next_fit(pieces, options.block),
            Fit::Best { window } => Self::best_fit(pieces, options.block, window),
        };
        Ok(plan?)
    }

    fn next_fit(
        pieces: impl Iterator<Item = Result<Piece, PackFault>>,
        block: usize,
    ) -> Result<Self, PackFault> {
        let (mut plan, mut left) = (Self::default(), block);
        for piece in pieces {
            let piece = piece?;
            if piece.len() > left {
                plan.end_row();
                left = block;
            }
            plan.pieces.push(piece);
            left -= piece.len();
        }
        plan.end_row();
        Ok(plan)
    }

    fn best_fit(
        mut pieces: impl Iterator<Item = Result<Piece, PackFault>>,
        block: usize,
        window: usize,
    ) -> Result<Self, PackFault> {
        let (mut plan, mut waiting) = (Self::default(), Waiting::default());
        loop {
            while waiting.by_age.len() < window {
                match pieces.next() {
                    Some(piece) => waiting.push(piece?),
                    None => break,
                }
            }
            let Some(first) = waiting.take_oldest() else {
                return Ok(plan);
            };
            let mut left = block - first.len();
            plan.pieces.push(first);
            while let Some(piece) = waiting.take_longest(left) {
                left -= piece.len();
                plan.pieces.push(piece);
            }
            plan.end_row();
        }
    }

    fn end_row(&mut self) {
        let begun = self.ends.last().copied().unwrap_or(0) < self.pieces.len();
        if begun {
            self.ends.push(self.pieces.len());
        }
    }

    pub(super) const fn rows(&self) -> u64 {
        self.ends.len() as u64
    }

    /// How many tokens all rows have together.
    pub(super) fn tokens(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// The pieces of a row.
    pub(super) fn row(&self, index: u64) -> Option<&[Piece]> {
        let index = usize::try_from(index).ok()?;
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.pieces.get(start..end)
    }
}

/// The games in their order, those that are longer than a row in pieces.
fn pieces(
    pack: &TokenPack,
    options: DocumentOptions,
) -> impl Iterator<Item = Result<Piece, PackFault>> {
    let DocumentOptions {
        block, long_games, ..
    } = options;
    let most = match long_games {
        LongGames::Split => usize::MAX,
        LongGames::Cut => 1,
    };
    (0..pack.len()).flat_map(move |game| {
        let range = pack.game_range(game);
        let fault = range.as_ref().err().cloned().map(Err);
        let Range { start, end } = range.ok().flatten().unwrap_or_default();
        let starts = (start..end).step_by(block).take(most);
        let pieces = starts.map(move |start| {
            let piece_end = end.min(start + block);
            Ok(Piece::new(start..piece_end, piece_end < end))
        });
        fault.into_iter().chain(pieces)
    })
}

/// Pieces that have no row yet.
#[derive(Default)]
struct Waiting {
    by_age: BTreeMap<u64, Piece>,
    /// Of those of one length the oldest is the last.
    by_len: BTreeSet<(usize, Reverse<u64>)>,
    next_age: u64,
}

impl Waiting {
    fn push(&mut self, piece: Piece) {
        self.by_age.insert(self.next_age, piece);
        self.by_len.insert((piece.len(), Reverse(self.next_age)));
        self.next_age += 1;
    }

    fn take_oldest(&mut self) -> Option<Piece> {
        let (age, piece) = self.by_age.pop_first()?;
        self.by_len.remove(&(piece.len(), Reverse(age)));
        Some(piece)
    }

    /// The longest of at most so many tokens.
    fn take_longest(&mut self, most: usize) -> Option<Piece> {
        let last = (most, Reverse(0));
        let &longest = self.by_len.range(..=last).next_back()?;
        self.by_len.remove(&longest);
        self.by_age.remove(&longest.1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_what_they_are_made_of() {
        let last = (1usize << 40) - 1;
        for (tokens, goes_on) in [
            (0..1, false),
            (7..(1 << 20) + 7, true),
            (last..last + 3, true),
        ] {
            let piece = Piece::new(tokens.clone(), goes_on);
            assert_eq!(piece.tokens(), tokens);
            assert_eq!((piece.start(), piece.len()), (tokens.start, tokens.len()));
            assert_eq!(piece.next(), goes_on.then_some(tokens.end));
        }
    }

    fn lens(
        fit: impl FnOnce(Vec<Result<Piece, PackFault>>) -> Result<Plan, PackFault>,
        lens: &[usize],
    ) -> Vec<Vec<usize>> {
        let mut start = 0;
        let pieces = lens.iter().map(|&len| {
            start += len;
            Ok(Piece::new(start - len..start, false))
        });
        let plan = fit(pieces.collect()).unwrap();
        let row = |index| {
            plan.row(index)
                .unwrap()
                .iter()
                .map(|piece| piece.len())
                .collect()
        };
        (0..plan.rows()).map(row).collect()
    }

    #[test]
    fn the_next_that_fits() {
        let fit = |pieces: Vec<_>| Plan::next_fit(pieces.into_iter(), 10);
        let rows = lens(fit, &[4, 6, 5, 4, 3, 10, 1]);
        assert_eq!(rows, [vec![4, 6], vec![5, 4], vec![3], vec![10], vec![1]]);
        assert!(lens(fit, &[]).is_empty());
    }

    #[test]
    fn the_longest_that_fits() {
        let fit = |window| move |pieces: Vec<_>| Plan::best_fit(pieces.into_iter(), 10, window);
        let games = [4, 5, 6, 3, 1, 10, 2];
        let rows = lens(fit(9), &games);
        assert_eq!(rows, [vec![4, 6], vec![5, 3, 2], vec![1], vec![10]]);
        // A window of three sees less.
        let rows = lens(fit(3), &games);
        assert_eq!(rows, [vec![4, 6], vec![5, 3, 1], vec![10], vec![2]]);
        assert_eq!(lens(fit(1), &games), games.map(|len| vec![len]));
        assert!(lens(fit(9), &[]).is_empty());
    }
}
