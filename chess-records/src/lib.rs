#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod board;
mod excerpt;
mod fen;
mod label;
mod piece;
mod placement;
mod position;
mod square;

#[cfg(feature = "std")]
mod dataset;

pub use board::{Board, Labelled};
pub use excerpt::Excerpt;
pub use fen::{Fen, FenError, FenField};
pub use label::{GameResult, GameResultError, Label, Score};
pub use piece::{Color, Piece, PieceType, PieceTypeError};
pub use placement::{ChangeError, Placement, PlacementError};
pub use position::{CastlingRights, LabelledPosition, Position, PositionError, Wing};
pub use square::{Square, SquareError, Squares};

#[cfg(feature = "std")]
pub use dataset::{Dataset, DatasetError};
