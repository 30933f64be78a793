//! `.zdat`: the compressed training data of the engine Stoofvlees.
//!
//! A file holds records of 4545 bytes in groups, each group compressed by zstd for itself, so that
//! any record can be had without those before it. All numbers are little-endian.
//!
//! | offset | type | field of the file |
//! |---|---|---|
//! | 0 | u8×8 | magic, `SJNGDAT1` |
//! | 8 | u32 | size of a record, 4545 |
//! | 12 | u32 | records per group; the last group may have fewer |
//! | 16 | u32 | zstd level |
//! | 20 | u32 | length of the dictionary, 0 = none |
//! | 24 | | the dictionary, then one zstd frame for each group |
//!
//! The index, `.zdat.idx`, beside it is the magic `SJNGIDX1`, a u64 count, and u64 offsets of the
//! groups in the file, its end last. The count is said to be that of the records, and found to be
//! that of the groups; the number of offsets tells, and anything else is refused. Files without a
//! usable index are walked from frame to frame.
//!
//! | offset | type | field of a record |
//! |---|---|---|
//! | 0 | u8×8×46 | [bitplanes](Plane), a byte for each row, the most significant bit being file a |
//! | 368 | u8×4096 | policy by from·64 + to: 0 = illegal, else 1 + 254 p |
//! | 4464 | f32 | static evaluation, −1 to 1 |
//! | 4468 | f32 | score of quiescence search, −1 to 1 |
//! | 4472 | f32×4 | castling rights: own kingside, own queenside, the opponent's; 0 or 1 |
//! | 4488 | f32 | whether the position was there before, 0 or 1 |
//! | 4492 | f32 | fifty-move counter, 0 to 1 |
//! | 4496 | f32×10 | internal to the engine |
//! | 4536 | f32 | score |
//! | 4540 | f32 | outcome, −1 lost, 0 draw, 1 won |
//! | 4544 | u8 | plies to the end of the game: 255 = that or more, 0 = unknown |
//!
//! A file with one record, whose bytes are all 0, in groups of 32:
//!
//! ```text
//! 53 4a 4e 47 44 41 54 31   SJNGDAT1
//! c1 11 00 00               4545
//! 20 00 00 00               32 records per group
//! 09 00 00 00               level 9
//! 00 00 00 00               no dictionary
//! 28 b5 2f fd               a zstd frame
//! 60 c1 10                  of 256 + 4289 bytes
//! 0b 8e 00 00               one block: the byte 0, 4545 times
//! ```
//!
//! Everything is seen from the side to move: when that is Black, the board is turned upside down and
//! the colours are exchanged. Whose move it was is not recorded. Decoded positions have White to
//! move, and results and scores are the mover's, which is to say White's.
//!
//! The description leaves open which rank comes first: see [`Layout`], and [`LayoutEvidence`] to
//! tell. It gives the score no unit and no side; here it is a plain number, which the caller maps to
//! what he needs. What planes hold beyond the men is told by [`Plane`]; it has not been verified on
//! published files, so that reading relies on none of it but the men, the en passant square and the
//! castling rights.
//!
//! [`licence_of`] tells the licence of published files from their names.
//!
//! The layout is that of the description published with the data.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use chess_records::zdat::{LayoutEvidence, ZdatGroup, ZdatView};
//!
//! let mut bytes = b"SJNGDAT1\xc1\x11\0\0\x20\0\0\0\x09\0\0\0\0\0\0\0".to_vec();
//! bytes.extend(b"\x28\xb5\x2f\xfd\x60\xc1\x10\x0b\x8e\0\0");
//! let view = ZdatView::new(&bytes)?;
//! assert_eq!(view.len(), 1);
//!
//! let mut group = ZdatGroup::new();
//! view.read_group(0, &mut group)?;
//! let evidence: LayoutEvidence = group.records().iter().collect();
//! assert!(evidence.layout().is_err(), "an empty board tells nothing");
//! let fault = view.verify(None).next().ok_or("a fault")?;
//! assert_eq!(fault.error.to_string(), "White has 0 kings, expected 1");
//! # Ok(())
//! # }
//! ```

mod cache;
mod dataset;
mod decode;
mod encode;
mod evidence;
mod file;
mod frame;
mod group;
mod header;
mod index;
mod layout;
mod licence;
mod plane;
mod policy;
mod record;
mod stream;
mod tensor;
mod verify;
mod view;
mod writer;

pub use dataset::ZdatPositions;
pub use decode::{ZdatPosition, ZdatRecordError};
pub use encode::{PolicyMove, PolicyMoveError, ZdatTargets};
pub use evidence::{LayoutEvidence, Undecided};
pub use file::{ZdatFile, ZdatOpenError};
pub use frame::FrameError;
pub use group::{GroupFault, ZdatGroup, ZdatGroupError};
pub use header::{ZdatHeader, ZdatHeaderError};
pub use index::{IndexSource, ZdatIndexError};
pub use layout::{Layout, RankOrder};
pub use licence::{DataLicence, licence_of};
pub use plane::Plane;
pub use policy::{Policy, PolicyEntry, policy_cell, probability};
pub use record::ZdatRecord;
pub use stream::ZdatStream;
pub use tensor::{
    Element, PLANE_ELEMENTS, POLICY_ELEMENTS, SparsePolicies, unpack_moves_to_go, unpack_outcomes,
    unpack_planes, unpack_policy, unpack_scalars, unpack_scores,
};
pub use verify::{ZdatFault, ZdatFaultKind};
pub use view::{ZdatDecoder, ZdatView, ZdatViewError};
pub use writer::{TrainError, ZdatWriteError, ZdatWriter, ZdatWriterOptions, train_dictionary};
