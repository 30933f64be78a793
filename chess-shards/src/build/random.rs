//! numpy's randomness: `default_rng([seed, shard_id])` and its doubles.
//!
//! `SeedSequence` and the seeding of `PCG64` are those of `numpy.random`
//! (<https://numpy.org/doc/stable/reference/random/bit_generators/seedsequence.html>), PCG64 is
//! PCG XSL-RR 128/64 (O'Neill, 2014).

use rand_core::Rng;
use rand_pcg::Pcg64;

const POOL_WORDS: usize = 4;
const HASH_START: u32 = 0x43b0_d7e5;
const HASH_FACTOR: u32 = 0x931e_8875;
const OUTPUT_START: u32 = 0x8b51_f9dd;
const OUTPUT_FACTOR: u32 = 0x58f3_8ded;

/// The numbers of `numpy.random.default_rng(entropy)`.
#[derive(Clone, Debug)]
pub(crate) struct NumpyRng(Pcg64);

impl NumpyRng {
    /// `default_rng([entropy[0], entropy[1], …])`.
    pub(crate) fn new(entropy: &[u64]) -> Self {
        let [high_seed, low_seed, high_stream, low_stream] = SeedSequence::new(entropy).state();
        Self(Pcg64::new(
            u128::from(high_seed) << 64 | u128::from(low_seed),
            u128::from(high_stream) << 64 | u128::from(low_stream),
        ))
    }

    /// A double in `0.0..1.0`: the top 53 bits of the next number.
    pub(crate) fn next_double(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

struct SeedSequence {
    pool: [u32; POOL_WORDS],
}

impl SeedSequence {
    fn new(entropy: &[u64]) -> Self {
        let words = words(entropy);
        let mut hash = HASH_START;
        let mut pool = [0; POOL_WORDS];
        for (index, slot) in pool.iter_mut().enumerate() {
            *slot = hash_mix(words.get(index).copied().unwrap_or(0), &mut hash);
        }
        for source in 0..POOL_WORDS {
            for destination in (0..POOL_WORDS).filter(|&destination| destination != source) {
                let hashed = hash_mix(pool[source], &mut hash);
                pool[destination] = mix(pool[destination], hashed);
            }
        }
        for &word in words.iter().skip(POOL_WORDS) {
            for slot in &mut pool {
                *slot = mix(*slot, hash_mix(word, &mut hash));
            }
        }
        Self { pool }
    }

    /// `generate_state(4, np.uint64)`.
    fn state(&self) -> [u64; 4] {
        let mut factor = OUTPUT_START;
        let mut word = |index: usize| {
            let mut value = self.pool[index % POOL_WORDS] ^ factor;
            factor = factor.wrapping_mul(OUTPUT_FACTOR);
            value = value.wrapping_mul(factor);
            u64::from(value ^ value >> 16)
        };
        std::array::from_fn(|pair| {
            let low = word(2 * pair);
            low | word(2 * pair + 1) << 32
        })
    }
}

/// Each integer as little-endian words; zero is one word.
fn words(entropy: &[u64]) -> Vec<u32> {
    let split = |&integer: &u64| {
        let high = (integer >> 32) as u32;
        std::iter::once(integer as u32).chain((high != 0).then_some(high))
    };
    entropy.iter().flat_map(split).collect()
}

fn hash_mix(mut value: u32, hash: &mut u32) -> u32 {
    value ^= *hash;
    *hash = hash.wrapping_mul(HASH_FACTOR);
    value = value.wrapping_mul(*hash);
    value ^ value >> 16
}

fn mix(x: u32, y: u32) -> u32 {
    let mixed = 0xca01_f9dd_u32
        .wrapping_mul(x)
        .wrapping_sub(0x4973_f715_u32.wrapping_mul(y));
    mixed ^ mixed >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        for (entropy, state, doubles) in [
            (
                [0, 3],
                [
                    6_582_426_945_856_704_739,
                    1_426_826_342_337_535_275,
                    1_716_541_085_984_759_504,
                    17_814_013_315_066_967_804,
                ],
                [
                    0.894_972_740_789_838_7,
                    0.860_414_436_774_937_6,
                    0.321_374_822_337_513_36,
                ],
            ),
            (
                [7, 51],
                [
                    5_845_163_996_291_497_452,
                    5_919_815_796_262_024_487,
                    3_685_895_818_371_019_533,
                    16_550_410_407_388_712_115,
                ],
                [
                    0.718_319_039_354_842_1,
                    0.011_676_886_414_318_077,
                    0.852_840_772_397_993_3,
                ],
            ),
        ] {
            assert_eq!(SeedSequence::new(&entropy).state(), state);
            let mut rng = NumpyRng::new(&entropy);
            assert_eq!(doubles.map(|_| rng.next_double()), doubles);
        }
    }
}
