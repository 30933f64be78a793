#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod board;
mod fen;
mod label;
mod permutation;
mod piece;
mod placement;
mod position;
mod square;

#[cfg(any(feature = "cozy-chess", feature = "shakmaty"))]
mod adapters;
#[cfg(feature = "std")]
mod dataset;
#[cfg(feature = "std")]
mod loader;
#[cfg(feature = "std")]
mod sampler;
#[cfg(feature = "std")]
mod split;

pub use board::{Board, Labelled};
pub use label::{GameResult, GameResultError, Label, Score};
pub use permutation::{Permutation, PermutationIter};
pub use piece::{Color, Piece, PieceType, PieceTypeError};
pub use placement::{ChangeError, Placement, PlacementError};
pub use position::{CastlingRights, LabelledPosition, Position, PositionError, Wing};
pub use square::{Square, SquareError, Squares};

#[cfg(feature = "std")]
pub use dataset::{Concat, Dataset, DatasetError, Slice, SliceError};
#[cfg(feature = "std")]
pub use loader::{LoadError, LoadedBatch, Loader, LoaderConfig, LoaderConfigError};
#[cfg(feature = "std")]
pub use sampler::{
    Mode, Order, RestoreError, Sampler, SamplerConfig, SamplerConfigError, SamplerState, Selection,
};
#[cfg(feature = "std")]
pub use split::{Split, SplitError};
