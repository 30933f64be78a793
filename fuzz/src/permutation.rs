//! A permutation is a bijection.

use std::collections::HashSet;

use chess_records::Permutation;

use crate::bytes::words;

/// The longest order that is walked as a whole.
const LONGEST_WALK: u64 = 2_048;

/// Takes the bytes for a length, a seed and an index. Numbers from that index on must be different
/// and in range, and the same seed must put a short length fully in order.
pub fn permutation(data: &[u8]) {
    let [len, seed, index] = words(data);
    numbers_differ(&Permutation::new(len, seed), index);
    holds_every_number(&Permutation::new(len % LONGEST_WALK, seed));
}

fn numbers_differ(permutation: &Permutation, first: u64) {
    let mut seen = HashSet::new();
    for index in first..first.saturating_add(64) {
        let Some(number) = permutation.get(index) else {
            assert!(index >= permutation.len());
            continue;
        };
        assert!(index < permutation.len());
        assert!(number < permutation.len());
        assert!(seen.insert(number), "{number} twice");
    }
}

fn holds_every_number(permutation: &Permutation) {
    let mut all: Vec<u64> = permutation.iter().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..permutation.len()));
}
