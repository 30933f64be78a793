//! What holds for any lengths, order and mode.

use super::*;
use proptest::prelude::*;

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Sequential),
        Just(Order::Shuffled),
        (1u32..8).prop_map(|window| Order::Blocks { window }),
    ]
}

fn any_mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Exact), Just(Mode::DropLast), Just(Mode::Wrap)]
}

fn any_lengths() -> impl Strategy<Value = Lengths> {
    prop::collection::vec(1u64..20, 0..12).prop_map(Lengths)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The ranks of an exact epoch are disjoint, together hold everything, and dealing them back
    /// gives one order whatever their number and the batch size.
    #[test]
    fn exact_ranks_share_one_order(
        lens in any_lengths(), order in any_order(), seed: u64,
        world_size in 1u32..18, batch_size in 1usize..40,
    ) {
        let config = SamplerConfig::new(batch_size).seed(seed).order(order);
        let whole = order_of(&lens, SamplerConfig::new(1).seed(seed).order(order));
        prop_assert_eq!(&dealt(&lens, config, world_size), &whole);
        let mut sorted = whole;
        sorted.sort_unstable();
        prop_assert!(sorted.into_iter().eq(0..lens.len()));
    }

    /// The other modes follow the same order and differ at its end alone.
    #[test]
    fn other_modes_cut_or_repeat_the_order(
        lens in any_lengths(), order in any_order(), seed: u64,
        world_size in 1u32..18, batch_size in 1usize..40,
    ) {
        let config = SamplerConfig::new(batch_size).seed(seed).order(order);
        let whole = order_of(&lens, config);
        let world = world_size as usize;
        let kept = whole.len() - whole.len() % world;
        let dropped = dealt(&lens, config.mode(Mode::DropLast), world_size);
        prop_assert_eq!(&dropped[..], &whole[..kept]);
        let wrapped = dealt(&lens, config.mode(Mode::Wrap), world_size);
        let padded = whole.len().next_multiple_of(world);
        let expected: Vec<_> = whole.iter().cycle().take(padded).copied().collect();
        prop_assert_eq!(wrapped, expected);
    }

    /// All ranks have batches of the same shape and are in the same state after each.
    #[test]
    fn ranks_keep_step(
        lens in any_lengths(), order in any_order(), mode in any_mode(),
        world_size in 1u32..18, batch_size in 1usize..40,
    ) {
        let config = SamplerConfig::new(batch_size).order(order).mode(mode);
        let steps = |rank| {
            let mut rank = sampler(&lens, config.rank(rank, world_size));
            let mut steps = vec![];
            while let Some(batch) = rank.next() {
                steps.push((batch.indices().len(), rank.state(), rank.batches_left()));
            }
            let rows: usize = steps.iter().map(|step| step.0).sum();
            assert_eq!(rows as u64, rank.rows_per_epoch());
            steps
        };
        let first = steps(0);
        for rank in 1..world_size {
            prop_assert_eq!(&steps(rank), &first);
        }
    }

    /// A new sampler that is given a state goes on as the old one does.
    #[test]
    fn a_restored_sampler_goes_on(
        lens in any_lengths(), order in any_order(), mode in any_mode(), seed: u64, epoch: u64,
        ranks in (0u32..9, 1u32..9), batch_size in 1usize..40, steps in 0usize..20,
    ) {
        let config = SamplerConfig::new(batch_size).seed(seed).order(order).mode(mode);
        let config = config.rank(ranks.0 % ranks.1, ranks.1);
        let mut old = sampler(&lens, config);
        old.set_epoch(epoch);
        old.by_ref().take(steps).for_each(drop);
        let mut new = sampler(&lens, config);
        // From somewhere else, so that it has to go back or forth.
        new.set_epoch(epoch);
        new.by_ref().take(7).for_each(drop);
        new.restore(&old.state()).unwrap();
        prop_assert_eq!(new.batches_left(), old.batches_left());
        prop_assert!(new.eq(old));
    }

    /// In an exact epoch, another number of ranks goes on with the same global batches.
    #[test]
    fn another_world_size_goes_on(
        lens in any_lengths(), order in any_order(), share in 1usize..5, steps in 0usize..20,
    ) {
        let global_batches = |world_size: u32, state: Option<SamplerState>| {
            let config = SamplerConfig::new(12 * share / world_size as usize).order(order);
            let ranks = (0..world_size).map(|rank| {
                let mut rank = sampler(&lens, config.rank(rank, world_size));
                state.iter().for_each(|state| rank.restore(state).unwrap());
                rank
            });
            let mut ranks: Vec<_> = ranks.collect();
            let mut batches = vec![];
            loop {
                let parts: Vec<_> = ranks.iter_mut().filter_map(Iterator::next).collect();
                if parts.is_empty() {
                    break batches;
                }
                assert_eq!(parts.len(), ranks.len());
                let samples = parts.iter().flat_map(|part| part.samples().to_vec());
                let mut samples: Vec<_> = samples.collect();
                samples.sort_unstable();
                batches.push((samples, ranks[0].state().position));
            }
        };
        let whole = global_batches(4, None);
        let mut stopped = sampler(&lens, SamplerConfig::new(3 * share).order(order).rank(1, 4));
        stopped.by_ref().take(steps).for_each(drop);
        for world_size in [1, 2, 3, 6, 12] {
            let rest = global_batches(world_size, Some(stopped.state()));
            prop_assert_eq!(&rest[..], &whole[steps.min(whole.len())..]);
        }
    }

    /// A block is read from its first sample to its last, and no more blocks are open at a time
    /// than the window holds.
    #[test]
    fn blocks_are_read_in_order(lens in any_lengths(), window in 1u32..8, seed: u64) {
        let config = SamplerConfig::new(3).seed(seed).order(Order::Blocks { window });
        let mut next: Vec<_> = (0..lens.block_count()).map(|b| lens.block(b).start).collect();
        let mut open = 0;
        for sample in order_of(&lens, config) {
            let of = |&block: &u64| lens.block(block).contains(&sample);
            let block = (0..lens.block_count()).find(of).unwrap();
            let range = lens.block(block);
            prop_assert_eq!(sample, next[block as usize]);
            next[block as usize] += 1;
            open += u32::from(sample == range.start);
            prop_assert!(open <= window);
            open -= u32::from(sample + 1 == range.end);
        }
        prop_assert_eq!(open, 0);
    }
}
