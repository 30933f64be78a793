//! Stand-in until chess-records has `Permutation`.

/// A shuffle of 0..len.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    len: u64,
    half_bits: u32,
    keys: [u64; 6],
}

impl Permutation {
    pub(super) fn new(len: u64, seed: u64) -> Self {
        let bits = 64 - len.saturating_sub(1).leading_zeros();
        let mut state = seed;
        Self {
            len,
            half_bits: bits.div_ceil(2).max(1),
            keys: core::array::from_fn(|_| {
                state = hash(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
                state
            }),
        }
    }

    pub(super) fn get(&self, index: u64) -> Option<u64> {
        if index >= self.len {
            return None;
        }
        let mut value = index;
        loop {
            value = self.encrypt(value);
            if value < self.len {
                return Some(value);
            }
        }
    }

    fn encrypt(&self, value: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (hash(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

fn hash(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
