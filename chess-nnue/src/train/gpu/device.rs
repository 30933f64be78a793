//! Finding and opening a GPU.

use std::format;
use std::string::{String, ToString};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;

use thiserror::Error;

/// A GPU, opened through Vulkan, Metal or Direct3D 12.
#[derive(Clone, Debug)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    name: String,
    fault: Arc<Mutex<Option<String>>>,
}

/// Why a GPU cannot be trained on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The system offers none.
    #[error("no GPU found, expected one that Vulkan, Metal or Direct3D 12 can use")]
    None,
    /// None has the name that was asked for.
    #[error("no GPU with {name:?} in its name, found {found}")]
    Name {
        /// The part of a name that was asked for.
        name: String,
        /// The names of those there are.
        found: String,
    },
    /// It is there but cannot be opened.
    #[error("the GPU {name} cannot be opened: {reason}")]
    Open {
        /// Its name.
        name: String,
        /// What the system said.
        reason: String,
    },
    /// The network is too large for it.
    #[error("{what} take {bytes} bytes, the GPU allows {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// What the GPU lets a kernel use at once.
        limit: u64,
    },
    /// It failed at work, ran out of memory or was taken away.
    #[error("the GPU failed: {reason}")]
    Failed {
        /// What the system said.
        reason: String,
    },
}

/// The names of the GPUs there are, as [`Device::Gpu`](crate::train::Device::Gpu) knows them.
#[must_use]
pub fn gpu_names() -> Vec<String> {
    let names = adapters(&instance());
    names
        .iter()
        .map(|adapter| adapter.get_info().name)
        .collect()
}

impl Gpu {
    /// The environment variable that says which GPU is used where the program does not.
    const VARIABLE: &str = "CHESS_NNUE_GPU";

    /// Opens the GPU with `name` in its name, without regard to case, else with what the environment
    /// says in its name, else the fastest.
    pub(super) fn open(name: Option<&str>) -> Result<Self, GpuError> {
        let from_environment = std::env::var(Self::VARIABLE).ok();
        let name = name.or(from_environment.as_deref()).unwrap_or_default();
        let adapter = adapter(&instance(), name)?;
        Self::of_adapter(&adapter)
    }

    fn of_adapter(adapter: &wgpu::Adapter) -> Result<Self, GpuError> {
        let name = adapter.get_info().name;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| GpuError::Open {
            name: name.clone(),
            reason: error.to_string(),
        })?;
        let fault = Arc::new(Mutex::new(None));
        note_faults(&device, &fault);
        Ok(Self {
            device,
            queue,
            name,
            fault,
        })
    }

    /// What the system calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The largest part of a buffer that a kernel can use.
    pub(super) fn binding_limit(&self) -> u64 {
        let limits = self.device.limits();
        let limit = limits.max_storage_buffer_binding_size;
        limit.min(limits.max_buffer_size)
    }

    /// Whether a GPU tells when a kernel started and ended.
    pub(super) fn has_clock(&self) -> bool {
        self.device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Waits for a submission, or for all of them.
    pub(super) fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let poll = wgpu::PollType::Wait {
            submission_index: submission,
            timeout: None,
        };
        let polled = self.device.poll(poll);
        self.check()?;
        polled.map(drop).map_err(|error| self.fail(&error))
    }

    /// Notes that something has gone wrong.
    pub(super) fn fail(&self, error: &impl ToString) -> GpuError {
        let reason = error.to_string();
        note(&self.fault, reason.clone());
        GpuError::Failed { reason }
    }

    /// Fails if anything has gone wrong so far.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match &*fault {
            Some(reason) => Err(GpuError::Failed {
                reason: reason.clone(),
            }),
            None => Ok(()),
        }
    }
}

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY))
}

fn adapter(instance: &wgpu::Instance, name: &str) -> Result<wgpu::Adapter, GpuError> {
    if name.is_empty() {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options));
        return adapter.map_err(|_| GpuError::None);
    }
    let adapters = adapters(instance);
    let names: Vec<_> = adapters
        .iter()
        .map(|adapter| adapter.get_info().name)
        .collect();
    let number = position_of(name, &names)?;
    adapters.into_iter().nth(number).ok_or(GpuError::None)
}

/// Which of these names has `name` in it.
fn position_of(name: &str, names: &[String]) -> Result<usize, GpuError> {
    if names.is_empty() {
        return Err(GpuError::None);
    }
    let wanted = name.to_lowercase();
    let position = names
        .iter()
        .position(|name| name.to_lowercase().contains(&wanted));
    position.ok_or_else(|| GpuError::Name {
        name: name.into(),
        found: names.join(", "),
    })
}

fn note(fault: &Mutex<Option<String>>, reason: String) {
    let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
    fault.get_or_insert(reason);
}

/// Has the first thing that goes wrong noted; otherwise wgpu panics.
fn note_faults(device: &wgpu::Device, fault: &Arc<Mutex<Option<String>>>) {
    let of_error = Arc::clone(fault);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        note(&of_error, error.to_string());
    }));
    let of_loss = Arc::clone(fault);
    device.set_device_lost_callback(move |reason, message| {
        // Destroyed means that this program let go of it.
        if reason != wgpu::DeviceLostReason::Destroyed {
            note(&of_loss, format!("it was lost: {message}"));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_found_by_a_part_of_its_name() {
        let names = ["Apple M1 Max", "llvmpipe (LLVM 15)"].map(String::from);
        assert_eq!(position_of("LLVM", &names), Ok(1));
        assert_eq!(position_of("m1", &names), Ok(0));
        let error = position_of("GeForce", &names).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"no GPU with "GeForce" in its name, found Apple M1 Max, llvmpipe (LLVM 15)"#
        );
        assert_eq!(position_of("GeForce", &[]), Err(GpuError::None));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            GpuError::None.to_string(),
            "no GPU found, expected one that Vulkan, Metal or Direct3D 12 can use"
        );
        let open = GpuError::Open {
            name: "Apple M1".into(),
            reason: "it is busy".into(),
        };
        assert_eq!(
            open.to_string(),
            "the GPU Apple M1 cannot be opened: it is busy"
        );
        let large = GpuError::TooLarge {
            what: "the parameters",
            bytes: 1 << 30,
            limit: 1 << 27,
        };
        assert_eq!(
            large.to_string(),
            "the parameters take 1073741824 bytes, the GPU allows 134217728"
        );
    }
}
