//! Why generations cannot go on.

use std::io;
use std::path::PathBuf;
use std::string::String;

use chess_records::{AtomicFileError, ViewError, ViriOpenError};
use thiserror::Error;

use super::PlanError;
use crate::selfplay::{DatagenError, MatchError};
#[cfg(feature = "plot")]
use crate::train::PlotError;
use crate::train::{
    AuditError, ConfigError, EvalScaleError, RunFolderError, SampleError, TargetError,
};
use crate::{ArchitectureError, SaveError};

/// Why [`Generations`](super::Generations) cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerationsError {
    /// A file or folder cannot be read or written.
    #[error("{}: cannot be read or written", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file cannot be put in its place.
    #[error(transparent)]
    File(#[from] AtomicFileError),
    /// Another process works in the folder.
    #[error("{}: another process is working in this folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The plan cannot be worked by.
    #[error("the plan")]
    Plan(#[from] PlanError),
    /// The plan's file is damaged.
    #[error("{}", path.display())]
    PlanFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: PlanError,
    },
    /// Generations were begun in the folder, but their plan is gone.
    #[error("{}: is there, but no plan.txt beside it says how it was made", path.display())]
    NoPlan {
        /// The folder of the first generation.
        path: PathBuf,
    },
    /// The folder was begun by another version, which may play and train otherwise.
    #[error("{}: begun by {found}, this is {version}", path.display(), version = super::VERSION)]
    Version {
        /// The plan's file.
        path: PathBuf,
        /// Its first line.
        found: String,
    },
    /// A chunk of games cannot be made.
    #[error("games")]
    Datagen(#[from] DatagenError),
    /// A chunk of games cannot be read, or holds a game that does not replay.
    #[error(transparent)]
    Open(#[from] ViriOpenError),
    /// A chunk has lost games, or is one of another plan.
    #[error("{}: has {found} games, expected {expected}; without the file they are played again", path.display())]
    Count {
        /// The chunk.
        path: PathBuf,
        /// Its games.
        found: u64,
        /// Those of the plan.
        expected: u64,
    },
    /// The games have no positions that can be trained on, or too few of them to hold some out.
    #[error("no quiet positions in the games to train on or to hold out: play more games")]
    NoPositions,
    /// The positions are no whole records: a fault of this crate.
    #[error(transparent)]
    Records(#[from] ViewError),
    /// A line of `losses.csv` is none, or missing.
    #[error("{}: line {line} is {found:?}, expected an epoch and two losses", path.display())]
    Losses {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// The line; empty past the end.
        found: String,
    },
    /// There is no such network.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// No scale fits the scores and results.
    #[error("no eval scale fits the games: play more of them")]
    EvalScale(#[from] EvalScaleError),
    /// The positions cannot be learnt from.
    #[error("the positions of the games")]
    Samples(#[from] SampleError),
    /// The training's configuration cannot be trained with.
    #[error("training")]
    Config(#[from] ConfigError),
    /// The training's targets.
    #[error("training")]
    Targets(#[from] TargetError),
    /// Training failed.
    #[error("training")]
    Train(#[from] RunFolderError),
    /// The network cannot be examined.
    #[error("examining the network")]
    Audit(#[from] AuditError),
    /// The network cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A match cannot be kept.
    #[error("match")]
    Match(#[from] MatchError),
    /// A picture cannot be drawn.
    #[cfg(feature = "plot")]
    #[error("a picture of the report")]
    Plot(#[from] PlotError),
}
