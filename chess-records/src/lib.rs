#![cfg_attr(feature = "formats", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "formats"),
    doc = "Chess words and traits; see the README."
)]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(test, feature = "std"))]
extern crate std;

// The words of the family.
mod board;
mod en_passant;
mod encode_error;
mod excerpt;
mod fen;
mod label;
mod moves;
mod permutation;
mod piece;
mod placement;
mod position;
mod square;
mod text;
mod uci_move;
mod viri_move;

#[cfg(any(feature = "cozy-chess", feature = "shakmaty"))]
mod adapters;

// Record formats.
#[cfg(feature = "formats")]
pub mod bullet;
#[cfg(feature = "formats")]
mod convert;
#[cfg(feature = "formats")]
mod expand;
#[cfg(feature = "formats")]
pub mod marlin;
#[cfg(feature = "formats")]
mod view;
#[cfg(feature = "formats")]
pub mod viri;
#[cfg(feature = "formats")]
mod wire;

// Files and datasets.
#[cfg(feature = "std")]
mod atomic;
#[cfg(feature = "std")]
mod dataset;
#[cfg(all(feature = "formats", feature = "std"))]
mod file;
#[cfg(feature = "std")]
mod game;
#[cfg(all(feature = "formats", feature = "std"))]
mod game_order;
#[cfg(feature = "std")]
mod left_out;
#[cfg(feature = "std")]
mod loader;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(all(feature = "formats", feature = "std"))]
pub mod ops;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "pgn")]
pub mod pgn;
#[cfg(all(feature = "formats", feature = "std"))]
mod record_dataset;
#[cfg(feature = "std")]
mod sampler;
#[cfg(feature = "std")]
mod split;
#[cfg(feature = "tool-support")]
#[doc(hidden)]
pub mod tool_support;
#[cfg(feature = "zdat")]
pub mod zdat;

pub use board::{Board, Labelled};
pub use encode_error::EncodeError;
pub use excerpt::Excerpt;
pub use fen::{Fen, FenError, FenField};
pub use label::{GameResult, GameResultError, Label, Score};
pub use moves::MoveError;
pub use permutation::{Permutation, PermutationIter};
pub use piece::{Color, Piece, PieceType, PieceTypeError};
pub use placement::{ChangeError, Placement, PlacementError};
pub use position::{CastlingRights, LabelledPosition, Position, PositionError, Wing};
pub use square::{Square, SquareError, Squares};
pub use text::{Text, TextError};
pub use uci_move::{UciMove, UciMoveError};
pub use viri_move::{ViriMove, ViriMoveError, ViriMoveKind};

#[cfg(feature = "formats")]
pub use bullet::{BulletError, BulletRecord};
#[cfg(feature = "formats")]
pub use convert::{ConversionReport, ConvertError, Field, Fields, Format, Loss};
#[cfg(feature = "formats")]
#[doc(hidden)]
pub use expand::expand_men_scalar;
#[cfg(feature = "formats")]
pub use expand::{MenBytes, NO_MAN, PackedMen, expand_men};
#[cfg(feature = "formats")]
pub use marlin::{CornerBishops, MarlinError, MarlinMoveRecord, MarlinRecord};
#[cfg(feature = "formats")]
pub use view::{BulletView, Fault, FixedRecord, MarlinView, RecordView, ViewError};
#[cfg(feature = "formats")]
pub use viri::{
    ViriError, ViriFault, ViriFilter, ViriGame, ViriMoves, ViriPosition, ViriPositions,
};

#[cfg(feature = "std")]
pub use atomic::{AtomicFile, AtomicFileError};
#[cfg(feature = "std")]
pub use dataset::{Concat, Dataset, DatasetError, Filtered, Slice, SliceError};
#[cfg(all(feature = "formats", feature = "std"))]
pub use expand::MenBatch;
#[cfg(all(feature = "formats", feature = "std"))]
pub use file::{FileBytes, FileFault, OpenError, RecordFile};
#[cfg(feature = "std")]
pub use game::Game;
#[cfg(feature = "std")]
pub use left_out::{LeftOut, LeftOutGames};
#[cfg(feature = "std")]
pub use loader::{LoadError, LoadedBatch, Loader, LoaderConfig, LoaderConfigError};
#[cfg(feature = "std")]
pub use sampler::{
    Mode, Order, RestoreError, Sampler, SamplerConfig, SamplerConfigError, SamplerState, Selection,
};
#[cfg(feature = "std")]
pub use split::{Split, SplitError};
#[cfg(feature = "std")]
pub use text::{TextReadError, TextReader};
#[cfg(all(feature = "formats", feature = "std"))]
pub use viri::{ViriFile, ViriGames, ViriOpenError, ViriWriteError, ViriWriter};
#[cfg(feature = "zdat")]
pub use zdat::{ZdatFile, ZdatRecord, ZdatView, ZdatWriter};
