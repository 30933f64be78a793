//! Output sums of every instruction set to the last bit, which scores divide away.

use std::vec::Vec;

use super::*;
use crate::architecture::Activation;
use crate::arithmetic::{Arithmetic, Width};

const BLOCKS: [usize; 7] = [1, 2, 3, 4, 5, 16, 128];
const QA: [i16; 6] = [1, 2, 181, 255, 4096, i16::MAX];

/// Numbers that look random, the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64
    }

    fn pick(&mut self, from: &[i64]) -> i64 {
        from[self.next() as usize % from.len()]
    }
}

/// A hidden value of either width.
trait Hidden: Value + Into<i64> {
    /// The ends of what such a value may be.
    const ENDS: [i64; 2];

    fn of(number: i64) -> Self;
}

impl Hidden for i16 {
    const ENDS: [i64; 2] = [-(i16::MAX as i64), i16::MAX as i64];

    fn of(number: i64) -> Self {
        number as Self
    }
}

impl Hidden for i32 {
    const ENDS: [i64; 2] = [33 * i16::MIN as i64, 33 * i16::MAX as i64];

    fn of(number: i64) -> Self {
        number as Self
    }
}

/// Hidden values on both sides of every limit of the clip.
fn values<T: Hidden>(blocks: usize, qa: i16, numbers: &mut Numbers) -> Vec<Lanes<T>> {
    let qa = i64::from(qa);
    let [low, high] = T::ENDS;
    let edges = [low, -1, 0, 1, qa / 2, qa - 1, qa, (qa + 1).min(high), high];
    let block = |_| Lanes(core::array::from_fn(|_| T::of(numbers.pick(&edges))));
    (0..blocks).map(block).collect()
}

/// Weights up to the bounds of narrow sums, to the last integer, or to those of an `i16`.
fn weights(blocks: usize, sum: OutputSum, qa: i16, numbers: &mut Numbers) -> Vec<Lanes<i16>> {
    let qa = i64::from(qa);
    let (largest, left) = match sum {
        OutputSum::ScreluNarrow => (32767 / qa, i64::from(i32::MAX) / (qa * qa)),
        OutputSum::CreluNarrow => (32768, i64::from(i32::MAX) / qa),
        OutputSum::ScreluInParts(part) => {
            let of_part = i64::from(i32::MAX) / (qa * qa);
            ((32767 / qa).min(of_part / (part * LANES) as i64), i64::MAX)
        }
        OutputSum::CreluInParts(part) => {
            let of_part = i64::from(i32::MAX) / qa;
            (32768.min(of_part / (part * LANES) as i64), i64::MAX)
        }
        OutputSum::ScreluWide | OutputSum::CreluWide => (32768, i64::MAX),
    };
    let signs = [[1, 1], [-1, -1], [1, -1]][numbers.next() as usize % 3];
    // Of the negative and of the positive weights.
    let mut left = [left; 2];
    let mut weights = std::vec![Lanes::ZERO; blocks];
    let first = numbers.next() as usize;
    for step in 0..blocks * LANES {
        let sign = numbers.pick(&signs);
        let left = &mut left[usize::from(sign > 0)];
        let sizes = [largest, largest, largest.min(1), 0];
        let size = numbers.pick(&sizes).min(*left);
        *left -= size;
        let at = (first + step) % (blocks * LANES);
        let weight = (size * sign).min(i16::MAX.into());
        weights[at / LANES].0[at % LANES] = weight as i16;
    }
    weights
}

fn expected<T: Hidden>(
    values: &[Lanes<T>],
    weights: &[Lanes<i16>],
    squared: bool,
    qa: i16,
) -> i128 {
    let values = values.iter().flat_map(|block| block.0);
    let weights = weights.iter().flat_map(|block| block.0);
    let product = |(value, weight): (T, i16)| {
        let clipped = i128::from(value.into()).clamp(0, qa.into());
        let activated = if squared { clipped * clipped } else { clipped };
        activated * i128::from(weight)
    };
    values.zip(weights).map(product).sum()
}

fn check<T: Hidden>(sum: OutputSum, numbers: &mut Numbers) {
    let squared = matches!(
        sum,
        OutputSum::ScreluNarrow | OutputSum::ScreluInParts(_) | OutputSum::ScreluWide
    );
    for (blocks, qa) in BLOCKS
        .into_iter()
        .flat_map(|blocks| QA.map(|qa| (blocks, qa)))
    {
        let values = values::<T>(2 * blocks, qa, numbers);
        let weights = weights(2 * blocks, sum, qa, numbers);
        let expected = expected(&values, &weights, squared, qa);
        for backend in Backend::available() {
            let found = backend.run(Score {
                row: OutputRow {
                    sum,
                    weights: weights.split_at(blocks).into(),
                    qa,
                },
                values: values.split_at(blocks).into(),
            });
            let message = std::format!("{backend}, {sum:?}, {blocks} blocks, QA {qa}");
            assert_eq!(i128::from(found), expected, "{message}");
        }
    }
}

#[test]
fn output_sums_are_exact() {
    use OutputSum::{
        CreluInParts, CreluNarrow, CreluWide, ScreluInParts, ScreluNarrow, ScreluWide,
    };
    let mut numbers = Numbers(7);
    for _ in 0..4 {
        for sum in [
            ScreluNarrow,
            ScreluInParts(1),
            ScreluInParts(8),
            ScreluWide,
            CreluNarrow,
            CreluInParts(3),
            CreluInParts(200),
            CreluWide,
        ] {
            check::<i16>(sum, &mut numbers);
            check::<i32>(sum, &mut numbers);
        }
    }
}

#[test]
fn parts_are_as_long_as_32_bits_allow() {
    let narrow = Arithmetic {
        accumulators: Width::Narrow,
        products: Width::Narrow,
        sums: Width::Narrow,
    };
    let chosen = |activation, products, sums, qa, largest| {
        let arithmetic = Arithmetic {
            products,
            sums,
            ..narrow
        };
        OutputSum::choose(activation, arithmetic, qa, largest)
    };
    use Activation::{Crelu, Screlu};
    use Width::{Narrow, Wide};
    assert_eq!(
        chosen(Screlu, Narrow, Narrow, 255, 128),
        OutputSum::ScreluNarrow
    );
    // 8 · 32 · 255² · 128 < 2³¹ < 9 · 32 · 255² · 128
    assert_eq!(
        chosen(Screlu, Narrow, Wide, 255, 128),
        OutputSum::ScreluInParts(8)
    );
    assert_eq!(
        chosen(Screlu, Narrow, Wide, 8191, 1),
        OutputSum::ScreluInParts(1)
    );
    assert_eq!(chosen(Screlu, Narrow, Wide, 8192, 1), OutputSum::ScreluWide);
    assert_eq!(
        chosen(Screlu, Wide, Narrow, 255, 129),
        OutputSum::ScreluWide
    );
    // 8 · 32 · 255 · 32768 < 2³¹ < 9 · 32 · 255 · 32768
    assert_eq!(
        chosen(Crelu, Wide, Wide, 255, 32768),
        OutputSum::CreluInParts(8)
    );
    assert_eq!(
        chosen(Crelu, Wide, Wide, 32767, 32767),
        OutputSum::CreluWide
    );
}
