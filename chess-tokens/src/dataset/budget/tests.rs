use super::super::tests::{assert_blocks_hold_everything, dealt, pack, pack_with};
use super::*;
use chess_records::{Loader, LoaderConfig, Sampler, SamplerConfig};
use proptest::prelude::*;
use std::error::Error;

fn batches(lens: &[usize], budget: usize, order: BudgetOrder) -> TokenBudget<u16> {
    TokenBudget::new(pack(lens), budget, order).unwrap()
}

fn gathered(batches: &TokenBudget<u16>, indices: &[u64]) -> PaddedBatch<u16> {
    let mut batch = PaddedBatch::default();
    batches.gather(indices, &mut batch).unwrap();
    batch
}

fn games(batches: &TokenBudget<u16>) -> Vec<Vec<u64>> {
    let games = |index| gathered(batches, &[index]).games().to_vec();
    (0..batches.len()).map(games).collect()
}

#[test]
fn in_the_order_of_the_pack() {
    let batches = batches(&[3, 2, 4, 5, 2], 9, BudgetOrder::Pack);
    assert_eq!(games(&batches), [vec![0, 1], vec![2], vec![3], vec![4]]);
    let first = gathered(&batches, &[0]);
    assert_eq!((first.rows(), first.width()), (2, 3));
    assert_eq!(first.x(), [1, 1, 2, 1, 2, 0]);
    assert_eq!(first.y(), [1, 2, 0, 2, 0, 0]);
    assert_eq!(first.lengths(), [3, 2]);
    assert_eq!(batches.game_start(0), Some(true));
}

#[test]
fn by_length() {
    let lens = [3, 2, 4, 5, 2];
    let first = batches(&lens, 9, BudgetOrder::Length { seed: 1 });
    let games = games(&first);
    assert_eq!(games.len(), 3);
    // 2, 2, 3 and then 4 and 5, which are too large together.
    assert_eq!((games[0].len(), games[0][2]), (3, 0));
    assert_eq!(games[1..], [[2], [3]]);
}

#[test]
fn seeds_bring_other_games_together() {
    let lens = [4; 40];
    let of = |seed| games(&batches(&lens, 20, BudgetOrder::Length { seed }));
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn several_batches_in_one() {
    let batches = batches(&[3, 2, 4, 5, 2], 9, BudgetOrder::Pack);
    let both = gathered(&batches, &[3, 0]);
    assert_eq!((both.games(), both.width()), (&[4, 0, 1][..], 3));
    assert_eq!(both.x(), [1, 2, 0, 1, 1, 2, 1, 2, 0]);
    let none = gathered(&batches, &[]);
    assert_eq!((none.rows(), none.width(), none.x().len()), (0, 0, 0));
}

#[test]
fn what_cannot_be() {
    let long = TokenBudget::<u16>::new(pack(&[3, 5]), 4, BudgetOrder::Pack).unwrap_err();
    assert_eq!(
        long.to_string(),
        "game 1 has 5 tokens, more than the 4 of a batch"
    );
    for order in [BudgetOrder::Pack, BudgetOrder::Length { seed: 0 }] {
        let pack = pack_with(&[0, 3, 2], &[1, 2, 1, 2, 1, 2]);
        let error = TokenBudget::<u16>::new(pack, 9, order).unwrap_err();
        assert_eq!(error.to_string(), "starts.npy: row 2 at byte 144");
        assert!(error.source().is_some());
    }
    let one = batches(&[3, 3], 9, BudgetOrder::Pack);
    let error = one.gather(&[1], &mut PaddedBatch::default()).unwrap_err();
    assert_eq!(error.to_string(), "sample 1 asked for, the dataset holds 1");
    assert!(batches(&[], 9, BudgetOrder::Pack).is_empty());
}

#[test]
fn ranks_and_loaders() {
    let lens: Vec<usize> = (0..300).map(|game| 2 + game * 7 % 19).collect();
    let batches = Arc::new(batches(&lens, 64, BudgetOrder::Length { seed: 4 }));
    assert_eq!(dealt(&batches), (0..batches.len()).collect::<Vec<_>>());
    assert_blocks_hold_everything(&batches);
    let sampler = Sampler::new(Arc::clone(&batches), SamplerConfig::new(1).seed(1)).unwrap();
    let loader = Loader::new(sampler, LoaderConfig::new(1)).unwrap();
    let mut seen: Vec<u64> = loader
        .flat_map(|batch| batch.unwrap().data.games().to_vec())
        .collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..300));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 128 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Each game is in one batch, whole; no batch is over the budget, and none could have taken the
    /// first game of the next.
    #[test]
    fn every_game_once(
        lens in prop::collection::vec(2usize..40, 0..40),
        budget in 40usize..200,
        seed in prop::option::of(0u64..3),
    ) {
        let order = seed.map_or(BudgetOrder::Pack, |seed| BudgetOrder::Length { seed });
        let batches = batches(&lens, budget, order);
        let pack = pack(&lens);
        let mut seen = Vec::new();
        let mut before: Option<PaddedBatch<u16>> = None;
        for index in 0..batches.len() {
            let batch = gathered(&batches, &[index]);
            let width = batch.width();
            prop_assert!(batch.rows() * width <= budget);
            prop_assert_eq!(batch.x().len(), batch.rows() * width);
            if let Some(before) = before {
                let widened = before.width().max(lens[batch.games()[0] as usize]);
                prop_assert!((before.rows() + 1) * widened > budget);
            }
            for (row, &game) in batch.games().iter().enumerate() {
                let tokens = pack.game(game).unwrap().unwrap();
                prop_assert_eq!(batch.lengths()[row] as usize, tokens.len());
                let x = &batch.x()[row * width..][..width];
                let y = &batch.y()[row * width..][..width];
                prop_assert_eq!(&x[..tokens.len()], tokens);
                prop_assert_eq!(&y[..tokens.len() - 1], &tokens[1..]);
                prop_assert!(x[tokens.len()..].iter().chain(&y[tokens.len() - 1..]).all(|&t| t == PAD));
            }
            seen.extend_from_slice(batch.games());
            before = Some(batch);
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..lens.len() as u64));
    }
}
