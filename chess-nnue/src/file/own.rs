//! The family's own network file, version 1. All integers are little-endian.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | u8×8 | magic `CHSNNUE1` |
//! | 8 | u16 | version, 1 |
//! | 10 | u16 | header length: 48, or 112 with a king map |
//! | 12 | u16 | activation: 0 CReLU, 1 SCReLU |
//! | 14 | u16 | flags: bit 0 mirrored; others 0 |
//! | 16 | u32 | inputs a bucket, 768 |
//! | 20 | u32 | N |
//! | 24 | u16 | king buckets, 1–32 |
//! | 26 | u16 | output buckets, 1–32 |
//! | 28 | u16 | QA |
//! | 30 | u16 | QB |
//! | 32 | i32 | eval scale |
//! | 36 | u32 | payload length in bytes |
//! | 40 | u64 | XXH3-64 of header (this field zero) and payload |
//! | 48 | u8×64 | king map, if there are several king buckets |
//!
//! The payload: first-layer weights i16 \[king buckets · 768\]\[N\], biases i16 \[N\], output weights
//! i16 \[output buckets\]\[2N\], output biases i32 \[output buckets\].
//!
//! The header of a plain network with N = 16, QA = 255, QB = 64 and an eval scale of 400:
//!
//! ```text
//! 43 48 53 4e 4e 55 45 31  magic
//! 01 00 30 00 01 00 00 00  version 1, 48 bytes, SCReLU, not mirrored
//! 00 03 00 00 10 00 00 00  768 inputs, N = 16
//! 01 00 01 00 ff 00 40 00  1 king bucket, 1 output bucket, QA, QB
//! 90 01 00 00 64 60 00 00  eval scale, 24,676 bytes of payload
//! .. .. .. .. .. .. .. ..  checksum
//! ```

use alloc::vec::Vec;
use core::hash::Hasher;

use thiserror::Error;
use twox_hash::XxHash3_64;

use crate::architecture::{Activation, Architecture, ArchitectureError, KingBuckets};
use crate::network::{Network, Weights, lengths};

const MAGIC: [u8; 8] = *b"CHSNNUE1";
const VERSION: u16 = 1;
const HEADER: usize = 48;
const KING_MAP: usize = 64;
/// How many numbers are turned into bytes at once for the checksum.
const HASHED_AT_ONCE: usize = 1 << 15;
const CHECKSUM: core::ops::Range<usize> = 40..48;

/// Why bytes are not a network of the own format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the header takes, or than it announces.
    #[error("the network file is cut short: {found} bytes, expected {expected}")]
    Truncated {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// More bytes than the header announces.
    #[error("the network file goes on after its end: {found} bytes, expected {expected}")]
    TrailingBytes {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The first eight bytes are not the magic.
    #[error("not a CHSNNUE1 network file: it begins with the bytes {found:02x?}")]
    Magic {
        /// The first eight bytes.
        found: [u8; 8],
    },
    /// A field of the header does not hold what it must.
    #[error("{field} at byte {byte_offset} is {found}, expected {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// Where it starts.
        byte_offset: usize,
        /// What it must be.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// The activation is none that version 1 knows.
    #[error("activation at byte 12 is {found}, expected 0 (CReLU) or 1 (SCReLU)")]
    Activation {
        /// What the field holds.
        found: u16,
    },
    /// A field of the header is outside what a network may have.
    #[error("the header asks for an impossible network: {0}")]
    Architecture(ArchitectureError),
    /// The checksum does not match: the file is damaged.
    #[error("checksum {found:016x}, expected {expected:016x}: the network file is damaged")]
    Checksum {
        /// The checksum in the header.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
}

impl From<ArchitectureError> for FormatError {
    fn from(error: ArchitectureError) -> Self {
        Self::Architecture(error)
    }
}

impl Network {
    /// Reads a network of the own format.
    ///
    /// # Errors
    ///
    /// A [`FormatError`] when the bytes are truncated, longer than they say, damaged or foreign. Sizes
    /// are checked against the bytes given before anything is allocated.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let header = Header::read(bytes)?;
        let (head, payload) = bytes.split_at(header.len);
        let found = hash(head, payload);
        if found != header.checksum {
            return Err(FormatError::Checksum {
                expected: header.checksum,
                found,
            });
        }
        let (mut weights, read) = super::read_layers(&header.architecture, payload);
        let biases = payload[read..].as_chunks::<4>().0.iter();
        weights.output_biases = biases.map(|&bytes| i32::from_le_bytes(bytes)).collect();
        Ok(Self::with_fingerprint(
            header.architecture,
            &weights,
            header.checksum,
        ))
    }

    /// The network in the own format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header(self.architecture());
        bytes[CHECKSUM].copy_from_slice(&self.fingerprint().to_le_bytes());
        bytes.reserve_exact(payload_len(self.architecture()) as usize);
        put_payload(&mut bytes, &self.weights());
        bytes
    }
}

/// The checksum that the own format has for these weights.
pub(crate) fn checksum(architecture: &Architecture, weights: &Weights) -> u64 {
    let mut hasher = hasher(&header(architecture));
    let lists = [
        &weights.feature_weights,
        &weights.feature_biases,
        &weights.output_weights,
    ];
    // Some numbers at a time: a copy of all bytes may be as large as the network.
    let mut bytes = Vec::with_capacity(2 * HASHED_AT_ONCE);
    for numbers in lists
        .into_iter()
        .flat_map(|list| list.chunks(HASHED_AT_ONCE))
    {
        bytes.clear();
        super::put_i16s(&mut bytes, numbers);
        hasher.write(&bytes);
    }
    for bias in &weights.output_biases {
        hasher.write(&bias.to_le_bytes());
    }
    hasher.finish()
}

struct Header {
    architecture: Architecture,
    len: usize,
    checksum: u64,
}

impl Header {
    /// Reads and checks the header, and that the bytes are as many as it announces.
    fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let fields = Fields::of(bytes, HEADER)?;
        if fields.0[..8] != MAGIC {
            return Err(FormatError::Magic {
                found: fields.bytes(0),
            });
        }
        fields.require_u16("version", 8, VERSION)?;
        let architecture = read_architecture(bytes, &fields)?;
        let len = header_len(&architecture);
        fields.require_u16("header length", 10, len as u16)?;
        let payload = payload_len(&architecture);
        fields.require("payload length", 36, payload, fields.u32(36).into())?;
        check_len(len as u64 + payload, bytes.len() as u64)?;
        Ok(Self {
            architecture,
            len,
            checksum: u64::from_le_bytes(fields.bytes(CHECKSUM.start)),
        })
    }
}

fn read_architecture(bytes: &[u8], fields: &Fields<'_>) -> Result<Architecture, FormatError> {
    let activation = match fields.u16(12) {
        0 => Activation::Crelu,
        1 => Activation::Screlu,
        found => return Err(FormatError::Activation { found }),
    };
    let inputs = Architecture::INPUTS_PER_BUCKET as u64;
    fields.require("inputs per bucket", 16, inputs, fields.u32(16).into())?;
    let hidden = usize::try_from(fields.u32(20)).unwrap_or(usize::MAX);
    let architecture = Architecture::new(hidden)?
        .with_activation(activation)
        .with_king_buckets(read_king_buckets(bytes, fields)?)
        .with_output_buckets(fields.u16(26).into())?
        .with_quantization(fields.u16(28), fields.u16(30))?
        .with_eval_scale(i32::from_le_bytes(fields.bytes(32)))?;
    Ok(architecture)
}

fn read_king_buckets(bytes: &[u8], fields: &Fields<'_>) -> Result<KingBuckets, FormatError> {
    let flags = fields.u16(14);
    fields.require("flags", 14, (flags & 1).into(), flags.into())?;
    let count = fields.u16(24);
    let map = match count {
        1 => [0; KING_MAP],
        _ => Fields::of(bytes, HEADER + KING_MAP)?.bytes(HEADER),
    };
    let buckets = KingBuckets::new(map, flags == 1)?;
    fields.require("king buckets", 24, buckets.count() as u64, count.into())?;
    Ok(buckets)
}

/// The fixed part of a header.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn of(bytes: &'a [u8], len: usize) -> Result<Self, FormatError> {
        let fields = bytes.get(..len).ok_or(FormatError::Truncated {
            expected: len as u64,
            found: bytes.len() as u64,
        })?;
        Ok(Self(fields))
    }

    fn bytes<const LEN: usize>(&self, byte_offset: usize) -> [u8; LEN] {
        core::array::from_fn(|index| self.0[byte_offset + index])
    }

    fn u16(&self, byte_offset: usize) -> u16 {
        u16::from_le_bytes(self.bytes(byte_offset))
    }

    fn u32(&self, byte_offset: usize) -> u32 {
        u32::from_le_bytes(self.bytes(byte_offset))
    }

    fn require_u16(
        &self,
        field: &'static str,
        byte_offset: usize,
        expected: u16,
    ) -> Result<(), FormatError> {
        self.require(
            field,
            byte_offset,
            expected.into(),
            self.u16(byte_offset).into(),
        )
    }

    fn require(
        &self,
        field: &'static str,
        byte_offset: usize,
        expected: u64,
        found: u64,
    ) -> Result<(), FormatError> {
        if found == expected {
            return Ok(());
        }
        Err(FormatError::Field {
            field,
            byte_offset,
            expected,
            found,
        })
    }
}

fn check_len(expected: u64, found: u64) -> Result<(), FormatError> {
    match found.cmp(&expected) {
        core::cmp::Ordering::Less => Err(FormatError::Truncated { expected, found }),
        core::cmp::Ordering::Equal => Ok(()),
        core::cmp::Ordering::Greater => Err(FormatError::TrailingBytes { expected, found }),
    }
}

const fn has_king_map(architecture: &Architecture) -> bool {
    architecture.king_buckets().count() > 1
}

const fn header_len(architecture: &Architecture) -> usize {
    if has_king_map(architecture) {
        HEADER + KING_MAP
    } else {
        HEADER
    }
}

/// At most 32 · 768 · 4096 · 2 bytes and some: it fits the header's u32.
fn payload_len(architecture: &Architecture) -> u64 {
    let [features, biases, outputs, output_biases] = lengths(architecture).map(|len| len as u64);
    2 * (features + biases + outputs) + 4 * output_biases
}

/// The header with its checksum zero.
fn header(architecture: &Architecture) -> Vec<u8> {
    let buckets = architecture.king_buckets();
    let activation: u16 = match architecture.activation() {
        Activation::Crelu => 0,
        Activation::Screlu => 1,
    };
    let mut bytes = Vec::with_capacity(header_len(architecture));
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((header_len(architecture) as u16).to_le_bytes());
    bytes.extend(activation.to_le_bytes());
    bytes.extend(u16::from(buckets.mirrored()).to_le_bytes());
    bytes.extend((Architecture::INPUTS_PER_BUCKET as u32).to_le_bytes());
    bytes.extend((architecture.hidden() as u32).to_le_bytes());
    bytes.extend((buckets.count() as u16).to_le_bytes());
    bytes.extend((architecture.output_buckets() as u16).to_le_bytes());
    bytes.extend(architecture.qa().to_le_bytes());
    bytes.extend(architecture.qb().to_le_bytes());
    bytes.extend(architecture.eval_scale().to_le_bytes());
    bytes.extend((payload_len(architecture) as u32).to_le_bytes());
    bytes.extend([0; CHECKSUM.end - CHECKSUM.start]);
    if has_king_map(architecture) {
        bytes.extend(buckets.map());
    }
    bytes
}

fn put_payload(bytes: &mut Vec<u8>, weights: &Weights) {
    super::put_layers(bytes, weights);
    for bias in &weights.output_biases {
        bytes.extend(bias.to_le_bytes());
    }
}

/// XXH3-64 of the header, its checksum taken as zero, and the payload.
fn hash(header: &[u8], payload: &[u8]) -> u64 {
    let mut hasher = hasher(header);
    hasher.write(payload);
    hasher.finish()
}

/// What has been told the header and is to be told the payload.
fn hasher(header: &[u8]) -> XxHash3_64 {
    let mut hasher = XxHash3_64::new();
    hasher.write(&header[..CHECKSUM.start]);
    hasher.write(&[0; CHECKSUM.end - CHECKSUM.start]);
    hasher.write(&header[CHECKSUM.end..]);
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn plain() -> Vec<u8> {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.feature_weights[0] = 0x0102;
        weights.output_biases[0] = -2;
        Network::new(architecture, &weights).unwrap().to_bytes()
    }

    fn with_king_map() -> Vec<u8> {
        let mut map = [0; 64];
        map[60] = 1;
        let architecture = Architecture::new(16)
            .unwrap()
            .with_king_buckets(KingBuckets::new(map, true).unwrap())
            .with_output_buckets(8)
            .unwrap();
        let weights = Weights::zero(&architecture);
        Network::new(architecture, &weights).unwrap().to_bytes()
    }

    /// What is said of a file when the bytes at an offset are replaced and the checksum put right.
    fn damaged(mut bytes: Vec<u8>, byte_offset: usize, field: &[u8]) -> FormatError {
        bytes[byte_offset..][..field.len()].copy_from_slice(field);
        let header = header_len_of(&bytes);
        let sum = hash(&bytes[..header], &bytes[header..]);
        bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        Network::from_bytes(&bytes).unwrap_err()
    }

    fn header_len_of(bytes: &[u8]) -> usize {
        if bytes[24] == 1 {
            HEADER
        } else {
            HEADER + KING_MAP
        }
    }

    #[test]
    fn the_header_is_the_one_documented() {
        let bytes = plain();
        assert_eq!(
            bytes[..40],
            [
                0x43, 0x48, 0x53, 0x4e, 0x4e, 0x55, 0x45, 0x31, 0x01, 0x00, 0x30, 0x00, 0x01, 0x00,
                0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
                0xff, 0x00, 0x40, 0x00, 0x90, 0x01, 0x00, 0x00, 0x64, 0x60, 0x00, 0x00,
            ]
        );
        assert_eq!(bytes.len(), HEADER + 24_676);
        assert_eq!(bytes[48..50], [0x02, 0x01]);
        assert_eq!(bytes[bytes.len() - 4..], [0xfe, 0xff, 0xff, 0xff]);
        let mut unsummed = bytes.clone();
        unsummed[CHECKSUM].fill(0);
        let sum = XxHash3_64::oneshot(&unsummed);
        assert_eq!(bytes[CHECKSUM], sum.to_le_bytes());
    }

    #[test]
    fn a_king_map_follows_the_header() {
        let bytes = with_king_map();
        assert_eq!(bytes[10..16], [112, 0, 1, 0, 1, 0]);
        assert_eq!(bytes[24..28], [2, 0, 8, 0]);
        assert_eq!(bytes[48 + 60], 1);
        let network = Network::from_bytes(&bytes).unwrap();
        assert_eq!(network.architecture().king_buckets().count(), 2);
        assert_eq!(network.to_bytes(), bytes);
    }

    #[test]
    fn every_length_but_the_right_one_is_refused() {
        let bytes = plain();
        for len in [0, 1, 47, 48, 111, bytes.len() - 1] {
            let expected = if len < HEADER { HEADER } else { bytes.len() } as u64;
            assert_eq!(
                Network::from_bytes(&bytes[..len]).unwrap_err(),
                FormatError::Truncated {
                    expected,
                    found: len as u64
                }
            );
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(
            Network::from_bytes(&longer).unwrap_err().to_string(),
            "the network file goes on after its end: 24725 bytes, expected 24724"
        );
        assert_eq!(
            Network::from_bytes(&[]).unwrap_err().to_string(),
            "the network file is cut short: 0 bytes, expected 48"
        );
        let map_cut = &with_king_map()[..100];
        assert!(matches!(
            Network::from_bytes(map_cut).unwrap_err(),
            FormatError::Truncated {
                expected: 112,
                found: 100
            }
        ));
    }

    #[test]
    fn fields_that_lie_are_named() {
        let text = |byte_offset, field: &[u8]| damaged(plain(), byte_offset, field).to_string();
        assert_eq!(
            text(0, b"RIFF"),
            "not a CHSNNUE1 network file: it begins with the bytes [52, 49, 46, 46, 4e, 55, 45, 31]"
        );
        assert_eq!(text(8, &[2]), "version at byte 8 is 2, expected 1");
        assert_eq!(
            text(10, &[112]),
            "header length at byte 10 is 112, expected 48"
        );
        assert_eq!(
            text(12, &[7]),
            "activation at byte 12 is 7, expected 0 (CReLU) or 1 (SCReLU)"
        );
        assert_eq!(text(14, &[2]), "flags at byte 14 is 2, expected 0");
        assert_eq!(
            text(16, &[1]),
            "inputs per bucket at byte 16 is 769, expected 768"
        );
        assert_eq!(
            text(36, &[0xff; 4]),
            "payload length at byte 36 is 4294967295, expected 24676"
        );
        let map = |count| damaged(with_king_map(), 24, &[count]).to_string();
        assert_eq!(map(3), "king buckets at byte 24 is 3, expected 2");
        assert_eq!(map(0), "king buckets at byte 24 is 0, expected 2");
    }

    #[test]
    fn impossible_networks_are_refused() {
        for (byte_offset, field, says) in [
            (
                20,
                &[0xff; 4][..],
                "hidden size 4294967295, expected a multiple of 16 from 16 to 4096",
            ),
            (
                20,
                &[17],
                "hidden size 17, expected a multiple of 16 from 16 to 4096",
            ),
            (26, &[0], "0 output buckets, expected 1 to 32"),
            (28, &[0], "QA is 0, expected 1 to 32767"),
            (30, &[0xff, 0xff], "QB is 65535, expected 1 to 32767"),
            (
                32,
                &[0, 0, 0, 0x80],
                "eval scale -2147483648, expected 1 to 10000",
            ),
        ] {
            let text = damaged(plain(), byte_offset, field).to_string();
            assert_eq!(
                text,
                std::format!("the header asks for an impossible network: {says}")
            );
        }
        let text = damaged(with_king_map(), 48, &[32]).to_string();
        assert!(
            text.ends_with(": king bucket 32, expected 0 to 31"),
            "{text}"
        );
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        for whole in [plain(), with_king_map()] {
            let offsets = (0..160).chain((160..whole.len()).step_by(977));
            for byte_offset in offsets {
                for bit in 0..8 {
                    let mut bytes = whole.clone();
                    bytes[byte_offset] ^= 1 << bit;
                    assert!(
                        Network::from_bytes(&bytes).is_err(),
                        "byte {byte_offset} bit {bit}"
                    );
                }
            }
        }
        let mut bytes = plain();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let text = Network::from_bytes(&bytes).unwrap_err().to_string();
        assert!(text.starts_with("checksum ") && text.ends_with("the network file is damaged"));
    }
}
