//! What is wrong with bytes that are no checkpoint.

use thiserror::Error;

use super::bytes::{HEADER, VERSION};
use crate::ArchitectureError;
use crate::train::parameters::ParametersError;

/// Why bytes are not a checkpoint.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Fewer bytes than the header takes, or than it announces.
    #[error("the checkpoint is cut short: {found} bytes, expected {expected}")]
    Truncated {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// More bytes than the header announces.
    #[error("the checkpoint goes on after its end: {found} bytes, expected {expected}")]
    TrailingBytes {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The first eight bytes are not the magic.
    #[error("not a CHSNNCP1 checkpoint: it begins with the bytes {found:02x?}")]
    Magic {
        /// The first eight bytes.
        found: [u8; 8],
    },
    /// A version that this one cannot read.
    #[error("version at byte 8 is {found}, expected {VERSION}")]
    Version {
        /// What the field holds.
        found: u16,
    },
    /// The checksum does not match: the checkpoint is damaged.
    #[error("checksum {found:016x}, expected {expected:016x}: the checkpoint is damaged")]
    Checksum {
        /// The checksum in the header.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
    /// A field does not hold what it must.
    #[error("{field} at byte {byte_offset} is {found}, expected {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// Where it starts.
        byte_offset: usize,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: u64,
    },
    /// A loss that is negative or not finite.
    #[error("{field} at byte {byte_offset} is {found}, expected a finite number of 0 or more")]
    Loss {
        /// The field's name.
        field: &'static str,
        /// Where it starts.
        byte_offset: usize,
        /// What it is.
        found: f64,
    },
    /// A field of the header is outside what a network may have.
    #[error("the header asks for an impossible network: {0}")]
    Architecture(ArchitectureError),
    /// The description is no text.
    #[error("the description at byte {HEADER} is not UTF-8")]
    Description,
    /// The parameters are none that can be trained.
    #[error("the parameters: {0}")]
    Parameters(ParametersError),
    /// A moment that no optimizer has.
    #[error("value {index} of {field} of the {moment} is {found}, expected {expected}")]
    Moment {
        /// `means` or `squares`.
        moment: &'static str,
        /// The field of [`FloatWeights`](crate::train::FloatWeights).
        field: &'static str,
        /// Where in the field.
        index: usize,
        /// What it is.
        found: f32,
        /// What it must be.
        expected: &'static str,
    },
}

impl From<ArchitectureError> for CheckpointError {
    fn from(error: ArchitectureError) -> Self {
        Self::Architecture(error)
    }
}
