//! For any machine, and what the other kernels are held against.

use super::{Kernel, MenBytes, NO_MAN, Out, Packed};

pub(super) const KERNEL: Kernel = Kernel {
    name: "scalar",
    run: expand,
};

/// The files of the squares in a rank, ascending, for each mask of a rank.
pub(super) static FILES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut file, mut len) = (0, 0);
        while file < 8 {
            if mask >> file & 1 != 0 {
                table[mask][len] = file;
                len += 1;
            }
            file += 1;
        }
        mask += 1;
    }
    table
};

/// How many squares a mask of a rank has.
static COUNTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        table[mask] = mask.count_ones() as u8;
        mask += 1;
    }
    table
};

/// A window of this has so many zeros, then `NO_MAN`s.
static PAST: [u8; 64] = {
    let mut past = [0; 64];
    let mut index = 32;
    while index < 64 {
        past[index] = NO_MAN;
        index += 1;
    }
    past
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
    let pairs = pairs(pieces);
    let mut sound = true;
    let places = out.counts.iter_mut().zip(out.squares).zip(out.pieces);
    for (packed, ((count, squares), pieces)) in packed.iter().zip(places) {
        let men = put_squares(occupied(packed), squares);
        *count = men as u8;
        let Some(past) = past(men) else {
            sound = false;
            continue;
        };
        sound &= put_pieces(packed, &pairs, past, pieces);
        for (square, past) in squares.iter_mut().zip(past) {
            *square |= past;
        }
    }
    sound
}

/// The pieces of both nibbles of a byte, low one first.
fn pairs(pieces: &[u8; 16]) -> [[u8; 2]; 256] {
    core::array::from_fn(|byte| [pieces[byte & 0xf], pieces[byte >> 4]])
}

/// `NO_MAN` from index `men` on, if that is at most 32.
fn past(men: usize) -> Option<&'static MenBytes> {
    PAST.get(32usize.checked_sub(men)?..)?.first_chunk()
}

/// Puts the squares of a mask and says how many there are. What stands past them is not cleared.
fn put_squares(occupied: u64, squares: &mut MenBytes) -> usize {
    // A rank's eight places are written whole; the next rank's overwrite what is too much.
    let mut buffer = [0; 64 + 8];
    let mut men = 0;
    for (rank, mask) in occupied.to_le_bytes().into_iter().enumerate() {
        let first_square = rank as u64 * 8 * 0x0101_0101_0101_0101;
        let rank_squares = u64::from_le_bytes(FILES[usize::from(mask)]) + first_square;
        if let Some(places) = buffer.get_mut(men..men + 8) {
            places.copy_from_slice(&rank_squares.to_le_bytes());
        }
        men += usize::from(COUNTS[usize::from(mask)]);
    }
    squares.copy_from_slice(&buffer[..32]);
    men
}

/// Puts the pieces and says whether all are valid.
fn put_pieces(
    packed: &Packed,
    pairs: &[[u8; 2]; 256],
    past: &MenBytes,
    pieces: &mut MenBytes,
) -> bool {
    let (places, _) = pieces.as_chunks_mut();
    for (place, byte) in places.iter_mut().zip(&packed[8..24]) {
        *place = pairs[usize::from(*byte)];
    }
    let mut bad = 0;
    for (piece, past) in pieces.iter_mut().zip(past) {
        bad |= *piece & !past;
        *piece |= past;
    }
    // Of the pieces only `NO_MAN` has this bit.
    bad & 0x80 == 0
}
