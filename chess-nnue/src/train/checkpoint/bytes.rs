//! The checkpoint file, version 1. All numbers are little-endian.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | u8×8 | magic `CHSNNCP1` |
//! | 8 | u16 | version, 1 |
//! | 10 | u16 | activation: 0 CReLU, 1 SCReLU |
//! | 12 | u16 | flags: bit 0 mirrored, bit 1 the order depends on the blocks, bit 2 an epoch is over |
//! | 14 | u16 | output buckets |
//! | 16 | u16 | QA |
//! | 18 | u16 | QB |
//! | 20 | i32 | eval scale |
//! | 24 | u32 | N |
//! | 28 | u32 | length of the description in bytes |
//! | 32 | u64 | XXH3-64 of the whole file, this field zero |
//! | 40 | u64 | steps made |
//! | 48 | u64 | samples learnt from |
//! | 56 | f64 | the losses of the epoch so far, summed |
//! | 64 | u64 | of how many samples |
//! | 72 | u64 | the best epoch; the three fields up to 88 are 0 before an epoch is over |
//! | 80 | f64 | its validation loss |
//! | 88 | f64 | the validation loss of the last epoch |
//! | 96 | u64 | samples of the training set |
//! | 104 | u64 | its blocks, or 0 |
//! | 112 | u64 | how many times it was gone through |
//! | 120 | u64 | how many samples of this pass were learnt from |
//! | 128 | u64 | fingerprint of the training set |
//! | 136 | u64 | samples of the validation set |
//! | 144 | u64 | fingerprint of the validation set |
//! | 152 | u64×5 | how many feature weights, factoriser weights, feature biases, output weights, output biases |
//! | 192 | u8×64 | king map |
//! | 256 | u8 | the description of the configuration, UTF-8 |
//!
//! Then f32s to the end: the parameters in the order of the counts, the means of their gradients and
//! the means of their squares.
//!
//! The header of a run with N = 16 and an eval scale of 115, at its 300th step:
//!
//! ```text
//! 43 48 53 4e 4e 43 50 31  magic
//! 01 00 01 00 06 00 01 00  version 1, SCReLU, by blocks and an epoch is over, 1 output bucket
//! ff 00 40 00 73 00 00 00  QA, QB, eval scale
//! 10 00 00 00 0a 00 00 00  N = 16, 10 bytes of description
//! .. .. .. .. .. .. .. ..  checksum
//! 2c 01 00 00 00 00 00 00  300 steps
//! 00 4b 00 00 00 00 00 00  19,200 samples
//! 00 00 00 00 00 00 f8 3f  losses of 1.5
//! 40 00 00 00 00 00 00 00  from 64 samples
//! 02 00 00 00 00 00 00 00  epoch 2 was the best,
//! 00 00 00 00 00 00 d0 3f  at 0.25
//! 00 00 00 00 00 00 e0 3f  0.5 after the last
//! e8 03 00 00 00 00 00 00  1,000 samples to train on
//! 04 00 00 00 00 00 00 00  in 4 blocks
//! 03 00 00 00 00 00 00 00  gone through 3 times
//! 40 00 00 00 00 00 00 00  and 64 samples more
//! 01 00 00 00 00 00 00 00  fingerprint of the training set
//! 64 00 00 00 00 00 00 00  100 samples to validate with
//! 02 00 00 00 00 00 00 00  fingerprint of the validation set
//! 00 30 00 00 00 00 00 00  12,288 feature weights
//! 00 00 00 00 00 00 00 00  no factoriser
//! 10 00 00 00 00 00 00 00  16 feature biases
//! 20 00 00 00 00 00 00 00  32 output weights
//! 01 00 00 00 00 00 00 00  1 output bias
//! ```

use core::hash::Hasher;
use std::vec::Vec;

use chess_records::Square;
use twox_hash::XxHash3_64;

use super::{Best, Checkpoint, CheckpointError, Data, DataIdentity, Place, Progress};
use crate::train::optimizer::OptimizerState;
use crate::train::parameters::{FloatWeights, Parameters};
use crate::{Activation, Architecture, KingBuckets};

const MAGIC: [u8; 8] = *b"CHSNNCP1";
pub(super) const VERSION: u16 = 1;
pub(super) const HEADER: usize = 256;
const CHECKSUM: core::ops::Range<usize> = 32..40;
const LENS: usize = 152;
const KING_MAP: usize = 192;
const MIRRORED: u16 = 1;
const BLOCKS: u16 = 2;
const EPOCH_OVER: u16 = 4;
/// The parameters, and two moments for each.
const COPIES: u64 = 3;

impl Checkpoint {
    /// The longest description that is read, in bytes.
    const MAX_DESCRIPTION: u32 = 1 << 16;

    /// Reads a checkpoint.
    ///
    /// # Errors
    ///
    /// When the bytes are truncated, longer than they say, damaged or foreign. Sizes are checked
    /// against the bytes given before anything is allocated.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let header = Header::of(bytes)?;
        let description_len = header.description_len()?;
        let lens = header.lens();
        let (description, values) = split(bytes, description_len, lens)?;
        header.check_sum(bytes)?;
        let description = core::str::from_utf8(description);
        let mut values = Values(values);
        let [weights, means, squares] = [(); 3].map(|()| values.weights(lens));
        check_moment(
            "means",
            &means,
            |value| value.is_finite(),
            "a finite number",
        )?;
        let is_square = |value: f32| value.is_finite() && value >= 0.0;
        check_moment(
            "squares",
            &squares,
            is_square,
            "a finite number of 0 or more",
        )?;
        let parameters = Parameters::new(header.architecture()?, weights);
        Ok(Self {
            parameters: parameters.map_err(CheckpointError::Parameters)?,
            optimizer: OptimizerState {
                steps: header.u64(40),
                means,
                squares,
            },
            progress: header.progress()?,
            place: header.place()?,
            data: header.data(),
            description: description
                .map_err(|_| CheckpointError::Description)?
                .into(),
        })
    }

    /// The checkpoint as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.parameters.weights();
        let all = [weights, &self.optimizer.means, &self.optimizer.squares];
        let mut bytes = self.header().to_vec();
        let lens: usize = fields(weights).iter().map(|(_, values)| values.len()).sum();
        bytes.reserve_exact(self.description.len() + all.len() * 4 * lens);
        bytes.extend(self.description.as_bytes());
        for values in all.into_iter().flat_map(fields).map(|(_, values)| values) {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        let checksum = checksum(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The header without its checksum.
    fn header(&self) -> [u8; HEADER] {
        let mut header = HeaderWriter([0; HEADER]);
        header.put(0, MAGIC);
        header.put(8, VERSION.to_le_bytes());
        self.put_architecture(&mut header);
        header.put(28, (self.description.len() as u32).to_le_bytes());
        header.put(40, self.optimizer.steps.to_le_bytes());
        let progress = &self.progress;
        header.put(48, progress.records.to_le_bytes());
        header.put(56, progress.epoch_loss.to_le_bytes());
        header.put(64, progress.epoch_records.to_le_bytes());
        if let (Some(best), Some(last)) = (progress.best, progress.validation_loss) {
            header.put(72, u64::from(best.epoch).to_le_bytes());
            header.put(80, best.validation_loss.to_le_bytes());
            header.put(88, last.to_le_bytes());
        }
        let (place, data) = (&self.place, &self.data);
        let numbers = [
            place.len,
            place.block_count.unwrap_or(0),
            place.pass,
            place.position,
            data.training.fingerprint,
            data.validation.len,
            data.validation.fingerprint,
        ];
        let lens = fields(self.parameters.weights()).map(|(_, values)| values.len() as u64);
        for (number, value) in numbers.into_iter().chain(lens).enumerate() {
            header.put(96 + 8 * number, value.to_le_bytes());
        }
        header.0
    }

    fn put_architecture(&self, header: &mut HeaderWriter) {
        let architecture = self.parameters.architecture();
        let king_buckets = architecture.king_buckets();
        let activation = match architecture.activation() {
            Activation::Crelu => 0,
            Activation::Screlu => 1u16,
        };
        let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
        let flags = flag(king_buckets.mirrored(), MIRRORED)
            | flag(self.place.block_count.is_some(), BLOCKS)
            | flag(self.progress.best.is_some(), EPOCH_OVER);
        let output_buckets = architecture.output_buckets() as u16;
        let (qa, qb) = (architecture.qa(), architecture.qb());
        let shorts = [activation, flags, output_buckets, qa, qb];
        for (number, value) in shorts.into_iter().enumerate() {
            header.put(10 + 2 * number, value.to_le_bytes());
        }
        header.put(20, architecture.eval_scale().to_le_bytes());
        header.put(24, (architecture.hidden() as u32).to_le_bytes());
        header.put(KING_MAP, *king_buckets.map());
    }
}

/// The values of a network, in the order of the file.
fn fields(weights: &FloatWeights) -> [(&'static str, &[f32]); 5] {
    [
        ("feature_weights", &weights.feature_weights),
        ("factoriser", &weights.factoriser),
        ("feature_biases", &weights.feature_biases),
        ("output_weights", &weights.output_weights),
        ("output_biases", &weights.output_biases),
    ]
}

fn check_moment(
    moment: &'static str,
    weights: &FloatWeights,
    is_good: impl Fn(f32) -> bool,
    expected: &'static str,
) -> Result<(), CheckpointError> {
    for (field, values) in fields(weights) {
        if let Some(index) = values.iter().position(|&value| !is_good(value)) {
            return Err(CheckpointError::Moment {
                moment,
                field,
                index,
                found: values[index],
                expected,
            });
        }
    }
    Ok(())
}

/// The XXH3-64 of a checkpoint, its own field taken as zero.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = XxHash3_64::new();
    hasher.write(&bytes[..CHECKSUM.start]);
    hasher.write(&[0; 8]);
    hasher.write(&bytes[CHECKSUM.end..]);
    hasher.finish()
}

/// Cuts off the description and the values, if the bytes are as many as these take.
fn split(
    bytes: &[u8],
    description_len: u32,
    lens: [u64; 5],
) -> Result<(&[u8], &[u8]), CheckpointError> {
    let values = lens.iter().try_fold(0u64, |sum, &len| sum.checked_add(len));
    let values = values.and_then(|values| values.checked_mul(COPIES * 4));
    let start = HEADER as u64 + u64::from(description_len);
    let expected = values.and_then(|values| values.checked_add(start));
    let (expected, found) = (expected.unwrap_or(u64::MAX), bytes.len() as u64);
    match found.cmp(&expected) {
        core::cmp::Ordering::Less => Err(CheckpointError::Truncated { expected, found }),
        core::cmp::Ordering::Greater => Err(CheckpointError::TrailingBytes { expected, found }),
        core::cmp::Ordering::Equal => Ok(bytes[HEADER..].split_at(description_len as usize)),
    }
}

/// What is left of the values; there are as many as are asked for.
struct Values<'a>(&'a [u8]);

impl Values<'_> {
    fn take(&mut self, len: u64) -> Vec<f32> {
        let (values, rest) = self.0.split_at(4 * len as usize);
        self.0 = rest;
        let values = values.as_chunks::<4>().0.iter();
        values.map(|&bytes| f32::from_le_bytes(bytes)).collect()
    }

    fn weights(&mut self, lens: [u64; 5]) -> FloatWeights {
        let [
            feature_weights,
            factoriser,
            feature_biases,
            output_weights,
            output_biases,
        ] = lens.map(|len| self.take(len));
        FloatWeights {
            feature_weights,
            factoriser,
            feature_biases,
            output_weights,
            output_biases,
        }
    }
}

struct HeaderWriter([u8; HEADER]);

impl HeaderWriter {
    fn put<const LEN: usize>(&mut self, byte_offset: usize, bytes: [u8; LEN]) {
        self.0[byte_offset..byte_offset + LEN].copy_from_slice(&bytes);
    }
}

struct Header<'a>(&'a [u8]);

impl<'a> Header<'a> {
    /// The header of what is a checkpoint by its first ten bytes.
    fn of(bytes: &'a [u8]) -> Result<Self, CheckpointError> {
        let header = bytes.get(..HEADER).ok_or(CheckpointError::Truncated {
            expected: HEADER as u64,
            found: bytes.len() as u64,
        })?;
        let header = Self(header);
        let (magic, version) = (header.bytes(0), header.u16(8));
        if magic != MAGIC {
            return Err(CheckpointError::Magic { found: magic });
        }
        if version != VERSION {
            return Err(CheckpointError::Version { found: version });
        }
        Ok(header)
    }

    fn check_sum(&self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (expected, found) = (self.u64(CHECKSUM.start), checksum(bytes));
        if found != expected {
            return Err(CheckpointError::Checksum { expected, found });
        }
        Ok(())
    }

    fn description_len(&self) -> Result<u32, CheckpointError> {
        let found = u32::from_le_bytes(self.bytes(28));
        if found > Checkpoint::MAX_DESCRIPTION {
            return Err(CheckpointError::Field {
                field: "description length",
                byte_offset: 28,
                expected: "at most 65536",
                found: found.into(),
            });
        }
        Ok(found)
    }

    fn lens(&self) -> [u64; 5] {
        core::array::from_fn(|field| self.u64(LENS + 8 * field))
    }

    fn architecture(&self) -> Result<Architecture, CheckpointError> {
        let activation = match self.u16(10) {
            0 => Activation::Crelu,
            1 => Activation::Screlu,
            found => {
                return Err(CheckpointError::Field {
                    field: "activation",
                    byte_offset: 10,
                    expected: "0 (CReLU) or 1 (SCReLU)",
                    found: found.into(),
                });
            }
        };
        let map = self.bytes::<{ Square::COUNT }>(KING_MAP);
        let king_buckets = KingBuckets::new(map, self.flags()? & MIRRORED != 0)?;
        let hidden = u32::from_le_bytes(self.bytes(24));
        let architecture = Architecture::new(usize::try_from(hidden).unwrap_or(usize::MAX))?
            .with_activation(activation)
            .with_king_buckets(king_buckets)
            .with_output_buckets(self.u16(14).into())?
            .with_quantization(self.u16(16), self.u16(18))?
            .with_eval_scale(i32::from_le_bytes(self.bytes(20)))?;
        Ok(architecture)
    }

    fn flags(&self) -> Result<u16, CheckpointError> {
        let found = self.u16(12);
        if found & !(MIRRORED | BLOCKS | EPOCH_OVER) != 0 {
            return Err(CheckpointError::Field {
                field: "flags",
                byte_offset: 12,
                expected: "0 to 7",
                found: found.into(),
            });
        }
        Ok(found)
    }

    fn progress(&self) -> Result<Progress, CheckpointError> {
        let epoch_over = self.flags()? & EPOCH_OVER != 0;
        let (best, validation_loss) = match epoch_over {
            true => (Some(self.best()?), Some(self.loss("validation loss", 88)?)),
            false => {
                let fields = ["best epoch", "best validation loss", "validation loss"];
                for (number, field) in fields.into_iter().enumerate() {
                    self.require_zero(field, 72 + 8 * number)?;
                }
                (None, None)
            }
        };
        Ok(Progress {
            records: self.u64(48),
            epoch_loss: self.loss("epoch loss", 56)?,
            epoch_records: self.u64(64),
            best,
            validation_loss,
        })
    }

    fn best(&self) -> Result<Best, CheckpointError> {
        let found = self.u64(72);
        let epoch = u32::try_from(found).ok().filter(|&epoch| epoch > 0);
        Ok(Best {
            epoch: epoch.ok_or(CheckpointError::Field {
                field: "best epoch",
                byte_offset: 72,
                expected: "1 to 4294967295",
                found,
            })?,
            validation_loss: self.loss("best validation loss", 80)?,
        })
    }

    fn require_zero(&self, field: &'static str, byte_offset: usize) -> Result<(), CheckpointError> {
        match self.u64(byte_offset) {
            0 => Ok(()),
            found => Err(CheckpointError::Field {
                field,
                byte_offset,
                expected: "0",
                found,
            }),
        }
    }

    fn place(&self) -> Result<Place, CheckpointError> {
        let block_count = match self.flags()? & BLOCKS {
            0 => {
                self.require_zero("blocks", 104)?;
                None
            }
            _ => Some(self.u64(104)),
        };
        Ok(Place {
            len: self.u64(96),
            block_count,
            pass: self.u64(112),
            position: self.u64(120),
        })
    }

    fn data(&self) -> Data {
        let identity = |len, fingerprint| DataIdentity { len, fingerprint };
        Data {
            training: identity(self.u64(96), self.u64(128)),
            validation: identity(self.u64(136), self.u64(144)),
        }
    }

    fn loss(&self, field: &'static str, byte_offset: usize) -> Result<f64, CheckpointError> {
        let found = f64::from_le_bytes(self.bytes(byte_offset));
        if !(found.is_finite() && found >= 0.0) {
            return Err(CheckpointError::Loss {
                field,
                byte_offset,
                found,
            });
        }
        Ok(found)
    }

    fn bytes<const LEN: usize>(&self, byte_offset: usize) -> [u8; LEN] {
        core::array::from_fn(|index| self.0[byte_offset + index])
    }

    fn u16(&self, byte_offset: usize) -> u16 {
        u16::from_le_bytes(self.bytes(byte_offset))
    }

    fn u64(&self, byte_offset: usize) -> u64 {
        u64::from_le_bytes(self.bytes(byte_offset))
    }
}

#[cfg(test)]
mod tests;
