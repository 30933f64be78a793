//! AVX2 and AVX-512.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use std::is_x86_feature_detected;

use super::scalar::{occupied, put_squares};
use super::{Kernel, MenBytes, NO_MAN, Out, Packed};

/// Those that this machine can run, the best last.
pub(super) fn kernels() -> [Option<Kernel>; 2] {
    let avx2 = is_x86_feature_detected!("avx2");
    let avx512 = is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    [
        avx2.then_some(Kernel {
            name: "avx2",
            run: run_avx2,
        }),
        (avx2 && avx512).then_some(Kernel {
            name: "avx512",
            run: run_avx512,
        }),
    ]
}

fn run_avx2(packed: &[Packed], pieces: &[u8; 16], out: Out<'_>) -> bool {
    // SAFETY: `kernels` hands this function out only where AVX2 was detected.
    unsafe { expand_avx2(packed, pieces, out) }
}

fn run_avx512(packed: &[Packed], pieces: &[u8; 16], out: Out<'_>) -> bool {
    // SAFETY: `kernels` hands this function out only where all features named there were detected.
    unsafe { expand_avx512(packed, pieces, out) }
}

#[target_feature(enable = "avx2")]
fn expand_avx2(packed: &[Packed], pieces: &[u8; 16], out: Out<'_>) -> bool {
    let table = _mm256_broadcastsi128_si256(from_16(pieces));
    let indices = from_32(&core::array::from_fn(|index| index as u8));
    let mut sound = true;
    let places = out.counts.iter_mut().zip(out.squares).zip(out.pieces);
    for (packed, ((count, squares), pieces)) in packed.iter().zip(places) {
        let men = put_squares(occupied(packed), squares);
        *count = men as u8;
        // -1 from index `men` on; all lanes are under 128, so that signed compares will do.
        let past = _mm256_cmpgt_epi8(indices, _mm256_set1_epi8(men as i8 - 1));
        let found = _mm256_shuffle_epi8(table, nibbles(packed));
        // Of the pieces only `NO_MAN` has the highest bit.
        let bad = _mm256_movemask_epi8(_mm256_andnot_si256(past, found));
        sound &= bad == 0 && men <= 32;
        put(pieces, _mm256_or_si256(found, past));
    }
    sound
}

#[target_feature(enable = "avx2,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi2")]
fn expand_avx512(packed: &[Packed], pieces: &[u8; 16], out: Out<'_>) -> bool {
    let table = _mm256_broadcastsi128_si256(from_16(pieces));
    let no_man = _mm512_set1_epi8(NO_MAN as i8);
    let board = board();
    let mut sound = true;
    let places = out.counts.iter_mut().zip(out.squares).zip(out.pieces);
    for (packed, ((count, squares), pieces)) in packed.iter().zip(places) {
        let occupied = occupied(packed);
        let men = occupied.count_ones();
        *count = men as u8;
        let used = _bzhi_u64(u64::MAX, men) as u32;
        let found = _mm256_shuffle_epi8(table, nibbles(packed));
        let bad = _mm256_movepi8_mask(found) & used;
        sound &= bad == 0 && men <= 32;
        let none = _mm512_castsi512_si256(no_man);
        put(pieces, _mm256_mask_blend_epi8(used, none, found));
        let here = _mm512_mask_compress_epi8(no_man, occupied, board);
        put(squares, _mm512_castsi512_si256(here));
    }
    sound
}

/// The squares 0–63.
#[target_feature(enable = "avx512bw")]
fn board() -> __m512i {
    let squares: [u8; 64] = core::array::from_fn(|square| square as u8);
    // SAFETY: the 64 bytes may be read, at any alignment.
    unsafe { _mm512_loadu_si512(squares.as_ptr().cast()) }
}

/// The 32 nibbles of a record, a byte each, the low one of a byte first.
#[target_feature(enable = "avx2")]
fn nibbles(packed: &Packed) -> __m256i {
    // SAFETY: bytes 8 to 23 of the record's 32 may be read, at any alignment.
    let bytes = unsafe { _mm_loadu_si128(packed.as_ptr().add(8).cast()) };
    let low = _mm_set1_epi8(0xf);
    let even = _mm_and_si128(bytes, low);
    let odd = _mm_and_si128(_mm_srli_epi16::<4>(bytes), low);
    _mm256_set_m128i(_mm_unpackhi_epi8(even, odd), _mm_unpacklo_epi8(even, odd))
}

#[target_feature(enable = "avx2")]
fn from_16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the 16 bytes may be read, at any alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn from_32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the 32 bytes may be read, at any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn put(bytes: &mut MenBytes, value: __m256i) {
    // SAFETY: the 32 bytes may be written, at any alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), value) };
}
