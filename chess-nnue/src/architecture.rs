//! The shape and the scales of a network.

use chess_records::{Color, Piece, Placement, Square};
use thiserror::Error;

use crate::features::PlainInput;

/// What a hidden value becomes before the output layer weighs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// Clipped to 0…1 (0…QA as an integer).
    Crelu,
    /// Clipped to 0…1 and squared.
    Screlu,
}

/// Which set of first-layer weights a view uses, by where its own king stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KingBuckets {
    map: [u8; Square::COUNT],
    count: u8,
    mirrored: bool,
}

impl KingBuckets {
    /// The most buckets there may be.
    pub const MAX: usize = 32;

    /// One set of weights for every king square, not mirrored.
    pub const NONE: Self = Self {
        map: [0; Square::COUNT],
        count: 1,
        mirrored: false,
    };

    /// Buckets from a map of bucket numbers by the view's own king square, as that side sees the
    /// board (rank 1 is its own first rank). `mirrored` views exchange the a and h files while their
    /// king stands on files e–h.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::KingBucket`] for a number of 32 or more.
    pub fn new(map: [u8; Square::COUNT], mirrored: bool) -> Result<Self, ArchitectureError> {
        let highest = map.into_iter().max().unwrap_or(0);
        if usize::from(highest) >= Self::MAX {
            return Err(ArchitectureError::KingBucket { found: highest });
        }
        Ok(Self {
            map,
            count: highest + 1,
            mirrored,
        })
    }

    /// How many buckets there are: the highest number in the map, and one.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// The bucket number of each king square.
    #[must_use]
    pub const fn map(&self) -> &[u8; Square::COUNT] {
        &self.map
    }

    /// Whether a view with its king on files e–h exchanges the a and h files.
    #[must_use]
    pub const fn mirrored(&self) -> bool {
        self.mirrored
    }
}

/// The shape of a network, (768 × king buckets → N)×2 → output buckets, with its scales.
///
/// A new architecture has SCReLU, one king bucket, one output bucket, QA = 255, QB = 64 and an eval
/// scale of 400.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    hidden: usize,
    activation: Activation,
    king_buckets: KingBuckets,
    output_buckets: usize,
    men_per_bucket: u8,
    qa: u16,
    qb: u16,
    eval_scale: i32,
}

/// Why a number cannot be part of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchitectureError {
    /// The hidden size is not a multiple of 16 in 16…4096.
    #[error("hidden size {found}, expected a multiple of 16 from 16 to 4096")]
    Hidden {
        /// The size asked for.
        found: usize,
    },
    /// A king bucket number of 32 or more.
    #[error("king bucket {found}, expected 0 to 31")]
    KingBucket {
        /// The number in the map.
        found: u8,
    },
    /// Not 1…32 output buckets.
    #[error("{found} output buckets, expected 1 to 32")]
    OutputBuckets {
        /// The number asked for.
        found: usize,
    },
    /// A quantization factor outside 1…32767.
    #[error("{factor} is {found}, expected 1 to 32767")]
    Quantization {
        /// `QA` or `QB`.
        factor: &'static str,
        /// The factor asked for.
        found: u16,
    },
    /// An eval scale outside 1…10000.
    #[error("eval scale {found}, expected 1 to 10000")]
    EvalScale {
        /// The scale asked for.
        found: i32,
    },
}

impl Architecture {
    /// The inputs of one king bucket: 2 sides × 6 piece types × 64 squares.
    pub const INPUTS_PER_BUCKET: usize = 768;
    /// Hidden sizes are multiples of this.
    pub const HIDDEN_STEP: usize = 16;
    /// The largest hidden size.
    pub const MAX_HIDDEN: usize = 4096;
    /// The most output buckets.
    pub const MAX_OUTPUT_BUCKETS: usize = 32;
    /// The largest eval scale.
    pub const MAX_EVAL_SCALE: i32 = 10_000;

    /// The plain architecture with `hidden` values a view.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::Hidden`] unless `hidden` is a multiple of 16 from 16 to 4096.
    pub const fn new(hidden: usize) -> Result<Self, ArchitectureError> {
        if hidden == 0 || hidden > Self::MAX_HIDDEN || !hidden.is_multiple_of(Self::HIDDEN_STEP) {
            return Err(ArchitectureError::Hidden { found: hidden });
        }
        Ok(Self {
            hidden,
            activation: Activation::Screlu,
            king_buckets: KingBuckets::NONE,
            output_buckets: 1,
            men_per_bucket: 32,
            qa: 255,
            qb: 64,
            eval_scale: 400,
        })
    }

    /// This architecture with another activation.
    #[must_use]
    pub fn with_activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// This architecture with king buckets.
    #[must_use]
    pub fn with_king_buckets(mut self, king_buckets: KingBuckets) -> Self {
        self.king_buckets = king_buckets;
        self
    }

    /// This architecture with output buckets, chosen by the number of men.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::OutputBuckets`] unless there are 1 to 32.
    pub fn with_output_buckets(mut self, output_buckets: usize) -> Result<Self, ArchitectureError> {
        if output_buckets == 0 || output_buckets > Self::MAX_OUTPUT_BUCKETS {
            return Err(ArchitectureError::OutputBuckets {
                found: output_buckets,
            });
        }
        self.output_buckets = output_buckets;
        self.men_per_bucket = 32usize.div_ceil(output_buckets) as u8;
        Ok(self)
    }

    /// This architecture with other quantization factors: `qa` for the first layer, `qb` for the
    /// output weights, `qa · qb` for the output bias.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::Quantization`] unless both are in 1…32767.
    pub fn with_quantization(mut self, qa: u16, qb: u16) -> Result<Self, ArchitectureError> {
        for (factor, found) in [("QA", qa), ("QB", qb)] {
            if found == 0 || found > i16::MAX as u16 {
                return Err(ArchitectureError::Quantization { factor, found });
            }
        }
        (self.qa, self.qb) = (qa, qb);
        Ok(self)
    }

    /// This architecture with another eval scale: the centipawns that stand for an output of 1.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::EvalScale`] unless it is in 1…10000.
    pub fn with_eval_scale(mut self, eval_scale: i32) -> Result<Self, ArchitectureError> {
        if !(1..=Self::MAX_EVAL_SCALE).contains(&eval_scale) {
            return Err(ArchitectureError::EvalScale { found: eval_scale });
        }
        self.eval_scale = eval_scale;
        Ok(self)
    }

    /// N, the hidden values of one view.
    #[must_use]
    pub const fn hidden(&self) -> usize {
        self.hidden
    }

    /// What hidden values become.
    #[must_use]
    pub const fn activation(&self) -> Activation {
        self.activation
    }

    /// Which weights a view uses.
    #[must_use]
    pub const fn king_buckets(&self) -> &KingBuckets {
        &self.king_buckets
    }

    /// How many output rows there are to choose from.
    #[must_use]
    pub const fn output_buckets(&self) -> usize {
        self.output_buckets
    }

    /// The factor of first-layer weights and biases, and the upper limit of the clip.
    #[must_use]
    pub const fn qa(&self) -> u16 {
        self.qa
    }

    /// The factor of output weights.
    #[must_use]
    pub const fn qb(&self) -> u16 {
        self.qb
    }

    /// The centipawns that stand for an output of 1.
    #[must_use]
    pub const fn eval_scale(&self) -> i32 {
        self.eval_scale
    }

    /// All first-layer inputs: 768 × king buckets.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        Self::INPUTS_PER_BUCKET * self.king_buckets.count()
    }

    /// The output bucket of a placement: (men − 2) / ⌈32 / buckets⌉.
    #[must_use]
    pub const fn output_bucket(&self, placement: &Placement) -> usize {
        self.output_bucket_of(placement.men() as usize)
    }

    /// The output bucket of a placement with this many men, of which there are at least two.
    #[inline]
    pub(crate) const fn output_bucket_of(&self, men: usize) -> usize {
        if self.output_buckets == 1 {
            return 0;
        }
        (men - 2) / self.men_per_bucket as usize
    }

    /// Whether a view numbers its inputs the same way wherever its king stands.
    #[inline]
    pub(crate) const fn ignores_kings(&self) -> bool {
        self.king_buckets.count == 1 && !self.king_buckets.mirrored
    }

    /// How many ways a view has to number its inputs.
    pub(crate) const fn variants(&self) -> usize {
        2 * self.king_buckets.count()
    }

    /// How `view` numbers its inputs while its king stands where it does.
    #[inline]
    pub(crate) fn perspective(&self, view: Color, placement: &Placement) -> Perspective {
        self.perspective_from(view, placement.king(view))
    }

    /// How `view` numbers its inputs while its king stands on this square.
    #[inline]
    pub(crate) fn perspective_from(&self, view: Color, king: Square) -> Perspective {
        if self.ignores_kings() {
            return Perspective::new(view, 0, false);
        }
        let king = match view {
            Color::White => king,
            Color::Black => king.flip_rank(),
        };
        let bucket = self.king_buckets.map[king.index()];
        let mirrored = self.king_buckets.mirrored && king.file() > 3;
        Perspective::new(view, bucket.into(), mirrored)
    }
}

/// How a view numbers its inputs: the bucket and the mirroring that its king's square calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Perspective {
    /// The input of a pawn on a1 without flips, by colour.
    first: [usize; Color::COUNT],
    /// What a square's number is flipped by.
    flip: usize,
    /// The bucket's first input.
    base: usize,
    /// What a square's number is flipped by beyond what [`feature_index`](crate::feature_index) flips
    /// it by.
    mirror: usize,
    /// A number of its own for each bucket and side of the mirror.
    variant: usize,
}

impl Perspective {
    #[inline]
    const fn new(view: Color, bucket: usize, mirrored: bool) -> Self {
        let base = Architecture::INPUTS_PER_BUCKET * bucket;
        let theirs = base + Architecture::INPUTS_PER_BUCKET / 2;
        let mirror = if mirrored { 7 } else { 0 };
        let (first, flip) = match view {
            Color::White => ([base, theirs], mirror),
            Color::Black => ([theirs, base], mirror ^ 56),
        };
        Self {
            first,
            flip,
            base,
            mirror,
            variant: 2 * bucket + mirrored as usize,
        }
    }

    /// The number of this bucket and side of the mirror, under [`Architecture::variants`].
    pub(crate) const fn variant(&self) -> usize {
        self.variant
    }

    /// The bucket's first input.
    #[inline(always)]
    pub(crate) const fn base(&self) -> usize {
        self.base
    }

    /// The input of the bucket, counted from its [`base`](Self::base), that stands for one of the plain
    /// ones.
    #[inline(always)]
    pub(crate) const fn of_plain(&self, plain: PlainInput) -> PlainInput {
        plain.mirrored(self.mirror)
    }

    /// The input of `piece` on `square`: [`feature_index`](crate::feature_index) with the mirror and in
    /// the bucket.
    #[inline]
    pub(crate) const fn input(&self, piece: Piece, square: Square) -> usize {
        self.first[piece.color.index()]
            + piece.piece_type.index() * 64
            + (square.index() ^ self.flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use chess_records::PieceType;

    fn placement(white_king: Square, black_king: Square) -> Placement {
        Placement::from_pieces([
            (Piece::new(Color::White, PieceType::King), white_king),
            (Piece::new(Color::Black, PieceType::King), black_king),
        ])
        .unwrap()
    }

    #[test]
    fn numbers_out_of_range_are_refused_and_named() {
        for found in [0, 8, 24, 4112, usize::MAX] {
            assert_eq!(
                Architecture::new(found),
                Err(ArchitectureError::Hidden { found })
            );
        }
        let plain = || Architecture::new(16).unwrap();
        assert_eq!(
            Architecture::new(17).unwrap_err().to_string(),
            "hidden size 17, expected a multiple of 16 from 16 to 4096"
        );
        assert_eq!(
            plain().with_output_buckets(33).unwrap_err().to_string(),
            "33 output buckets, expected 1 to 32"
        );
        assert_eq!(
            plain().with_quantization(255, 0).unwrap_err().to_string(),
            "QB is 0, expected 1 to 32767"
        );
        assert_eq!(
            plain().with_eval_scale(10_001).unwrap_err().to_string(),
            "eval scale 10001, expected 1 to 10000"
        );
        assert_eq!(
            KingBuckets::new([32; 64], false).unwrap_err().to_string(),
            "king bucket 32, expected 0 to 31"
        );
    }

    #[test]
    fn kings_choose_bucket_and_mirror_from_their_own_side() {
        let mut map = [0; 64];
        map[Square::E1.index()] = 2;
        map[Square::G1.index()] = 1;
        let architecture = Architecture::new(16)
            .unwrap()
            .with_king_buckets(KingBuckets::new(map, true).unwrap());
        assert_eq!(architecture.inputs(), 3 * 768);
        let placement = placement(Square::C1, Square::E8);
        for view in Color::ALL {
            let perspective = architecture.perspective(view, &placement);
            for (piece, square) in Piece::ALL
                .into_iter()
                .flat_map(|p| Square::ALL.map(|s| (p, s)))
            {
                let plain = perspective.of_plain(PlainInput::new(view, piece, square));
                let input = perspective.input(piece, square);
                assert_eq!(perspective.base() + plain.index(), input);
            }
        }
        let pawn = Piece::new(Color::White, PieceType::Pawn);
        let white = architecture.perspective(Color::White, &placement);
        assert_eq!(white.input(pawn, Square::A2), 8);
        let black = architecture.perspective(Color::Black, &placement);
        assert_eq!(black.input(pawn, Square::A2), 2 * 768 + 384 + (48 ^ 7));
    }

    #[test]
    fn without_buckets_inputs_are_the_plain_ones() {
        let architecture = Architecture::new(16).unwrap();
        let placement = placement(Square::C1, Square::E8);
        for view in Color::ALL {
            let perspective = architecture.perspective(view, &placement);
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let plain = crate::feature_index(view, piece, square);
                    assert_eq!(perspective.input(piece, square), plain);
                }
            }
        }
    }

    #[test]
    fn output_buckets_follow_the_men() {
        for buckets in 1..=32 {
            let architecture = Architecture::new(16).unwrap();
            let architecture = architecture.with_output_buckets(buckets).unwrap();
            for men in 2..=32 {
                let bucket = architecture.output_bucket_of(men);
                assert_eq!(bucket, (men - 2) / 32usize.div_ceil(buckets));
                assert!(bucket < buckets, "{men} men, {buckets} buckets");
            }
            let kings = placement(Square::E1, Square::E8);
            assert_eq!(architecture.output_bucket(&kings), 0);
        }
    }
}
