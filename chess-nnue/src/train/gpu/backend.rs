//! A GPU as a trainer sees it.

use core::ops::Range;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use rayon::ThreadPool;

use super::buffers::{Buffers, part_len, read};
use super::device::{Gpu, GpuError};
use super::kernels::Kernels;
use super::layout::Layout;
use super::ledger::{Entry, Ledger};
use super::part::Part;
use super::work::{Order, Work, step_words};
use crate::Architecture;
use crate::train::backend::{Backend, BackendOptions, Timings};
use crate::train::batch::Batch;
use crate::train::loss::Loss;
use crate::train::optimizer::{OptimizerState, StepOptions};
use crate::train::parameters::{FloatWeights, Parameters};
use crate::train::step::Steps;

/// A network in training on a GPU. Weights, gradient and moments stay there; the batches go up.
///
/// Calls return when their work is queued. What fails on the way is kept for [`Backend::check`].
#[derive(Debug)]
pub(in crate::train) struct OnGpu {
    gpu: Gpu,
    pool: Arc<ThreadPool>,
    architecture: Architecture,
    layout: Layout,
    loss: Loss,
    part_len: usize,
    buffers: Buffers,
    kernels: Kernels,
    ledger: Ledger,
    work: Work,
    steps: Steps,
    /// Submissions the device may still be working on.
    queued: VecDeque<wgpu::SubmissionIndex>,
    timings: Timings,
}

impl OnGpu {
    /// How many submissions are queued at most: the device has one to go on with while the next is
    /// prepared, and what is sent ahead does not pile up.
    const MAX_QUEUED: usize = 4;

    /// A backend with these parameters, on the GPU that [`Gpu::open`] finds.
    pub(in crate::train) fn new(
        name: Option<&str>,
        parameters: &Parameters,
        options: BackendOptions,
        pool: Arc<ThreadPool>,
    ) -> Result<Self, GpuError> {
        let gpu = Gpu::open(name)?;
        let limit = gpu.binding_limit();
        Self::with_limit(gpu, limit, parameters, options, pool)
    }

    /// A backend of which no buffer takes more than `limit` bytes.
    pub(super) fn with_limit(
        gpu: Gpu,
        limit: u64,
        parameters: &Parameters,
        options: BackendOptions,
        pool: Arc<ThreadPool>,
    ) -> Result<Self, GpuError> {
        let architecture = parameters.architecture().clone();
        let layout = Layout::new(&architecture, parameters.weights());
        let part_len = part_len(options.batch_size, &layout, limit)?;
        let out_of_memory = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffers = Buffers::new(&gpu, &layout, part_len);
        if let Some(error) = pollster::block_on(out_of_memory.pop()) {
            let reason = std::string::ToString::to_string(&error);
            return Err(GpuError::Failed { reason });
        }
        let ledger = Ledger::new(&gpu);
        let of_network = (&layout, architecture.activation());
        let kernels = Kernels::new(&gpu, of_network, &buffers, &ledger.losses);
        gpu.check()?;
        let backend = Self {
            gpu,
            pool,
            architecture,
            layout,
            loss: options.loss,
            part_len,
            buffers,
            kernels,
            ledger,
            work: Work::default(),
            steps: Steps::new(options.optimizer, 0),
            queued: VecDeque::new(),
            timings: Timings::default(),
        };
        // The moments are zero: memory of a device starts so.
        backend.send(&backend.buffers.parameters, parameters.weights());
        Ok(backend)
    }

    /// How many samples go through at once.
    #[cfg(test)]
    pub(super) const fn part_len(&self) -> usize {
        self.part_len
    }

    /// The gradient as it is now.
    #[cfg(test)]
    pub(super) fn gradient_now(&self) -> Result<FloatWeights, GpuError> {
        self.read(&self.buffers.gradient)
    }

    /// Has the device refuse something.
    #[cfg(test)]
    pub(super) fn break_device(&self) {
        let beyond = self.buffers.work.size();
        self.gpu
            .queue
            .write_buffer(&self.buffers.work, beyond, &[0; 4]);
    }

    fn send(&self, buffer: &wgpu::Buffer, weights: &FloatWeights) {
        let values = self.layout.join(weights);
        let bytes = bytemuck::cast_slice(&values);
        self.gpu.queue.write_buffer(buffer, 0, bytes);
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Result<FloatWeights, GpuError> {
        let words = read(&self.gpu, buffer, self.layout.len())?;
        let values: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
        Ok(self.layout.split(&values))
    }

    fn parts(&self, batch: &Batch) -> impl Iterator<Item = Range<usize>> + use<> {
        let (len, part_len) = (batch.len(), self.part_len);
        (0..len)
            .step_by(part_len)
            .map(move |start| start..len.min(start + part_len))
    }

    /// Prepares a part of a batch and sends it.
    fn send_part(&mut self, part: &Part<'_>, order: &Order) {
        let start = Instant::now();
        let Layout {
            inputs,
            output_buckets,
            ..
        } = self.layout;
        let work = &mut self.work;
        self.pool
            .install(|| work.prepare(part, inputs, output_buckets));
        work.set_order(order);
        let (work, buffers) = (&self.work, &self.buffers);
        let write = |buffer: &wgpu::Buffer, words: &[u32]| {
            let bytes = bytemuck::cast_slice(words);
            self.gpu.queue.write_buffer(buffer, 0, bytes);
        };
        write(&buffers.work, &work.words);
        write(&buffers.men, &work.men);
        write(&buffers.samples, work.samples.as_flattened());
        write(&buffers.entries, &work.rows.entries);
        write(&buffers.segments, &work.rows.segments);
        write(&buffers.row_starts, &work.rows.row_starts);
        write(&buffers.order, &work.chunks.order);
        write(&buffers.chunk_starts, &work.chunks.starts);
        write(&buffers.bucket_starts, &work.chunks.bucket_starts);
        self.timings.preparation += start.elapsed();
    }

    /// Submits kernels and has the time they take noted.
    fn submit(&mut self, place: u32, kernels: impl FnOnce(&Self, &mut wgpu::ComputePass<'_>)) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self.ledger.timing(place),
            });
            kernels(self, &mut pass);
        }
        let start = Instant::now();
        // Where the device is made of software, this may be where it works.
        let submission = self.gpu.queue.submit([encoder.finish()]);
        self.queued.push_back(submission);
        while self.queued.len() > Self::MAX_QUEUED {
            // A failure is kept.
            let _ = self.gpu.wait(self.queued.pop_front());
        }
        self.timings.waiting += start.elapsed();
    }

    /// Passes a part through the network and back.
    fn pass_part(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Self {
            kernels,
            work,
            layout,
            ..
        } = self;
        let columns = layout.hidden / 4;
        kernels.forward.run_groups(pass, work.samples.len());
        kernels.row_segments.run(pass, work.segments() * columns);
        kernels.rows.run(pass, layout.inputs * columns);
        if let Some(factoriser) = &kernels.factoriser {
            factoriser.run(pass, layout.factoriser * columns);
        }
        kernels.chunks.run(pass, work.chunks() * (columns + 1));
        let dense = (2 * layout.output_buckets + 1) * layout.hidden;
        kernels.totals.run(pass, dense + layout.output_buckets + 1);
    }

    /// The outputs of a part.
    fn outputs_of_part(&mut self, part: &Part<'_>) -> Result<Vec<f32>, GpuError> {
        let order = Order {
            loss: self.loss,
            divisor: 1,
            fresh: false,
            place: 0,
        };
        self.send_part(part, &order);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.forward.run_groups(&mut pass, part.len());
        }
        self.gpu.queue.submit([encoder.finish()]);
        let words = read(&self.gpu, &self.buffers.outcomes, 4 * part.len())?;
        let outcomes = words.as_chunks::<4>().0.iter();
        Ok(outcomes.map(|outcome| f32::from_bits(outcome[2])).collect())
    }
}

impl OnGpu {
    /// Queues a part's gradient, and fails if the device has failed.
    fn queue_part(&mut self, part: &Part<'_>, order: Order, entry: Entry) -> Result<(), GpuError> {
        let place = self.read_losses(|ledger, gpu| ledger.take(gpu, entry))?;
        self.send_part(part, &Order { place, ..order });
        self.submit(place, Self::pass_part);
        Ok(())
    }

    fn queue_gradient(
        &mut self,
        batch: &Batch,
        divisor: usize,
        fresh: bool,
    ) -> Result<(), GpuError> {
        for samples in self.parts(batch) {
            let entry = match samples.end == batch.len() {
                true => Entry::LastPart,
                false => Entry::Part,
            };
            let order = Order {
                loss: self.loss,
                divisor,
                fresh: fresh && samples.start == 0,
                place: 0,
            };
            self.queue_part(&Part::new(batch, samples), order, entry)?;
        }
        Ok(())
    }

    fn queue_step(&mut self, options: &StepOptions) -> Result<(), GpuError> {
        let place = self.read_losses(|ledger, gpu| ledger.take(gpu, Entry::Step))?;
        let words = step_words(&self.steps.next(options), self.layout.factoriser > 0);
        let bytes = bytemuck::cast_slice(&words);
        self.gpu.queue.write_buffer(&self.buffers.step, 0, bytes);
        let count = self.layout.len() / 4;
        self.submit(place, |backend, pass| backend.kernels.step.run(pass, count));
        Ok(())
    }

    /// Lets the ledger read losses, if it has to, for which the device finishes all that is queued.
    fn read_losses<T>(&mut self, read: impl FnOnce(&mut Ledger, &Gpu) -> T) -> T {
        let start = Instant::now();
        let losses = read(&mut self.ledger, &self.gpu);
        self.timings.waiting += start.elapsed();
        losses
    }

    /// Weights as the device has them; NaN if it has failed.
    fn read_or_nan(&self, buffer: &wgpu::Buffer) -> FloatWeights {
        let read = self.read(buffer);
        read.unwrap_or_else(|_| self.layout.split(&std::vec![f32::NAN; self.layout.len()]))
    }
}

// Failures are kept by the device, for `check`.
impl Backend for OnGpu {
    fn gradient(&mut self, batch: &Batch, divisor: usize, fresh: bool) -> f64 {
        let _ = self.queue_gradient(batch, divisor, fresh);
        let loss = self.read_losses(Ledger::take_last);
        loss.ok().flatten().unwrap_or(f64::NAN)
    }

    fn start_gradient(&mut self, batch: &Batch, divisor: usize, fresh: bool) -> Option<f64> {
        let queued = self.queue_gradient(batch, divisor, fresh);
        queued.is_err().then_some(f64::NAN)
    }

    fn late_losses(&mut self) -> Vec<f64> {
        self.read_losses(Ledger::take_losses).unwrap_or_default()
    }

    fn check(&self) -> Result<(), GpuError> {
        self.gpu.check()
    }

    fn step(&mut self, options: &StepOptions) {
        let _ = self.queue_step(options);
    }

    fn outputs(&mut self, batch: &Batch) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(batch.len());
        for samples in self.parts(batch) {
            let len = samples.len();
            let of_part = self.outputs_of_part(&Part::new(batch, samples));
            outputs.extend(of_part.unwrap_or_else(|_| std::vec![f32::NAN; len]));
        }
        outputs
    }

    fn parameters(&self) -> Parameters {
        let weights = self.read_or_nan(&self.buffers.parameters);
        Parameters::of_training(self.architecture.clone(), weights)
    }

    fn set_parameters(&mut self, parameters: &Parameters) {
        self.send(&self.buffers.parameters, parameters.weights());
    }

    fn state(&self) -> OptimizerState {
        OptimizerState {
            steps: self.steps.count(),
            means: self.read_or_nan(&self.buffers.means),
            squares: self.read_or_nan(&self.buffers.squares),
        }
    }

    fn restore(&mut self, state: &OptimizerState) {
        self.send(&self.buffers.means, &state.means);
        self.send(&self.buffers.squares, &state.squares);
        self.steps.restart(state.steps);
    }

    fn gpu_name(&self) -> Option<&str> {
        Some(self.gpu.name())
    }

    fn timings(&self) -> Option<Timings> {
        Some(Timings {
            device: self.ledger.device_time(),
            ..self.timings
        })
    }
}
