//! One half of `beside_numpy.py`: gathers windows from the pack in a folder and prints tokens per
//! second, one line for each type and way.
//!
//! ```sh
//! cargo bench -p chess-tokens --features mmap --bench beside_numpy -- FOLDER BATCH BLOCK
//! ```
// Helpers of benches fail by panicking; the pack is mapped.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, unsafe_code)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chess_records::{Dataset, Permutation};
use chess_tokens::dataset::{TokenElement, WindowBatch, WindowMode, Windows};
use chess_tokens::pack::TokenPack;
use chess_tokens::tokenizer::PAD;

const RUNS: usize = 8;
const BATCHES: usize = 100;

/// Tokens per second: the median of seven runs of 100 batches, after one that warms up.
fn rate<T: TokenElement + PartialEq>(
    pack: &Arc<TokenPack>,
    batch: usize,
    block: usize,
    mode: WindowMode,
) -> f64 {
    let windows = Windows::<T>::new(Arc::clone(pack), block, mode).unwrap();
    let len = windows.len();
    let order = Permutation::new(len.max((RUNS * BATCHES * batch) as u64), 1);
    let order: Vec<u64> = order
        .iter()
        .map(|index| index % len)
        .take(RUNS * BATCHES * batch)
        .collect();
    let batches: Vec<&[u64]> = order.chunks_exact(batch).collect();
    let mut out = WindowBatch::default();
    windows.gather(batches[0], &mut out).unwrap();
    let tokens = pack.tokens();
    for (row, &index) in batches[0].iter().enumerate() {
        let origin = match mode {
            WindowMode::Games => pack.starts()[index as usize] as usize,
            WindowMode::Blocks => index as usize * block,
        };
        for place in 0..block {
            let token = |at: usize| T::from_token(tokens.get(at).copied().unwrap_or(PAD));
            assert!(out.x()[row * block + place] == token(origin + place));
            let next = if place + 1 < block {
                token(origin + place + 1)
            } else {
                T::from_token(PAD)
            };
            assert!(out.y()[row * block + place] == next);
        }
    }
    let mut times: Vec<Duration> = batches
        .chunks_exact(BATCHES)
        .map(|batches| {
            let start = Instant::now();
            for picks in batches {
                windows.gather(picks, &mut out).unwrap();
                black_box(&mut out);
            }
            start.elapsed()
        })
        .skip(1)
        .collect();
    times.sort();
    (BATCHES * batch * block) as f64 / times[times.len() / 2].as_secs_f64()
}

fn main() {
    let arguments = std::env::args().filter(|argument| argument != "--bench");
    let arguments: Vec<_> = arguments.collect();
    let [_, folder, batch, block] = &arguments[..] else {
        return;
    };
    let (batch, block) = (batch.parse().unwrap(), block.parse().unwrap());
    let read = Arc::new(TokenPack::read(folder).unwrap());
    // SAFETY: nobody changes the pack of a bench.
    let mapped = Arc::new(unsafe { TokenPack::map(folder) }.unwrap());
    for (name, pack) in [("mapped", mapped), ("read", read)] {
        for mode in [WindowMode::Games, WindowMode::Blocks] {
            println!(
                "u16 {name} {mode:?}\t{:.0}",
                rate::<u16>(&pack, batch, block, mode)
            );
            println!(
                "i32 {name} {mode:?}\t{:.0}",
                rate::<i32>(&pack, batch, block, mode)
            );
            println!(
                "i64 {name} {mode:?}\t{:.0}",
                rate::<i64>(&pack, batch, block, mode)
            );
        }
    }
}
