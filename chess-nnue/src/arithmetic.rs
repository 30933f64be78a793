//! Which integers are wide enough, proved from the weights.
//!
//! The bounds hold for every position: a view has at most 32 inputs on, and a clipped value is at
//! most QA.

use crate::architecture::{Activation, Architecture};
use crate::network::Weights;

/// The width of one kind of integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// The fast one is enough for every position.
    Narrow,
    /// Some position could overflow the fast one; the exact slower one is used.
    Wide,
}

impl Width {
    const fn narrow_if(fits: bool) -> Self {
        if fits { Self::Narrow } else { Self::Wide }
    }
}

/// The integers a network is evaluated with, chosen once from its weights. All choices give the same
/// scores; narrow ones are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Arithmetic {
    /// Hidden values in 16 bits (narrow) or 32 (wide). Narrow when
    /// |bias| + 32 · max |weight| ≤ 32767 for every hidden value.
    pub accumulators: Width,
    /// clip · weight in 16 bits or 32. Narrow when QA · max |weight| ≤ 32767.
    pub products: Width,
    /// The output sum in 32 bits or 64. Narrow when QA² · Σ |weight| for SCReLU, QA · Σ |weight| for
    /// CReLU is under 2³¹ in every output bucket, for the positive weights and for the negative ones:
    /// activated values are never negative, so no sum over some of them goes further. Wide sums of
    /// narrow products are taken in parts that fit 32 bits, and cost little more.
    pub sums: Width,
}

impl Arithmetic {
    pub(crate) fn of(architecture: &Architecture, weights: &Weights) -> Self {
        Self {
            accumulators: Width::narrow_if(accumulators_fit(architecture, weights)),
            products: Width::narrow_if(products_fit(architecture, weights)),
            sums: Width::narrow_if(sums_fit(architecture, weights)),
        }
    }
}

fn accumulators_fit(architecture: &Architecture, weights: &Weights) -> bool {
    let mut largest = alloc::vec![0; architecture.hidden()];
    for row in weights.feature_weights.chunks_exact(architecture.hidden()) {
        for (largest, weight) in largest.iter_mut().zip(row) {
            *largest = weight.unsigned_abs().max(*largest);
        }
    }
    let mut columns = weights.feature_biases.iter().zip(largest);
    columns.all(|(bias, largest)| {
        u32::from(bias.unsigned_abs()) + 32 * u32::from(largest) <= i16::MAX as u32
    })
}

fn products_fit(architecture: &Architecture, weights: &Weights) -> bool {
    let qa = u32::from(architecture.qa());
    let mut weights = weights.output_weights.iter();
    weights.all(|weight| qa * u32::from(weight.unsigned_abs()) <= i16::MAX as u32)
}

fn sums_fit(architecture: &Architecture, weights: &Weights) -> bool {
    let qa = u64::from(architecture.qa());
    let largest = match architecture.activation() {
        Activation::Crelu => qa,
        Activation::Screlu => qa * qa,
    };
    let mut rows = weights
        .output_weights
        .chunks_exact(2 * architecture.hidden());
    rows.all(|row| {
        let [mut positive, mut negative] = [0; 2];
        for weight in row {
            let side = if *weight > 0 {
                &mut positive
            } else {
                &mut negative
            };
            *side += u64::from(weight.unsigned_abs());
        }
        largest * positive.max(negative) < 1 << 31
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(feature: i16, bias: i16, output: i16) -> (Architecture, Weights) {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.feature_weights[5] = feature;
        weights.feature_biases[5] = bias;
        weights.output_weights[7] = output;
        (architecture, weights)
    }

    fn chosen(feature: i16, bias: i16, output: i16) -> (Width, Width, Width) {
        let (architecture, weights) = weights(feature, bias, output);
        let found = Arithmetic::of(&architecture, &weights);
        (found.accumulators, found.products, found.sums)
    }

    #[test]
    fn each_bound_is_kept_to_the_last_integer() {
        use Width::{Narrow, Wide};
        assert_eq!(chosen(1000, 767, 128), (Narrow, Narrow, Narrow));
        assert_eq!(chosen(-1000, -768, 0).0, Wide);
        assert_eq!(chosen(i16::MIN, 0, 0).0, Wide);
        assert_eq!(chosen(0, 0, -129).1, Wide);
        assert_eq!(chosen(0, 0, i16::MIN), (Narrow, Wide, Narrow));
    }

    #[test]
    fn sums_are_bounded_over_both_halves_of_a_row() {
        let architecture = Architecture::new(256).unwrap();
        let mut weights = Weights::zero(&architecture);
        // 33025 is the largest sum of 512 weights of one sign that QA² leaves under 2³¹.
        for sign in [1, -1] {
            let chosen = |weights: &Weights| Arithmetic::of(&architecture, weights).sums;
            weights.output_weights.fill(-sign);
            weights.output_weights[..260].fill(127 * sign);
            weights.output_weights[511] = 5 * sign;
            assert_eq!(chosen(&weights), Width::Narrow);
            weights.output_weights[510] = sign;
            assert_eq!(chosen(&weights), Width::Wide);
        }
        let crelu = architecture.with_activation(Activation::Crelu);
        assert_eq!(Arithmetic::of(&crelu, &weights).sums, Width::Narrow);
    }
}
