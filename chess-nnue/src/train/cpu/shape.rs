//! How the work of a batch is cut up.
//!
//! The number of pieces depends on the network and the batch size alone. Each piece has buffers of
//! its own and pieces are joined in order, so that a run gives the same bits on any number of
//! threads.

use core::ops::Range;

use super::lane::Lane;

/// Hidden columns × samples: the columns in tiles, whose weights fit a core's cache, the samples of
/// a batch in parts, and each part in slices, whose hidden values fit it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    lanes: usize,
    slices: usize,
    slice_len: usize,
}

impl Shape {
    /// 32 columns: the rows of 768 inputs take 96 KiB and so does their gradient, which both fit a core's
    /// second-level cache. Wider tiles have the gradient's slopes leave the first-level one, narrower
    /// ones make more of the work that every tile does again.
    pub(super) const MAX_TILE_LANES: usize = 2;
    /// So many pieces of a part, or more, keep 16 threads busy.
    const PIECES: usize = 16;
    /// A slice has a gradient to clear and to sum up: not worth it for a few samples.
    const MIN_SLICE_LEN: usize = 64;
    /// A tile's weights and gradient are fetched anew for so many samples. More samples have more hidden
    /// values, which wait in a cache that all cores share for the way back.
    const MAX_SLICE_LEN: usize = 512;

    /// The cut for `hidden` columns (a multiple of 16) and `batch_size` samples, both over 0.
    pub(super) fn new(hidden: usize, batch_size: usize) -> Self {
        let tiles = hidden.div_ceil(Lane::WIDTH * Self::MAX_TILE_LANES);
        let slices = Self::PIECES.div_ceil(tiles);
        let slices = slices.min(batch_size.div_ceil(Self::MIN_SLICE_LEN));
        Self {
            lanes: hidden / Lane::WIDTH,
            slices,
            slice_len: batch_size.div_ceil(slices).min(Self::MAX_SLICE_LEN),
        }
    }

    /// How many tiles the columns make; the last may be narrower than the others.
    pub(super) fn tiles(self) -> usize {
        self.lanes.div_ceil(Self::MAX_TILE_LANES)
    }

    /// The width of a tile in lanes, 1 or 2.
    pub(super) fn tile_lanes(self, tile: usize) -> usize {
        (self.lanes - tile * Self::MAX_TILE_LANES).min(Self::MAX_TILE_LANES)
    }

    /// How many slices a part has at most.
    pub(super) fn slices(self) -> usize {
        self.slices
    }

    /// How many samples a slice has at most.
    pub(super) fn slice_len(self) -> usize {
        self.slice_len
    }

    /// How many samples go through the network at once.
    pub(super) fn part_len(self) -> usize {
        self.slices * self.slice_len
    }

    /// The parts of a batch of `len` samples.
    pub(super) fn parts(self, len: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..len).step_by(self.part_len());
        starts.map(move |start| start..len.min(start + self.part_len()))
    }

    /// The samples of one slice of a part; none for the last slices of a short part.
    pub(super) fn slice(self, part: Range<usize>, slice: usize) -> Range<usize> {
        let at = |slice: usize| (part.start + slice * self.slice_len).min(part.end);
        at(slice)..at(slice + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_threads_have_work_at_any_width() {
        for hidden in [16, 64, 80, 256, 1024, 4096] {
            let shape = Shape::new(hidden, 16_384);
            assert!(shape.tiles() * shape.slices() >= 16, "{hidden}");
            assert!(shape.part_len() * 2 * hidden <= 1 << 23, "{hidden}");
            let lanes: usize = (0..shape.tiles()).map(|tile| shape.tile_lanes(tile)).sum();
            assert_eq!(lanes * Lane::WIDTH, hidden);
        }
        let shape = Shape::new(256, 16_384);
        assert_eq!((shape.slices(), shape.slice_len), (2, 512));
    }

    #[test]
    fn small_batches_are_hardly_cut() {
        assert_eq!(Shape::new(256, 1).part_len(), 1);
        assert_eq!(Shape::new(256, 100).slices(), 2);
        assert_eq!(Shape::new(144, 1000).tile_lanes(4), 1);
        let uneven = Shape::new(16, 8191);
        assert!(uneven.part_len() >= 8191);
        assert_eq!(Shape::new(4096, 1 << 24).part_len(), 512);
    }

    #[test]
    fn parts_and_slices_leave_no_sample_out() {
        for (batch_size, len) in [(16_384, 16_384), (1000, 700), (64, 150), (1, 3)] {
            let shape = Shape::new(256, batch_size);
            let mut next = 0;
            for part in shape.parts(len) {
                for slice in 0..shape.slices() {
                    let slice = shape.slice(part.clone(), slice);
                    assert_eq!(slice.start, next);
                    next = slice.end;
                }
                assert_eq!(part.end, next);
            }
            assert_eq!(next, len);
        }
    }
}
