//! The memory of a device: what stays there from step to step, and what a part of a batch fills.

use std::vec::Vec;

use super::device::{Gpu, GpuError};
use super::layout::Layout;
use super::part::{Chunks, Part};
use super::sorted_rows::SortedRows;

/// All buffers of a network in training.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) parameters: wgpu::Buffer,
    pub(super) gradient: wgpu::Buffer,
    pub(super) means: wgpu::Buffer,
    pub(super) squares: wgpu::Buffer,
    pub(super) work: wgpu::Buffer,
    pub(super) step: wgpu::Buffer,
    pub(super) men: wgpu::Buffer,
    pub(super) samples: wgpu::Buffer,
    pub(super) entries: wgpu::Buffer,
    pub(super) segments: wgpu::Buffer,
    pub(super) row_starts: wgpu::Buffer,
    pub(super) order: wgpu::Buffer,
    pub(super) chunk_starts: wgpu::Buffer,
    pub(super) bucket_starts: wgpu::Buffer,
    pub(super) hidden: wgpu::Buffer,
    pub(super) outcomes: wgpu::Buffer,
    pub(super) segment_sums: wgpu::Buffer,
    pub(super) chunk_sums: wgpu::Buffer,
}

/// How many values of four bytes the buffers of a part need.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    men: usize,
    samples: usize,
    entries: usize,
    segments: usize,
    chunks: usize,
    hidden: usize,
    outcomes: usize,
    segment_sums: usize,
    chunk_sums: usize,
}

impl Sizes {
    /// For parts of this many samples.
    const fn new(samples: usize, layout: &Layout, max_segments: usize) -> Self {
        let chunks = Chunks::max(samples, layout.output_buckets);
        Self {
            men: samples * Part::MAX_MEN,
            samples: samples * 4,
            entries: samples * Part::MAX_MEN * 2,
            segments: max_segments + 1,
            chunks: chunks + 1,
            hidden: samples * 2 * layout.hidden,
            outcomes: samples * 4,
            segment_sums: max_segments * layout.hidden,
            chunk_sums: chunks * (3 * layout.hidden + 4),
        }
    }

    fn of(samples: usize, layout: &Layout) -> Self {
        let rows = layout.inputs;
        Self::new(samples, layout, SortedRows::max_segments(samples, rows))
    }

    /// The largest buffer, in bytes.
    fn largest(&self) -> u64 {
        let values = [
            self.men,
            self.entries,
            self.hidden,
            self.segment_sums,
            self.chunk_sums,
        ];
        4 * values.into_iter().max().unwrap_or(0) as u64
    }
}

/// How many samples a part can have, up to `wanted`, if no buffer may take more than `limit` bytes.
pub(super) fn part_len(wanted: usize, layout: &Layout, limit: u64) -> Result<usize, GpuError> {
    let parameters = 4 * layout.len() as u64;
    if parameters > limit {
        return Err(too_large("the parameters", parameters, limit));
    }
    let bytes = |samples| Sizes::of(samples, layout).largest();
    if bytes(1) > limit {
        return Err(too_large("the hidden values", bytes(1), limit));
    }
    // Between the largest number known to fit and the smallest known not to.
    let (mut fits, mut too_many) = (1, wanted + 1);
    while too_many - fits > 1 {
        let middle = fits.midpoint(too_many);
        if bytes(middle) <= limit {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    Ok(fits)
}

const fn too_large(what: &'static str, bytes: u64, limit: u64) -> GpuError {
    GpuError::TooLarge { what, bytes, limit }
}

impl Buffers {
    /// Buffers for parts of up to `samples` samples.
    pub(super) fn new(gpu: &Gpu, layout: &Layout, samples: usize) -> Self {
        use wgpu::BufferUsages as Usages;
        let buffer = |label, values: usize, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: 4 * values as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let inside = |label, values| buffer(label, values, Usages::STORAGE);
        let sent = |label, values| buffer(label, values, Usages::STORAGE | Usages::COPY_DST);
        let kept = |label| {
            let copied = Usages::COPY_DST | Usages::COPY_SRC;
            buffer(label, layout.len(), Usages::STORAGE | copied)
        };
        let uniform = |label, values| buffer(label, values, Usages::UNIFORM | Usages::COPY_DST);
        let sizes = Sizes::of(samples, layout);
        Self {
            parameters: kept("parameters"),
            gradient: kept("gradient"),
            means: kept("means"),
            squares: kept("squares"),
            work: uniform("work", 8),
            step: uniform("step", 12),
            men: sent("men", sizes.men),
            samples: sent("samples", sizes.samples),
            entries: sent("entries", sizes.entries),
            segments: sent("segments", sizes.segments),
            row_starts: sent("row starts", layout.inputs + 1),
            order: sent("order", samples),
            chunk_starts: sent("chunk starts", sizes.chunks),
            bucket_starts: sent("bucket starts", layout.output_buckets + 1),
            hidden: inside("hidden", sizes.hidden),
            outcomes: buffer(
                "outcomes",
                sizes.outcomes,
                Usages::STORAGE | Usages::COPY_SRC,
            ),
            segment_sums: inside("segment sums", sizes.segment_sums),
            chunk_sums: inside("chunk sums", sizes.chunk_sums),
        }
    }
}

/// Waits for everything and gives the first values of a buffer.
pub(super) fn read(gpu: &Gpu, buffer: &wgpu::Buffer, values: usize) -> Result<Vec<u32>, GpuError> {
    let bytes = 4 * values as u64;
    let readable = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readable"),
        size: bytes,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &readable, 0, bytes);
    gpu.queue.submit([encoder.finish()]);
    // What goes wrong is told by the view.
    readable.map_async(wgpu::MapMode::Read, .., |_| ());
    gpu.wait(None)?;
    let view = readable.get_mapped_range(..);
    let view = view.map_err(|error| gpu.fail(&error))?;
    Ok(bytemuck::pod_collect_to_vec(&view))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 128 << 20;

    fn layout(hidden: usize, inputs: usize) -> Layout {
        Layout {
            inputs,
            factoriser: 0,
            hidden,
            output_buckets: 1,
        }
    }

    #[test]
    fn a_part_is_what_the_device_can_take() {
        assert_eq!(part_len(16_384, &layout(256, 768), LIMIT), Ok(16_384));
        assert_eq!(part_len(16_384, &layout(1024, 768), LIMIT), Ok(16_384));
        assert_eq!(part_len(16_384, &layout(2048, 768), LIMIT), Ok(8192));
        assert_eq!(part_len(1 << 24, &layout(16, 768), LIMIT), Ok(1 << 19));
        assert_eq!(part_len(3, &layout(4096, 768), LIMIT), Ok(3));
        assert_eq!(part_len(16_384, &layout(1024, 32 * 768), LIMIT), Ok(16_384));
        assert_eq!(part_len(16_384, &layout(1152, 32 * 768), LIMIT), Ok(14_563));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let error = part_len(1, &layout(4096, 32 * 768), LIMIT).unwrap_err();
        let expected = "the parameters take 402702352 bytes, the GPU allows 134217728";
        assert_eq!(std::string::ToString::to_string(&error), expected);
    }
}
