//! The trainer bullet's `quantised.bin`: no header, little-endian, padded to 64 bytes.
//!
//! l0w i16 \[king buckets · 768\]\[N\], l0b i16 \[N\], l1w i16 \[output buckets\]\[2N\], l1b i16
//! \[output buckets\], then the text `bullet` over and over up to a multiple of 64 bytes (older files:
//! zeros). Activation, scales and buckets are not in the file: the caller says.

use alloc::vec::Vec;

use thiserror::Error;

use crate::architecture::{Architecture, ArchitectureError};
use crate::network::{Network, lengths};

const ALIGNMENT: usize = 64;
const PADDING: &[u8] = b"bullet";

/// Why bytes are not bullet's layout of an architecture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BulletError {
    /// The number of bytes is not what the architecture takes.
    #[error("{found} bytes, expected {expected} for this architecture")]
    Length {
        /// How many bytes the architecture takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// No plain network has this many bytes.
    #[error("no plain (768 -> N)x2 -> 1 network takes {found} bytes")]
    NotPlain {
        /// How many bytes there are.
        found: usize,
    },
    /// The bytes after the weights are neither the text `bullet` nor zeros.
    #[error("byte {byte_offset} of the padding is {found:#04x}, expected the text bullet or zeros")]
    Padding {
        /// The first byte that is neither.
        byte_offset: usize,
        /// What it is.
        found: u8,
    },
}

/// Why a network cannot be written in bullet's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BulletExportError {
    /// An output bias does not fit an `i16`.
    #[error("the bias of output bucket {bucket} is {found}, which does not fit 16 bits")]
    Bias {
        /// The output bucket.
        bucket: usize,
        /// Its bias.
        found: i32,
    },
}

impl Architecture {
    /// The plain architecture (SCReLU, usual scales) that takes `bytes` bytes in bullet's layout.
    ///
    /// # Errors
    ///
    /// [`BulletError::NotPlain`] when there is none.
    pub fn from_bullet_len(bytes: usize) -> Result<Self, BulletError> {
        let not_plain = |_: ArchitectureError| BulletError::NotPlain { found: bytes };
        // 2 · (771 N + 1), rounded up to 64: N is a multiple of 16, so it divides out.
        let hidden = bytes / (2 * 771) / Self::HIDDEN_STEP * Self::HIDDEN_STEP;
        let architecture = Self::new(hidden).map_err(not_plain)?;
        if padded_len(&architecture) != bytes {
            return Err(BulletError::NotPlain { found: bytes });
        }
        Ok(architecture)
    }
}

impl Network {
    /// Reads bullet's layout of an architecture.
    ///
    /// # Errors
    ///
    /// A [`BulletError`] when the bytes are not as many as the architecture takes, or do not end in
    /// bullet's padding.
    pub fn from_bullet_bytes(
        bytes: &[u8],
        architecture: Architecture,
    ) -> Result<Self, BulletError> {
        let expected = padded_len(&architecture);
        if bytes.len() != expected {
            return Err(BulletError::Length {
                expected,
                found: bytes.len(),
            });
        }
        let (mut weights, read) = super::read_layers(&architecture, bytes);
        let len = bare_len(&architecture);
        let biases = super::i16s(&bytes[read..len]);
        weights.output_biases = biases.into_iter().map(i32::from).collect();
        check_padding(bytes, len)?;
        Ok(Self::of_checked(architecture, &weights))
    }

    /// The network in bullet's layout. Activation, scales and buckets are not part of it.
    ///
    /// # Errors
    ///
    /// [`BulletExportError::Bias`] when an output bias does not fit an `i16`.
    pub fn to_bullet_bytes(&self) -> Result<Vec<u8>, BulletExportError> {
        let weights = self.weights();
        let len = padded_len(self.architecture());
        let mut bytes = Vec::with_capacity(len);
        super::put_layers(&mut bytes, &weights);
        for (bucket, &found) in weights.output_biases.iter().enumerate() {
            let bias = i16::try_from(found);
            let bias = bias.map_err(|_| BulletExportError::Bias { bucket, found })?;
            bytes.extend(bias.to_le_bytes());
        }
        let padding = PADDING.iter().copied().cycle();
        bytes.extend(padding.take(len - bytes.len()));
        Ok(bytes)
    }
}

/// The bytes before the padding.
fn bare_len(architecture: &Architecture) -> usize {
    2 * lengths(architecture).into_iter().sum::<usize>()
}

fn padded_len(architecture: &Architecture) -> usize {
    bare_len(architecture).next_multiple_of(ALIGNMENT)
}

fn check_padding(bytes: &[u8], start: usize) -> Result<(), BulletError> {
    let padding = &bytes[start..];
    if padding.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    let text = PADDING.iter().copied().cycle();
    match padding
        .iter()
        .zip(text)
        .position(|(&byte, text)| byte != text)
    {
        None => Ok(()),
        Some(index) => Err(BulletError::Padding {
            byte_offset: start + index,
            found: padding[index],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Weights;
    use alloc::string::ToString;

    fn network(hidden: usize) -> Network {
        let architecture = Architecture::new(hidden).unwrap();
        Network::new(architecture.clone(), &Weights::zero(&architecture)).unwrap()
    }

    #[test]
    fn plain_sizes_name_their_network() {
        for hidden in (16..=Architecture::MAX_HIDDEN).step_by(16) {
            let architecture = Architecture::new(hidden).unwrap();
            let bytes = padded_len(&architecture);
            assert_eq!(Architecture::from_bullet_len(bytes), Ok(architecture));
            for wrong in [bytes - 64, bytes + 64, bytes + 1] {
                assert!(Architecture::from_bullet_len(wrong).is_err(), "{wrong}");
            }
        }
        assert_eq!(
            Architecture::from_bullet_len(usize::MAX)
                .unwrap_err()
                .to_string(),
            std::format!(
                "no plain (768 -> N)x2 -> 1 network takes {} bytes",
                usize::MAX
            )
        );
    }

    #[test]
    fn zeros_pad_as_well_as_text_and_nothing_else_does() {
        let network = network(16);
        let mut bytes = network.to_bullet_bytes().unwrap();
        let start = bare_len(network.architecture());
        assert!(bytes[start..].starts_with(b"bulletbul"));
        bytes[start..].fill(0);
        let read = |bytes: &[u8]| {
            let architecture = network.architecture().clone();
            Network::from_bullet_bytes(bytes, architecture).map(|network| network.weights())
        };
        assert_eq!(read(&bytes), Ok(network.weights()));
        bytes[start + 1] = 7;
        assert_eq!(
            read(&bytes).unwrap_err().to_string(),
            std::format!("byte {start} of the padding is 0x00, expected the text bullet or zeros")
        );
        assert_eq!(
            read(&bytes[..64]).unwrap_err().to_string(),
            "64 bytes, expected 24704 for this architecture"
        );
    }

    #[test]
    fn a_bias_past_16_bits_is_not_exported() {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_biases[0] = 32_768;
        let network = Network::new(architecture, &weights).unwrap();
        assert_eq!(
            network.to_bullet_bytes().unwrap_err().to_string(),
            "the bias of output bucket 0 is 32768, which does not fit 16 bits"
        );
    }
}
