use super::super::tests::{assert_blocks_hold_everything, dealt, pack, pack_with};
use super::*;
use chess_records::{Loader, LoaderConfig, Order, Sampler, SamplerConfig};
use proptest::prelude::*;
use std::error::Error;

fn rows<T: TokenElement, S: Dataset<Batch = Vec<WindowOrigin>>>(
    windows: &Windows<T, S>,
    indices: &[u64],
) -> Vec<(Vec<T>, Vec<T>)> {
    let mut batch = WindowBatch::default();
    windows.gather(indices, &mut batch).unwrap();
    assert_eq!(
        (batch.rows(), batch.block()),
        (indices.len(), windows.window_len())
    );
    let block = windows.window_len();
    let rows = batch.x().chunks(block).zip(batch.y().chunks(block));
    rows.map(|(x, y)| (x.to_vec(), y.to_vec())).collect()
}

fn windows(pack: Arc<TokenPack>, block: usize, mode: WindowMode) -> Windows {
    Windows::new(pack, block, mode).unwrap()
}

#[test]
fn from_games_and_in_blocks() {
    let pack = pack(&[4, 3]); // 1 1 2 2, 1 1001 2
    let games = windows(Arc::clone(&pack), 5, WindowMode::Games);
    assert_eq!(games.len(), 2);
    assert_eq!(games.game_start(1), Some(true));
    assert_eq!(
        rows(&games, &[1, 0]),
        [
            (vec![1, 1001, 2, 0, 0], vec![1001, 2, 0, 0, 0]),
            (vec![1, 1, 2, 2, 1], vec![1, 2, 2, 1, 0]),
        ]
    );
    let blocks = windows(pack, 3, WindowMode::Blocks);
    assert_eq!((blocks.len(), blocks.game_start(0)), (2, None));
    assert_eq!(
        rows(&blocks, &[0, 1]),
        [
            (vec![1, 1, 2], vec![1, 2, 0]),
            (vec![2, 1, 1001], vec![1, 1001, 0])
        ]
    );
}

#[test]
fn how_many() {
    let count = |lens: &[usize], block, mode| windows(pack(lens), block, mode).len();
    assert_eq!(count(&[], 2, WindowMode::Blocks), 0);
    assert_eq!(count(&[], 2, WindowMode::Games), 0);
    assert_eq!(count(&[2], 3, WindowMode::Blocks), 1);
    assert_eq!(count(&[6], 3, WindowMode::Blocks), 2);
    assert_eq!(count(&[8], 3, WindowMode::Blocks), 2);
    assert_eq!(count(&[8], 3, WindowMode::Games), 1);
    let short = windows(pack(&[2]), 4, WindowMode::Blocks);
    assert_eq!(rows(&short, &[0]), [(vec![1, 2, 0, 0], vec![2, 0, 0, 0])]);
    assert_blocks_hold_everything(&short);
    assert_blocks_hold_everything(&windows(pack(&[2; 9000]), 4, WindowMode::Games));
}

#[test]
fn what_cannot_be() {
    let error = Windows::<u16>::new(pack(&[4]), 1, WindowMode::Games).unwrap_err();
    assert_eq!(error.to_string(), "block is 1 tokens, expected at least 2");
    let mixed = MixedWindows::<u16>::mixed([(pack(&[4]), u64::MAX)], 2, WindowMode::Games, 0);
    let error = mixed.unwrap_err();
    assert_eq!(error.to_string(), "the packs cannot be mixed");
    assert!(
        error
            .source()
            .unwrap()
            .to_string()
            .starts_with("the weight of source 0 is")
    );

    let games = windows(pack(&[4]), 2, WindowMode::Games);
    let error = games.gather(&[1], &mut WindowBatch::default()).unwrap_err();
    assert_eq!(error.to_string(), "sample 1 asked for, the dataset holds 1");
    // Opening looks at the first and the last start alone.
    let games = windows(
        pack_with(&[0, 9, 2], &[1, 2, 1, 2, 1, 2]),
        2,
        WindowMode::Games,
    );
    let error = games
        .gather(&[0, 1], &mut WindowBatch::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "record 1 at byte 136");
    let fault = error.source().unwrap();
    assert_eq!(fault.to_string(), "starts.npy: row 1 at byte 136");
    let kind = fault.source().unwrap().to_string();
    assert_eq!(kind, "the game starts at token 9 of 6");
}

#[test]
fn buffers_of_the_caller() {
    let games = windows(pack(&[4, 3]), 3, WindowMode::Games);
    let (mut x, mut y) = ([9; 6], [9; 6]);
    games.gather_into(&[1, 0], &mut x, &mut y).unwrap();
    assert_eq!((x, y), ([1, 1001, 2, 1, 1, 2], [1001, 2, 0, 1, 2, 0]));
}

#[test]
#[should_panic = "the length of y"]
fn a_buffer_that_is_too_short() {
    let games = windows(pack(&[4, 3]), 3, WindowMode::Games);
    let _ = games.gather_into(&[1, 0], &mut [0; 6], &mut [0; 5]);
}

#[test]
fn several_packs_end_to_end() {
    let both = WindowsEndToEnd::<i32>::end_to_end(
        [pack(&[3]), pack(&[]), pack(&[4, 3])],
        3,
        WindowMode::Games,
    );
    let both = both.unwrap();
    assert_eq!((both.len(), both.packs().len()), (3, 3));
    let x: Vec<_> = rows(&both, &[2, 0, 1])
        .into_iter()
        .map(|(x, _)| x)
        .collect();
    assert_eq!(x, [[1, 1001, 2], [1, 1, 2], [1, 1, 2]]);
    assert_eq!(rows(&both, &[1])[0].1, [1, 2, 0]);
    assert_blocks_hold_everything(&both);
}

/// The second tokens of all windows: what tells the games of these packs apart.
fn mixture(seed: u64) -> Vec<u16> {
    let (many, few) = (
        pack(&[3; 60]),
        pack_with(&[0, 3, 6], &[1, 7, 2, 1, 8, 2, 1, 9, 2]),
    );
    let mixed = MixedWindows::mixed([(many, 2), (few, 1)], 3, WindowMode::Games, seed).unwrap();
    assert_blocks_hold_everything(&mixed);
    let all: Vec<u64> = (0..mixed.len()).collect();
    rows(&mixed, &all).into_iter().map(|(x, _)| x[1]).collect()
}

#[test]
fn packs_mixed_by_weight() {
    let mixed = mixture(1);
    // Two of the large pack for each of the small one, until that runs out.
    let is_few: Vec<bool> = mixed
        .iter()
        .map(|&token| (7..10).contains(&token))
        .collect();
    let expected = [0, 1, 0, 0, 1, 0, 0, 1, 0, 0].map(|few| few == 1);
    assert_eq!(is_few, expected);
    let mut few: Vec<_> = mixed
        .iter()
        .filter(|&&token| (7..10).contains(&token))
        .collect();
    few.sort_unstable();
    assert_eq!(few, [&7, &8, &9], "each once");
    assert_eq!(mixture(1), mixed, "the same seed");
    assert_ne!(mixture(2), mixed, "another seed");
}

#[test]
fn ranks_share_all_windows() {
    let pack = pack(&[5; 50]);
    for mode in [WindowMode::Games, WindowMode::Blocks] {
        let windows = windows(Arc::clone(&pack), 5, mode);
        assert_eq!(dealt(&windows), (0..50).collect::<Vec<_>>());
    }
}

/// A loader that goes on from the state after any batch gives the same batches as one that was never
/// interrupted, however many threads each has.
#[test]
fn exact_resumption() {
    let (first, second) = (pack(&[6; 40]), pack(&[7; 30]));
    let loader = |threads| {
        let packs = [(Arc::clone(&first), 3), (Arc::clone(&second), 2)];
        let windows = MixedWindows::<i64>::mixed(packs, 9, WindowMode::Games, 5).unwrap();
        let config = SamplerConfig::new(4)
            .seed(3)
            .order(Order::Shuffled)
            .rank(1, 2);
        let sampler = Sampler::new(windows, config).unwrap();
        Loader::new(sampler, LoaderConfig::new(threads)).unwrap()
    };
    let whole: Vec<_> = loader(2).map(Result::unwrap).collect();
    assert!(whole.len() > 4);
    for (done, batch) in whole.iter().enumerate() {
        let mut resumed = loader(done % 2);
        resumed.restore(&batch.state).unwrap();
        let rest: Vec<_> = resumed.map(Result::unwrap).collect();
        assert_eq!(rest, whole[done + 1..], "after batch {done}");
    }
}

/// The format's own words: `x[j]` is token `o + j`, `y[j]` token `o + j + 1` but for the last, padding
/// past the end.
fn window(tokens: &[u16], origin: usize, block: usize) -> (Vec<i64>, Vec<i64>) {
    let token = |at: usize| tokens.get(at).copied().unwrap_or(PAD).into();
    let x = (0..block).map(|j| token(origin + j));
    let y = (0..block).map(|j| {
        if j + 1 < block {
            token(origin + j + 1)
        } else {
            0
        }
    });
    (x.collect(), y.collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 128 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_window(lens in prop::collection::vec(2usize..30, 1..12), block in 2usize..70) {
        let pack = pack(&lens);
        for mode in [WindowMode::Games, WindowMode::Blocks] {
            let windows = Windows::<i64>::new(Arc::clone(&pack), block, mode).unwrap();
            let small = Windows::<i32>::new(Arc::clone(&pack), block, mode).unwrap();
            let all: Vec<u64> = (0..windows.len()).collect();
            for (index, (x, y)) in rows(&windows, &all).into_iter().enumerate() {
                let origin = match mode {
                    WindowMode::Games => pack.starts()[index] as usize,
                    WindowMode::Blocks => index * block,
                };
                let row = &rows(&small, &[index as u64])[0];
                prop_assert!(row.0.iter().copied().map(i64::from).eq(x.iter().copied()));
                prop_assert!(row.1.iter().copied().map(i64::from).eq(y.iter().copied()));
                prop_assert_eq!((x, y), window(pack.tokens(), origin, block));
            }
        }
    }
}
