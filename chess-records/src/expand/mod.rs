//! From packed nibbles to squares and pieces, a batch at a time.
//!
//! A trainer's features want each man's square and piece; records pack them into a mask of squares
//! and a nibble a man. This undoes the packing for a whole batch, into plain arrays that lie one
//! after another. There is a kernel for any machine and one each for AVX2 and AVX-512 (VBMI2), chosen
//! once a batch, where `std` can tell which the machine has; all give the same bytes.

mod scalar;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86_64;

use zerocopy::IntoBytes;

use crate::{BulletRecord, Fault, FixedRecord, MarlinMoveRecord, MarlinRecord};
#[cfg(feature = "std")]
use crate::{Color, Piece, PieceType, Square};

/// In the place of a man that is not there, both for its square and its piece.
pub const NO_MAN: u8 = 0xff;

/// The squares or pieces of a record's men; those past the last man are [`NO_MAN`].
pub type MenBytes = [u8; 32];

/// Records that begin with a mask of squares and a nibble for each: [`MarlinRecord`],
/// [`MarlinMoveRecord`] and [`BulletRecord`].
pub trait PackedMen: FixedRecord + IntoBytes {
    /// Which piece each nibble stands for: 0–5 = P N B R Q K of White (of the mover in
    /// [`BulletRecord`]s), 8–13 of Black (the opponent); [`NO_MAN`] for invalid ones.
    const PIECES: [u8; 16];
}

const X: u8 = NO_MAN;
/// A rook that may still castle is a rook.
const MARLIN: [u8; 16] = [0, 1, 2, 3, 4, 5, 3, X, 8, 9, 10, 11, 12, 13, 11, X];
const BULLET: [u8; 16] = [0, 1, 2, 3, 4, 5, X, X, 8, 9, 10, 11, 12, 13, X, X];

impl PackedMen for MarlinRecord {
    const PIECES: [u8; 16] = MARLIN;
}

impl PackedMen for MarlinMoveRecord {
    const PIECES: [u8; 16] = MARLIN;
}

impl PackedMen for BulletRecord {
    const PIECES: [u8; 16] = BULLET;
}

/// The bytes of a record.
type Packed = [u8; 32];

/// Where a batch goes: of the same length each.
struct Out<'a> {
    counts: &'a mut [u8],
    squares: &'a mut [MenBytes],
    pieces: &'a mut [MenBytes],
}

/// Unpacks the men of `records`: how many, on which squares in ascending order (a1 = 0), and which
/// pieces (0–5 = P N B R Q K of White, 8–13 of Black; in [`BulletRecord`]s of the mover and the
/// opponent). Past the last man squares and pieces are [`NO_MAN`].
///
/// Checked is what an index needs: at most 32 men, and no invalid nibble. Everything else a record
/// says is not looked at; [`RecordView::verify`](crate::RecordView::verify) does that, once for all.
///
/// ```
/// use chess_records::{MarlinRecord, NO_MAN, expand_men};
///
/// let mut bytes = [0; 32]; // bare kings on e1 and e8
/// (bytes[0], bytes[7], bytes[8]) = (0x10, 0x10, 0xd5);
/// let records = [MarlinRecord::from_bytes(&bytes)];
/// let (mut counts, mut squares, mut pieces) = ([0], [[0; 32]], [[0; 32]]);
/// expand_men(&records, &mut counts, &mut squares, &mut pieces)?;
/// assert_eq!(counts, [2]);
/// assert_eq!(squares[0][..3], [4, 60, NO_MAN]);
/// assert_eq!(pieces[0][..3], [5, 13, NO_MAN]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// A [`Fault`] with the number and byte offset within `records` of the first that has too many men or
/// an invalid nibble. The outputs then hold nothing to rely on.
///
/// # Panics
///
/// When an output is not as long as `records`.
pub fn expand_men<R: PackedMen>(
    records: &[R],
    counts: &mut [u8],
    squares: &mut [MenBytes],
    pieces: &mut [MenBytes],
) -> Result<(), Fault<R::Error>> {
    let out = Out {
        counts,
        squares,
        pieces,
    };
    expand_with(best_kernel(), records, out)
}

/// As [`expand_men`], without special instructions: for benches.
#[doc(hidden)]
pub fn expand_men_scalar<R: PackedMen>(
    records: &[R],
    counts: &mut [u8],
    squares: &mut [MenBytes],
    pieces: &mut [MenBytes],
) -> Result<(), Fault<R::Error>> {
    let out = Out {
        counts,
        squares,
        pieces,
    };
    expand_with(scalar::KERNEL, records, out)
}

fn expand_with<R: PackedMen>(
    kernel: Kernel,
    records: &[R],
    out: Out<'_>,
) -> Result<(), Fault<R::Error>> {
    const { assert!(R::BYTES == size_of::<Packed>()) };
    let len = records.len();
    let lens = [out.counts.len(), out.squares.len(), out.pieces.len()];
    assert!(lens == [len; 3], "{len} records into {lens:?} places");
    let (packed, _) = records.as_bytes().as_chunks();
    if (kernel.run)(packed, &R::PIECES, out) {
        Ok(())
    } else {
        first_fault(records, packed)
    }
}

#[cold]
fn first_fault<R: PackedMen>(records: &[R], packed: &[Packed]) -> Result<(), Fault<R::Error>> {
    let numbered = (0..).zip(records).zip(packed);
    let mut bad = numbered.filter(|(_, packed)| !scalar::is_sound(packed, &R::PIECES));
    // Decoding looks at the men first.
    match bad.find_map(|((index, record), _)| record.decode().err().map(|error| (index, error))) {
        Some((index, error)) => Err(Fault {
            index,
            byte_offset: index * R::BYTES as u64,
            error,
        }),
        None => Ok(()),
    }
}

/// A way to unpack a batch. It says whether all records were sound.
#[derive(Clone, Copy)]
struct Kernel {
    #[cfg_attr(not(all(test, feature = "std")), allow(dead_code))]
    name: &'static str,
    run: fn(&[Packed], &[u8; 16], Out<'_>) -> bool,
}

/// Every kernel that this machine can run, the best last.
fn kernels() -> impl DoubleEndedIterator<Item = Kernel> {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    let special = x86_64::kernels();
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    let special = [None; 0];
    core::iter::once(scalar::KERNEL).chain(special.into_iter().flatten())
}

fn best_kernel() -> Kernel {
    kernels().next_back().unwrap_or(scalar::KERNEL)
}

/// The men of a batch of records, in buffers that are used again and again; see [`expand_men`].
#[cfg(feature = "std")]
#[derive(Clone, Debug, Default)]
pub struct MenBatch {
    counts: std::vec::Vec<u8>,
    squares: std::vec::Vec<MenBytes>,
    pieces: std::vec::Vec<MenBytes>,
}

#[cfg(feature = "std")]
impl MenBatch {
    /// No men yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            counts: std::vec::Vec::new(),
            squares: std::vec::Vec::new(),
            pieces: std::vec::Vec::new(),
        }
    }

    /// Replaces what is here by the men of `records`.
    ///
    /// # Errors
    ///
    /// As [`expand_men`].
    pub fn fill<R: PackedMen>(&mut self, records: &[R]) -> Result<(), Fault<R::Error>> {
        self.counts.resize(records.len(), 0);
        self.squares.resize(records.len(), [NO_MAN; 32]);
        self.pieces.resize(records.len(), [NO_MAN; 32]);
        expand_men(
            records,
            &mut self.counts,
            &mut self.squares,
            &mut self.pieces,
        )
    }

    /// How many men each record has.
    #[must_use]
    pub fn counts(&self) -> &[u8] {
        &self.counts
    }

    /// Each record's squares, ascending.
    #[must_use]
    pub fn squares(&self) -> &[MenBytes] {
        &self.squares
    }

    /// Each record's pieces, in the order of the squares.
    #[must_use]
    pub fn pieces(&self) -> &[MenBytes] {
        &self.pieces
    }

    /// The men of one record.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    pub fn men(&self, index: usize) -> impl Iterator<Item = (Piece, Square)> {
        let men = self.pieces[index].iter().zip(&self.squares[index]);
        men.map_while(|(&piece, &square)| {
            let color = *Color::ALL.get(usize::from(piece >> 3))?;
            let piece = Piece::new(color, PieceType::new(piece & 7)?);
            Some((piece, Square::new(square)?))
        })
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
