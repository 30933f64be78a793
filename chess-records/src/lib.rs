#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod board;
mod en_passant;
mod encode_error;
mod excerpt;
mod fen;
mod label;
pub mod marlin;
mod permutation;
mod piece;
mod placement;
mod position;
mod square;
mod text;
mod view;
mod viri_move;

#[cfg(any(feature = "cozy-chess", feature = "shakmaty"))]
mod adapters;
#[cfg(feature = "std")]
mod atomic;
#[cfg(feature = "std")]
mod dataset;
#[cfg(feature = "std")]
mod file;
#[cfg(feature = "std")]
mod game_order;
#[cfg(feature = "std")]
pub mod ops;
#[cfg(feature = "std")]
mod record_dataset;
#[cfg(feature = "std")]
mod split;

pub use board::{Board, Labelled};
pub use encode_error::EncodeError;
pub use excerpt::Excerpt;
pub use fen::{Fen, FenError, FenField};
pub use label::{GameResult, GameResultError, Label, Score};
pub use marlin::{CornerBishops, MarlinError, MarlinMoveRecord, MarlinRecord};
pub use permutation::{Permutation, PermutationIter};
pub use piece::{Color, Piece, PieceType, PieceTypeError};
pub use placement::{ChangeError, Placement, PlacementError};
pub use position::{CastlingRights, LabelledPosition, Position, PositionError, Wing};
pub use square::{Square, SquareError, Squares};
pub use text::{Text, TextError};
pub use view::{Fault, FixedRecord, MarlinView, RecordView, ViewError};
pub use viri_move::{ViriMove, ViriMoveError, ViriMoveKind};

#[cfg(feature = "std")]
pub use atomic::{AtomicFile, AtomicFileError};
#[cfg(feature = "std")]
pub use dataset::{Concat, Dataset, DatasetError, Slice, SliceError};
#[cfg(feature = "std")]
pub use file::{FileBytes, FileFault, OpenError, RecordFile};
#[cfg(feature = "std")]
pub use split::{Split, SplitError};
#[cfg(feature = "std")]
pub use text::{TextReadError, TextReader};
