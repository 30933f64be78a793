//! Instruction sets and the choice between them.

// A function compiled for an instruction set may be called only where the processor has it.
#![allow(unsafe_code)]

use core::fmt;

#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Instructions, Kernel, Portable};

/// An instruction set that the loops over hidden values are compiled for. Scores do not depend on it.
///
/// A value exists only for a set that this machine has.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend(Set);

/// Whether this machine has a feature. Without `std`, whether the build takes it for granted.
macro_rules! has {
    ($detect:ident, $feature:tt) => {{
        #[cfg(feature = "std")]
        let has = std::arch::$detect!($feature);
        #[cfg(not(feature = "std"))]
        let has = cfg!(target_feature = $feature);
        has
    }};
}

/// Declares the instruction sets, fastest last: name, what stands for its instructions, architecture, how
/// to detect its features, and the features.
macro_rules! instruction_sets {
    ($($set:ident $name:literal $instructions:expr, $arch:literal $detect:ident [$($feature:tt),*];)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        enum Set {
            Portable,
            $(#[cfg(target_arch = $arch)] $set,)*
        }

        impl Backend {
            /// The sets that this machine has, the fastest last.
            pub fn available() -> impl Iterator<Item = Self> {
                [
                    Some(Set::Portable),
                    $(
                        #[cfg(target_arch = $arch)]
                        (true $(&& has!($detect, $feature))*).then_some(Set::$set),
                    )*
                ]
                .into_iter()
                .flatten()
                .map(Self)
            }

            /// The name: `portable`, `avx2`, `avx512`, `avx512vnni` or `neon`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self.0 {
                    Set::Portable => "portable",
                    $(#[cfg(target_arch = $arch)] Set::$set => $name,)*
                }
            }

            /// Runs a kernel compiled for this set.
            #[inline(always)]
            pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
                match self.0 {
                    Set::Portable => portable(kernel),
                    $(
                        #[cfg(target_arch = $arch)]
                        Set::$set => {
                            $(#[target_feature(enable = $feature)])*
                            fn compiled<K: Kernel, I: Instructions>(
                                kernel: K,
                                instructions: I,
                            ) -> K::Output {
                                kernel.run(instructions)
                            }
                            // SAFETY: the only place that makes a `Backend` of this set is
                            // `available`, which has seen that this machine has its features.
                            unsafe { compiled(kernel, $instructions) }
                        }
                    )*
                }
            }
        }
    };
}

/// A function of its own, as the other sets have by necessity: the callers stay small.
#[inline(never)]
fn portable<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Portable)
}

instruction_sets! {
    Avx2 "avx2" x86_64::Avx2::new(), "x86_64" is_x86_feature_detected ["avx2"];
    Avx512 "avx512" x86_64::Avx512::new(), "x86_64" is_x86_feature_detected ["avx512f", "avx512bw", "avx512vl"];
    Avx512Vnni "avx512vnni" x86_64::Avx512Vnni::new(), "x86_64" is_x86_feature_detected
        ["avx512f", "avx512bw", "avx512vl", "avx512vnni"];
    Neon "neon" Portable, "aarch64" is_aarch64_feature_detected ["neon"];
}

impl Backend {
    /// The environment variable that names the set to use, for tests and bug reports. A name that is
    /// unknown, or of a set that this machine lacks, counts as none.
    #[cfg(feature = "std")]
    pub const VARIABLE: &'static str = "CHESS_NNUE_BACKEND";

    /// The fastest set that this machine has, or with `std` the one that the environment variable
    /// [`Backend::VARIABLE`] names.
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(feature = "std")]
        if let Some(named) = std::env::var(Self::VARIABLE)
            .ok()
            .and_then(|name| Self::from_name(&name))
        {
            return named;
        }
        Self::available().last().unwrap_or(Self(Set::Portable))
    }

    /// The set with this name, if this machine has it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::available().find(|backend| backend.name() == name)
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
