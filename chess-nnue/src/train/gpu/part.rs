//! A part of a batch, as large as a device can take, and what is sent of it.

use core::ops::Range;
use std::vec::Vec;

use crate::train::batch::Batch;
use crate::train::inputs::Man;

/// Neighbouring samples of a batch, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    men: &'a [Man],
    /// Where the first sample's men start in the batch.
    first_man: u32,
    /// Where each sample's men end in the batch.
    ends: &'a [u32],
    targets: &'a [f32],
    output_buckets: &'a [u8],
}

/// What kernels need of each sample: see `words.wgsl`.
pub(super) type SampleWords = [u32; 4];

impl<'a> Part<'a> {
    /// A sample has up to as many men.
    pub(super) const MAX_MEN: usize = 32;

    pub(super) fn new(batch: &'a Batch, samples: Range<usize>) -> Self {
        let all = batch.inputs();
        let first_man = match samples.start {
            0 => 0,
            start => all.ends()[start - 1],
        };
        let ends = &all.ends()[samples.clone()];
        let end = ends.last().copied().unwrap_or(first_man);
        Self {
            men: &all.men()[first_man as usize..end as usize],
            first_man,
            ends,
            targets: &batch.targets()[samples.clone()],
            output_buckets: &batch.output_buckets()[samples],
        }
    }

    /// How many samples there are.
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The men of these samples.
    pub(super) fn men_of(&self, samples: Range<usize>) -> &'a [Man] {
        &self.men[self.start_of(samples.start)..self.start_of(samples.end)]
    }

    /// Where the men of a sample start; of the number of samples, where all end.
    fn start_of(&self, sample: usize) -> usize {
        match sample {
            0 => 0,
            sample => (self.ends[sample - 1] - self.first_man) as usize,
        }
    }

    /// Each man's inputs: the mover's in the lower half, the opponent's in the upper.
    pub(super) fn write_men(&self, words: &mut Vec<u32>) {
        words.clear();
        let men = self.men.iter();
        words.extend(men.map(|&[mover, opponent]| u32::from(mover) | u32::from(opponent) << 16));
    }

    pub(super) fn write_samples(&self, words: &mut Vec<SampleWords>) {
        words.clear();
        let labels = self.targets.iter().zip(self.output_buckets);
        words.extend(labels.enumerate().map(|(sample, (&target, &bucket))| {
            [
                self.start_of(sample) as u32,
                self.start_of(sample + 1) as u32,
                u32::from(bucket),
                target.to_bits(),
            ]
        }));
    }

    pub(super) const fn output_buckets(&self) -> &'a [u8] {
        self.output_buckets
    }
}

/// The samples of a part by output bucket, cut into chunks.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// The samples' numbers, those of the first bucket first.
    pub(super) order: Vec<u32>,
    /// Where each chunk starts, up to [`Chunks::LEN`] samples of one bucket; at last the end.
    pub(super) starts: Vec<u32>,
    /// Which chunk is the first of each bucket; at last their number.
    pub(super) bucket_starts: Vec<u32>,
}

impl Chunks {
    /// The most samples that one thread of a device sums.
    pub(super) const LEN: usize = 128;

    /// How many chunks there can be of this many samples.
    pub(super) const fn max(samples: usize, output_buckets: usize) -> usize {
        samples / Self::LEN + output_buckets
    }

    pub(super) fn cut(&mut self, part: &Part<'_>, output_buckets: usize) {
        self.order.clear();
        self.starts.clear();
        self.bucket_starts.clear();
        for bucket in 0..output_buckets {
            let start = self.order.len() as u32;
            let samples = (0..).zip(part.output_buckets());
            let of_bucket = samples.filter(|&(_, &other)| usize::from(other) == bucket);
            self.order.extend(of_bucket.map(|(sample, _)| sample));
            self.bucket_starts.push(self.starts.len() as u32);
            let end = self.order.len() as u32;
            self.starts.extend((start..end).step_by(Self::LEN));
        }
        self.bucket_starts.push(self.starts.len() as u32);
        self.starts.push(self.order.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::train::Targets;
    use crate::train::batch::Samples;
    use crate::train::train_common::random_positions;
    use chess_records::Board;

    #[test]
    fn a_part_is_numbered_from_its_start() {
        let (mut fetched, mut batch) = (Samples::new(), Batch::new());
        let positions = random_positions(1000, 1);
        fetched.fetch(&positions, 0..1000).unwrap();
        let targets = Targets::new(200, 0.25).unwrap();
        let architecture = Architecture::new(16).unwrap();
        let architecture = architecture.with_output_buckets(8).unwrap();
        batch.load(&fetched, &targets, &architecture).unwrap();

        let part = Part::new(&batch, 300..1000);
        let (mut men, mut samples) = (Vec::new(), Vec::new());
        part.write_men(&mut men);
        part.write_samples(&mut samples);
        assert_eq!(samples.len(), 700);
        for (sample, position) in samples.iter().zip(&positions.0[300..]) {
            let [start, end, bucket, target] = *sample;
            let placement = position.placement();
            let mover = position.side_to_move();
            let view = architecture.perspective(mover, &placement);
            let inputs = placement
                .pieces()
                .map(|(piece, square)| view.input(piece, square) as u32);
            let found = men[start as usize..end as usize].iter();
            assert!(found.map(|man| man & 0xffff).eq(inputs));
            assert_eq!(bucket as usize, architecture.output_bucket(&placement));
            let expected = targets.target(position.label, mover).unwrap();
            assert_eq!(f32::from_bits(target), expected);
        }
        check_chunks(&part);
    }

    fn check_chunks(part: &Part<'_>) {
        let mut chunks = Chunks::default();
        chunks.cut(part, 8);
        let mut samples = chunks.order.clone();
        samples.sort_unstable();
        assert!(samples.into_iter().eq(0..700));
        assert_eq!(chunks.bucket_starts.len(), 9);
        for (bucket, ends) in chunks.bucket_starts.array_windows::<2>().enumerate() {
            for chunk in ends[0]..ends[1] {
                let ends = &chunks.starts[chunk as usize..][..2];
                let of_chunk = &chunks.order[ends[0] as usize..ends[1] as usize];
                assert!((1..=Chunks::LEN).contains(&of_chunk.len()));
                let buckets = of_chunk
                    .iter()
                    .map(|&sample| part.output_buckets()[sample as usize]);
                assert!(
                    buckets
                        .into_iter()
                        .all(|other| usize::from(other) == bucket)
                );
            }
        }
        assert!(chunks.starts.len() <= Chunks::max(700, 8) + 1);
    }
}
