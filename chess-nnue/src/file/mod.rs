//! Networks as bytes and as files.

mod bullet;
mod own;
#[cfg(feature = "std")]
mod path;

pub use bullet::{BulletError, BulletExportError};
pub use own::FormatError;
pub(crate) use own::checksum;
#[cfg(feature = "std")]
pub use path::{LoadError, SaveError};

use alloc::vec::Vec;

use crate::architecture::Architecture;
use crate::network::{Weights, lengths};

/// Reads little-endian `i16`s.
fn i16s(bytes: &[u8]) -> Vec<i16> {
    let pairs = bytes.as_chunks::<2>().0.iter();
    pairs.map(|&pair| i16::from_le_bytes(pair)).collect()
}

/// Appends `i16`s, little-endian.
fn put_i16s(bytes: &mut Vec<u8>, numbers: &[i16]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// The three lists of `i16`s with which both layouts begin, in their order.
fn read_layers(architecture: &Architecture, payload: &[u8]) -> (Weights, usize) {
    let [features, biases, outputs, _] = lengths(architecture).map(|len| 2 * len);
    let (feature_weights, rest) = payload.split_at(features);
    let (feature_biases, rest) = rest.split_at(biases);
    let weights = Weights {
        feature_weights: i16s(feature_weights),
        feature_biases: i16s(feature_biases),
        output_weights: i16s(&rest[..outputs]),
        output_biases: Vec::new(),
    };
    (weights, features + biases + outputs)
}

/// Appends what [`read_layers`] reads.
fn put_layers(bytes: &mut Vec<u8>, weights: &Weights) {
    put_i16s(bytes, &weights.feature_weights);
    put_i16s(bytes, &weights.feature_biases);
    put_i16s(bytes, &weights.output_weights);
}
