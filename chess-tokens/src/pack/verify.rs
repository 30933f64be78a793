//! Looking at everything in a pack.

use super::{PackFault, PackFaultKind, TokenPack};
use crate::tokenizer::{BOS, EOS};

/// How many tokens are compared with the vocabulary at a time.
const STRETCH: usize = 4096;

impl TokenPack {
    /// Looks at every number of the pack and yields those at fault: starts that do not ascend or lie
    /// outside, in their order; tokens that the vocabulary does not have; and games that do not begin
    /// with `<bos>` or end with `<eos>`.
    ///
    /// A damaged pack may have a fault in every number.
    pub fn verify(&self) -> impl Iterator<Item = PackFault> {
        let starts = self.start_faults();
        let ends = self.game_faults();
        starts.chain(self.token_faults()).chain(ends)
    }

    fn start_faults(&self) -> impl Iterator<Item = PackFault> {
        let before = self.starts().iter().copied();
        let before = [-1].into_iter().chain(before);
        let pairs = self.starts().iter().copied().zip(before).zip(0..);
        pairs.filter_map(|((start, before), game)| {
            let kind = self.kind_of_start(game, start, before)?;
            Some(self.start_fault(game, kind))
        })
    }

    fn kind_of_start(&self, game: u64, found: i64, previous: i64) -> Option<PackFaultKind> {
        let n_tokens = self.meta().n_tokens;
        if u64::try_from(found).map_or(true, |start| start >= n_tokens) {
            return Some(PackFaultKind::StartOutside { found, n_tokens });
        }
        if game == 0 {
            return (found != 0).then_some(PackFaultKind::FirstStart { found });
        }
        (found <= previous).then_some(PackFaultKind::NotAscending { found, previous })
    }

    fn token_faults(&self) -> impl Iterator<Item = PackFault> {
        let vocab_size = self.meta().vocab_size;
        let is_fault = move |token: u16| u32::from(token) >= vocab_size;
        let stretches = self.tokens().chunks(STRETCH).zip((0..).step_by(STRETCH));
        let faulty = stretches.filter(move |(stretch, _)| {
            // The whole stretch, so that many are compared at a time.
            stretch
                .iter()
                .fold(false, |any, &token| any | is_fault(token))
        });
        faulty.flat_map(move |(stretch, first)| {
            let numbered = stretch.iter().copied().zip(first..);
            let faults = numbered.filter(move |&(token, _)| is_fault(token));
            faults.map(move |(found, index)| {
                self.token_fault(index, PackFaultKind::Token { found, vocab_size })
            })
        })
    }

    /// Of games that start where they can.
    fn game_faults(&self) -> impl Iterator<Item = PackFault> {
        (0..self.len()).flat_map(|game| {
            let range = self.game_range(game).ok().flatten().unwrap_or_default();
            let tokens = &self.tokens()[range.clone()];
            let no_bos = tokens.first().filter(|&&first| first != BOS);
            let no_bos = no_bos.map(|&found| {
                self.token_fault(range.start as u64, PackFaultKind::NoBos { game, found })
            });
            let no_eos = tokens.last().filter(|&&last| last != EOS);
            let no_eos = no_eos.map(|&found| {
                let last = range.end as u64 - 1;
                self.token_fault(last, PackFaultKind::NoEos { game, found })
            });
            no_bos.into_iter().chain(no_eos)
        })
    }
}
