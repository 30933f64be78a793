//! What a device notes down for the host to read now and then: losses, and when it worked.

use core::time::Duration;
use std::vec::Vec;

use super::buffers::read;
use super::device::{Gpu, GpuError};

/// A place for the loss and the time of each submission. The host reads them when all are taken, or
/// when it is asked for losses: every time it has to wait for the device.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) losses: wgpu::Buffer,
    clock: Option<Clock>,
    /// What the places taken since the last reading are of.
    taken: Vec<Entry>,
    /// The loss of a call that is not read to its end.
    sum: f64,
    /// The losses of calls, read and not yet told.
    known: Vec<f64>,
}

/// What a submission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A part of a call's samples.
    Part,
    /// The last part of a call's samples.
    LastPart,
    /// A step.
    Step,
}

/// Where the device notes when a submission began and ended.
#[derive(Debug)]
struct Clock {
    queries: wgpu::QuerySet,
    ticks: wgpu::Buffer,
    time: Duration,
}

impl Ledger {
    pub(super) const LEN: usize = 256;

    pub(super) fn new(gpu: &Gpu) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        Self {
            losses: buffer(gpu, "losses", 4 * Self::LEN as u64, usage),
            clock: gpu.has_clock().then(|| Clock::new(gpu)),
            taken: Vec::with_capacity(Self::LEN),
            sum: 0.0,
            known: Vec::new(),
        }
    }

    /// Takes the next place and gives its number.
    pub(super) fn take(&mut self, gpu: &Gpu, entry: Entry) -> Result<u32, GpuError> {
        if self.taken.len() == Self::LEN {
            self.read(gpu)?;
        }
        self.taken.push(entry);
        Ok(self.taken.len() as u32 - 1)
    }

    /// What has the device note the time of the submission with this place.
    pub(super) fn timing(&self, place: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let clock = self.clock.as_ref()?;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &clock.queries,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        })
    }

    /// The losses of all calls, in their order, that were not taken before.
    pub(super) fn take_losses(&mut self, gpu: &Gpu) -> Result<Vec<f64>, GpuError> {
        self.read(gpu)?;
        Ok(core::mem::take(&mut self.known))
    }

    /// The loss of the last call; those of the others stay.
    pub(super) fn take_last(&mut self, gpu: &Gpu) -> Result<Option<f64>, GpuError> {
        self.read(gpu)?;
        Ok(self.known.pop())
    }

    /// How long the device has worked, as far as it was read; `None` if it does not tell.
    pub(super) fn device_time(&self) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.time)
    }

    fn read(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.taken.is_empty() {
            return Ok(());
        }
        let losses = read(gpu, &self.losses, self.taken.len())?;
        if let Some(clock) = &mut self.clock {
            clock.read(gpu, self.taken.len())?;
        }
        for (entry, loss) in self.taken.drain(..).zip(losses) {
            if entry != Entry::Step {
                self.sum += f64::from(f32::from_bits(loss));
            }
            if entry == Entry::LastPart {
                self.known.push(core::mem::take(&mut self.sum));
            }
        }
        Ok(())
    }
}

impl Clock {
    fn new(gpu: &Gpu) -> Self {
        let count = 2 * Ledger::LEN as u32;
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            ticks: buffer(gpu, "ticks", 8 * u64::from(count), usage),
            time: Duration::ZERO,
        }
    }

    fn read(&mut self, gpu: &Gpu, taken: usize) -> Result<(), GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.resolve_query_set(&self.queries, 0..2 * taken as u32, &self.ticks, 0);
        gpu.queue.submit([encoder.finish()]);
        let halves = read(gpu, &self.ticks, 4 * taken)?;
        let ticks = halves.as_chunks::<2>().0.iter();
        let ticks: Vec<_> = ticks
            .map(|&[low, high]| u64::from(low) | u64::from(high) << 32)
            .collect();
        let period = f64::from(gpu.queue.get_timestamp_period());
        for &[start, end] in ticks.as_chunks::<2>().0 {
            let nanoseconds = end.saturating_sub(start) as f64 * period;
            self.time += Duration::from_nanos(nanoseconds as u64);
        }
        Ok(())
    }
}

fn buffer(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}
