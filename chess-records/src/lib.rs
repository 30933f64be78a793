#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod board;
pub mod bullet;
mod convert;
mod en_passant;
mod encode_error;
mod excerpt;
mod expand;
mod fen;
mod label;
pub mod marlin;
mod moves;
mod permutation;
mod piece;
mod placement;
mod position;
mod square;
mod text;
mod view;
pub mod viri;
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
mod record_dataset;
#[cfg(feature = "std")]
mod split;

pub use board::{Board, Labelled};
pub use bullet::{BulletError, BulletRecord};
pub use convert::{ConversionReport, ConvertError, Field, Fields, Format, Loss};
pub use encode_error::EncodeError;
pub use excerpt::Excerpt;
#[doc(hidden)]
pub use expand::expand_men_scalar;
pub use expand::{MenBytes, NO_MAN, PackedMen, expand_men};
pub use fen::{Fen, FenError, FenField};
pub use label::{GameResult, GameResultError, Label, Score};
pub use marlin::{CornerBishops, MarlinError, MarlinMoveRecord, MarlinRecord};
pub use moves::MoveError;
pub use permutation::{Permutation, PermutationIter};
pub use piece::{Color, Piece, PieceType, PieceTypeError};
pub use placement::{ChangeError, Placement, PlacementError};
pub use position::{CastlingRights, LabelledPosition, Position, PositionError, Wing};
pub use square::{Square, SquareError, Squares};
pub use text::{Text, TextError};
pub use view::{BulletView, Fault, FixedRecord, MarlinView, RecordView, ViewError};
pub use viri::{
    ViriError, ViriFault, ViriFilter, ViriGame, ViriMoves, ViriPosition, ViriPositions,
};
pub use viri_move::{ViriMove, ViriMoveError, ViriMoveKind};

#[cfg(feature = "std")]
pub use atomic::{AtomicFile, AtomicFileError};
#[cfg(feature = "std")]
pub use dataset::{Concat, Dataset, DatasetError, Slice, SliceError};
#[cfg(feature = "std")]
pub use expand::MenBatch;
#[cfg(feature = "std")]
pub use file::{FileBytes, FileFault, OpenError, RecordFile};
#[cfg(feature = "std")]
pub use split::{Split, SplitError};
#[cfg(feature = "std")]
pub use text::{TextReadError, TextReader};
#[cfg(feature = "std")]
pub use viri::{ViriFile, ViriGames, ViriOpenError, ViriWriteError, ViriWriter};
