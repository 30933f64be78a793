//! What does the arithmetic of training.

#[cfg(feature = "gpu")]
use std::string::String;

/// What does the arithmetic of training.
///
/// With the feature `serde` it is text such as `"cpu"`, `{ gpu = {} }` and `{ gpu = { name = "M1" } }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase", rename = "device", deny_unknown_fields)
)]
#[non_exhaustive]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// A GPU, through Vulkan, Metal or Direct3D 12.
    #[cfg(feature = "gpu")]
    Gpu {
        /// A part of its name, in any case: see [`gpu_names`](super::gpu_names). Without one it is the
        /// environment's `CHESS_NNUE_GPU`, and without that the fastest there is.
        #[cfg_attr(
            feature = "serde",
            serde(default, skip_serializing_if = "Option::is_none")
        )]
        name: Option<String>,
    },
}
