//! The yardstick: what somebody who knows the network writes with AVX2 intrinsics. It is told row
//! numbers and keeps no position, no line of play and no choice of instruction set.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256,
    _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_store_si256, _mm256_sub_epi16,
};

use chess_nnue::{Delta, Weights, feature_index};
use chess_records::{Board, Color, Piece, Position, Square};

use crate::HIDDEN;

const REGISTERS: usize = HIDDEN / 16;

/// A row of the first layer, or the hidden values of a view.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    pub const ZERO: Self = Self([0; HIDDEN]);

    fn of(numbers: &[i16]) -> Self {
        Self(numbers.try_into().expect("a row has 256 numbers"))
    }

    #[inline(always)]
    unsafe fn load(&self, register: usize) -> __m256i {
        // SAFETY: the caller has AVX2 and `register` < 16; a row is aligned to 64 bytes.
        unsafe { _mm256_load_si256(self.0.as_ptr().cast::<__m256i>().add(register)) }
    }

    #[inline(always)]
    unsafe fn store(&mut self, register: usize, values: __m256i) {
        // SAFETY: as for `load`.
        unsafe { _mm256_store_si256(self.0.as_mut_ptr().cast::<__m256i>().add(register), values) }
    }
}

/// Hidden values, White's view before Black's.
pub type Values = [Row; 2];

/// Row numbers that a capture takes off and puts on, for White's view and for Black's.
pub type Capture = [([usize; 2], usize); 2];

pub struct ByHand {
    rows: Vec<Row>,
    bias: Row,
    output: [Row; 2],
}

impl ByHand {
    /// `None` on a machine without AVX2.
    pub fn new(weights: &Weights) -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then(|| Self {
            rows: weights
                .feature_weights
                .chunks_exact(HIDDEN)
                .map(Row::of)
                .collect(),
            bias: Row::of(&weights.feature_biases),
            output: [0, 1].map(|half| Row::of(&weights.output_weights[half * HIDDEN..][..HIDDEN])),
        })
    }

    #[inline]
    pub fn update(&self, parent: &Values, child: &mut Values, capture: &Capture) {
        // SAFETY: `new` has seen AVX2.
        unsafe { update(&self.rows, parent, child, capture) }
    }

    #[inline]
    pub fn refresh(&self, inputs: &[Vec<usize>; 2], values: &mut Values) {
        // SAFETY: as above.
        unsafe { refresh(&self.rows, &self.bias, inputs, values) }
    }

    /// Centipawns for the mover, with the usual scales and no bias.
    #[inline]
    pub fn output(&self, mover: Color, values: &Values) -> i32 {
        let ours = &values[mover.index()];
        let theirs = &values[mover.opponent().index()];
        // SAFETY: as above.
        let sum = unsafe { output(&self.output, ours, theirs) };
        (i64::from(sum / 255) * 400 / (255 * 64)) as i32
    }
}

#[target_feature(enable = "avx2")]
unsafe fn update(rows: &[Row], parent: &Values, child: &mut Values, capture: &Capture) {
    for view in 0..2 {
        let ([first, second], put) = capture[view];
        let (first, second, put) = (&rows[first], &rows[second], &rows[put]);
        for register in 0..REGISTERS {
            // SAFETY: the caller has AVX2, and there are that many registers in a row.
            unsafe {
                let values = parent[view].load(register);
                let values = _mm256_add_epi16(values, put.load(register));
                let values = _mm256_sub_epi16(values, first.load(register));
                let values = _mm256_sub_epi16(values, second.load(register));
                child[view].store(register, values);
            }
        }
    }
}

/// All sixteen registers of a view are kept until the last row has been added.
#[target_feature(enable = "avx2")]
unsafe fn refresh(rows: &[Row], bias: &Row, inputs: &[Vec<usize>; 2], values: &mut Values) {
    for view in 0..2 {
        let mut sums = [_mm256_setzero_si256(); REGISTERS];
        for (register, sum) in sums.iter_mut().enumerate() {
            // SAFETY: as in `update`.
            *sum = unsafe { bias.load(register) };
        }
        for &input in &inputs[view] {
            let row = &rows[input];
            for (register, sum) in sums.iter_mut().enumerate() {
                // SAFETY: as in `update`.
                *sum = unsafe { _mm256_add_epi16(*sum, row.load(register)) };
            }
        }
        for (register, sum) in sums.into_iter().enumerate() {
            // SAFETY: as in `update`.
            unsafe { values[view].store(register, sum) };
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn output(weights: &[Row; 2], ours: &Row, theirs: &Row) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let mut sums = [zero; 4];
    for (weights, values) in weights.iter().zip([ours, theirs]) {
        for register in 0..REGISTERS {
            // SAFETY: as in `update`.
            let (values, weights) = unsafe { (values.load(register), weights.load(register)) };
            let clipped = _mm256_min_epi16(_mm256_max_epi16(values, zero), one);
            let product = _mm256_mullo_epi16(clipped, weights);
            let sum = &mut sums[register % 4];
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, clipped));
        }
    }
    let [a, b, c, d] = sums;
    let sums = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
    let high = _mm256_extracti128_si256::<1>(sums);
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), high);
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
    _mm_cvtsi128_si32(sums)
}

/// The row numbers of a capture.
pub fn capture(delta: &Delta) -> Capture {
    Color::ALL.map(|view| {
        let input = |&(piece, square): &(Piece, Square)| feature_index(view, piece, square);
        let lifted = delta.lifted();
        (
            [input(&lifted[0]), input(&lifted[1])],
            input(&delta.put()[0]),
        )
    })
}

/// The inputs that are on, for White's view and for Black's.
pub fn inputs(position: &Position) -> [Vec<usize>; 2] {
    Color::ALL.map(|view| {
        let pieces = position.placement().pieces();
        let inputs = pieces.map(|(piece, square)| feature_index(view, piece, square));
        inputs.collect()
    })
}
