//! The kernels, compiled for a network, with their buffers at hand.

use std::vec::Vec;
use std::{format, vec};

use super::buffers::Buffers;
use super::device::Gpu;
use super::layout::Layout;
use crate::Activation;

/// What a device does.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) forward: Kernel,
    pub(super) row_segments: Kernel,
    pub(super) rows: Kernel,
    pub(super) factoriser: Option<Kernel>,
    pub(super) chunks: Kernel,
    pub(super) totals: Kernel,
    pub(super) step: Kernel,
}

/// A program for a device and the buffers it works on.
#[derive(Debug)]
pub(super) struct Kernel {
    pipeline: wgpu::ComputePipeline,
    buffers: wgpu::BindGroup,
}

/// How many invocations a workgroup has: see `words.wgsl`.
pub(super) const LANES: usize = 64;

/// How many workgroups the side of a rectangle of them has at most, less than any device's limit.
const MAX_SIDE: usize = 1 << 15;

impl Kernels {
    pub(super) fn new(
        gpu: &Gpu,
        (layout, activation): (&Layout, Activation),
        buffers: &Buffers,
        losses: &wgpu::Buffer,
    ) -> Self {
        let constants = constants(layout, activation);
        let kernel =
            |source, buffers: &[&wgpu::Buffer]| Kernel::new(gpu, source, &constants, buffers);
        let Buffers {
            work,
            parameters,
            samples,
            hidden,
            outcomes,
            gradient,
            ..
        } = buffers;
        Self {
            forward: kernel(
                include_str!("kernels/forward.wgsl"),
                &[work, parameters, &buffers.men, samples, hidden, outcomes],
            ),
            row_segments: kernel(
                include_str!("kernels/row_segments.wgsl"),
                &[
                    work,
                    parameters,
                    samples,
                    hidden,
                    outcomes,
                    &buffers.entries,
                    &buffers.segments,
                    &buffers.segment_sums,
                ],
            ),
            rows: kernel(
                include_str!("kernels/rows.wgsl"),
                &[work, &buffers.row_starts, &buffers.segment_sums, gradient],
            ),
            factoriser: (layout.factoriser > 0)
                .then(|| kernel(include_str!("kernels/factoriser.wgsl"), &[gradient])),
            chunks: kernel(
                include_str!("kernels/chunks.wgsl"),
                &[
                    work,
                    parameters,
                    samples,
                    hidden,
                    outcomes,
                    &buffers.order,
                    &buffers.chunk_starts,
                    &buffers.chunk_sums,
                ],
            ),
            totals: kernel(
                include_str!("kernels/totals.wgsl"),
                &[
                    work,
                    &buffers.bucket_starts,
                    &buffers.chunk_sums,
                    gradient,
                    losses,
                ],
            ),
            step: kernel(
                include_str!("kernels/step.wgsl"),
                &[
                    &buffers.step,
                    gradient,
                    parameters,
                    &buffers.means,
                    &buffers.squares,
                ],
            ),
        }
    }
}

/// The constants of `words.wgsl`.
fn constants(layout: &Layout, activation: Activation) -> Vec<(&'static str, f64)> {
    let screlu = match activation {
        Activation::Crelu => 0,
        Activation::Screlu => 1,
    };
    let constants = vec![
        ("COLUMNS", layout.hidden / 4),
        ("INPUTS", layout.inputs),
        ("FACTORISER", usize::from(layout.factoriser > 0)),
        ("OUTPUT_BUCKETS", layout.output_buckets),
        ("SCRELU", screlu),
        ("BIASES", layout.biases() / 4),
        ("OUTPUTS", layout.output_weights() / 4),
        ("OUTPUT_BIASES", layout.output_biases() / 4),
    ];
    let constants = constants.into_iter();
    constants
        .map(|(name, value)| (name, value as f64))
        .collect()
}

impl Kernel {
    /// Compiles the only entry point of `source`, which finds `buffers` at its bindings from 0.
    fn new(gpu: &Gpu, source: &str, constants: &[(&str, f64)], buffers: &[&wgpu::Buffer]) -> Self {
        let source = format!("{}{source}", include_str!("kernels/words.wgsl"));
        let module = gpu
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        };
        let pipeline = gpu.device.create_compute_pipeline(&descriptor);
        let entries = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            });
        let buffers = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        Self { pipeline, buffers }
    }

    /// Has an invocation for each of `count` items.
    pub(super) fn run(&self, pass: &mut wgpu::ComputePass<'_>, count: usize) {
        self.run_groups(pass, count.div_ceil(LANES));
    }

    /// Has a workgroup for each of `count` items.
    pub(super) fn run_groups(&self, pass: &mut wgpu::ComputePass<'_>, count: usize) {
        let width = count.clamp(1, MAX_SIDE);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.buffers, &[]);
        pass.dispatch_workgroups(width as u32, count.div_ceil(width) as u32, 1);
    }
}
