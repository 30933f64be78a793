//! For any machine, and what the other kernels are held against.

use super::{Kernel, MenBytes, NO_MAN, Out, Packed};

pub(super) const KERNEL: Kernel = Kernel {
    name: "scalar",
    run: expand,
};

/// The squares of each rank, ascending, for each mask of it; then `NO_MAN`s.
static SQUARES: [[[u8; 8]; 256]; 8] = {
    let mut table = [[[NO_MAN; 8]; 256]; 8];
    let mut at = 0;
    while at < 8 * 256 * 8 {
        let (rank, mask, file) = (at / 2048, at / 8 % 256, at % 8);
        if mask >> file & 1 != 0 {
            let before = (mask as u64 & ((1 << file) - 1)).count_ones() as usize;
            table[rank][mask][before] = (rank * 8 + file) as u8;
        }
        at += 1;
    }
    table
};

pub(super) fn occupied(packed: &Packed) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *packed;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

pub(super) fn is_sound(packed: &Packed, pieces: &[u8; 16]) -> bool {
    let men = occupied(packed).count_ones() as usize;
    let piece =
        |index: usize| pieces[usize::from(packed[8 + index / 2] >> (4 * (index & 1)) & 0xf)];
    men <= 32 && (0..men).all(|index| piece(index) != NO_MAN)
}

fn expand(packed: &[Packed], pieces: &[u8; 16], out: Out<'_>) -> bool {
    let castling_rook = if pieces[6] == NO_MAN { 0 } else { ONES };
    let mut sound = true;
    let places = out.counts.iter_mut().zip(out.squares).zip(out.pieces);
    for (packed, ((count, squares), pieces)) in packed.iter().zip(places) {
        let men = put_squares(occupied(packed), squares);
        *count = men as u8;
        sound &= men <= 32 && put_pieces(packed, castling_rook, men, pieces);
    }
    sound
}

/// Puts the first 32 squares of a mask, then `NO_MAN`s, and says how many squares there are.
#[inline]
pub(super) fn put_squares(occupied: u64, squares: &mut MenBytes) -> usize {
    let upto = upto_rank(occupied);
    let before = (upto << 8).to_le_bytes();
    let mut buffer = [NO_MAN; 64];
    for ((rank, mask), before) in SQUARES.iter().zip(occupied.to_le_bytes()).zip(before) {
        // Eight places are written whole; those of the next rank overwrite what is too much. At most
        // seven ranks of eight squares stand before.
        let at = usize::from(before).min(64 - 8);
        buffer[at..at + 8].copy_from_slice(&rank[usize::from(mask)]);
    }
    squares.copy_from_slice(&buffer[..32]);
    (upto >> 56) as usize
}

/// How many squares of a mask stand on each rank and those before it, a byte a rank.
const fn upto_rank(occupied: u64) -> u64 {
    let pairs = occupied - ((occupied >> 1) & (0x55 * ONES));
    let fours = (pairs & (0x33 * ONES)) + ((pairs >> 2) & (0x33 * ONES));
    let ranks = (fours + (fours >> 4)) & (0x0f * ONES);
    ranks.wrapping_mul(ONES)
}

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Puts the pieces, then `NO_MAN`s, and says whether all are valid. `castling_rook` has ones where 6
/// is a rook that may castle, zeros where it is invalid.
fn put_pieces(packed: &Packed, castling_rook: u64, men: usize, pieces: &mut MenBytes) -> bool {
    let (nibbles, _) = packed[8..24].as_chunks();
    let (places, _) = pieces.as_chunks_mut();
    let mut bad = 0;
    for ((index, place), nibbles) in (0..).zip(places).zip(nibbles) {
        let codes = spread(u32::from_le_bytes(*nibbles));
        let six_or_seven = (codes >> 2) & (codes >> 1) & ONES;
        let rooks = six_or_seven & !codes & castling_rook;
        let past = past(men.saturating_sub(8 * index));
        bad |= six_or_seven & !rooks & !past;
        // 6 xor 5 is 3, a rook.
        *place = ((codes ^ (rooks * 5)) | past).to_le_bytes();
    }
    bad == 0
}

/// Eight nibbles as bytes, the lowest first.
const fn spread(nibbles: u32) -> u64 {
    let mut bytes = nibbles as u64;
    bytes = (bytes | (bytes << 16)) & 0x0000_ffff_0000_ffff;
    bytes = (bytes | (bytes << 8)) & 0x00ff_00ff_00ff_00ff;
    (bytes | (bytes << 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Of eight bytes those from index `men` on, all bits set.
const fn past(men: usize) -> u64 {
    if men >= 8 { 0 } else { u64::MAX << (8 * men) }
}
