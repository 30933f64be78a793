//! Runs that are kept in a folder and survive being killed.

use core::num::NonZeroUsize;
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use thiserror::Error;

use super::checkpoint::{Checkpoint, CheckpointLoadError, CheckpointSaveError};
use super::parameters::Parameters;
use super::trainer::{Event, Outcome, TrainError, Trainer};
use crate::{SaveError, file_lock};

/// A folder with a run in it, which [`RunFolder::train`] begins or goes on with.
///
/// | file | what it is |
/// |---|---|
/// | `checkpoint-<steps>.ckpt` | the last few [checkpoints](Event::Checkpoint) |
/// | `best.ckpt`, `best.nnue` | checkpoint and network after the epoch with the smallest validation loss |
/// | `last.nnue` | the network after the last epoch |
/// | `lock` | keeps a second process out of the folder |
///
/// The process may be killed at any moment, the machine may lose its power: every file is there whole
/// or not at all, and what the folder holds in the end is the same, byte for byte, as without the
/// interruption. Only a run that was stopped by its caller has a checkpoint of that step besides, which
/// counts as one of the last few.
///
/// ```no_run
/// use std::ops::ControlFlow;
///
/// use chess_nnue::Architecture;
/// use chess_nnue::train::{Event, RunFolder, TrainConfig, Trainer};
/// use chess_nnue::chess_records::{Dataset, LabelledPosition};
///
/// /// Call it again after an interruption: it goes on.
/// fn train(
///     training: impl Dataset<Batch = Vec<LabelledPosition>> + 'static,
///     validation: &impl Dataset<Batch = Vec<LabelledPosition>>,
/// ) -> Result<(), Box<dyn std::error::Error>> {
///     let config = TrainConfig::new(Architecture::new(256)?.with_eval_scale(115)?);
///     let folder = RunFolder::open("runs/first")?;
///     folder.train(&mut Trainer::new(config)?, training, validation, |event| {
///         if let Event::Start { step, steps, .. } = event {
///             println!("{step} of {steps} steps are made");
///         }
///         ControlFlow::Continue(()) // or Break, to stop here and go on another time
///     })?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    keep: NonZeroUsize,
    /// Locked as long as this lives; the system unlocks it when the process ends.
    _lock: File,
}

/// A checkpoint that could not be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct DamagedCheckpoint {
    /// After how many steps it was written, by its name.
    pub steps: u64,
    /// What is wrong with it; this names the file.
    pub error: CheckpointLoadError,
}

/// Why a run in a folder failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// The folder cannot be made, listed or tidied up.
    #[error("{}: cannot be used as the folder of a run", path.display())]
    Folder {
        /// The folder or the file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process works in the folder.
    #[error("{}: another run is working in this folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// There are checkpoints and none can be used.
    #[error(
        "{}: all {count} checkpoints are damaged; the newest is told of, \
         remove them to begin again", path.display()
    )]
    AllDamaged {
        /// The folder.
        path: PathBuf,
        /// How many there are.
        count: usize,
        /// What is wrong with the newest.
        source: CheckpointLoadError,
    },
    /// A checkpoint cannot be written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointSaveError),
    /// A network cannot be written.
    #[error(transparent)]
    Network(#[from] SaveError),
    /// The run itself failed.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl RunFolder {
    /// How many checkpoints are kept unless something else is asked for.
    const KEPT: NonZeroUsize = NonZeroUsize::new(3).unwrap();

    /// Opens a folder, making it if it is not there, and removes what a killed process left half
    /// written.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or used, and when another run works in it.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, RunFolderError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| at(&path, source))?;
        let folder = Self {
            _lock: lock(&path)?,
            keep: Self::KEPT,
            path,
        };
        folder.remove_temporary_files()?;
        Ok(folder)
    }

    /// How many of the last checkpoints are kept, 3 unless set here; the best one is kept apart.
    #[must_use]
    pub fn keep(self, checkpoints: NonZeroUsize) -> Self {
        Self {
            keep: checkpoints,
            ..self
        }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins the run, or goes on from the newest checkpoint that is not damaged, until it is over or
    /// `on_event` stops it; a run that is over is only reported. A trainer's own parameters count
    /// where a run begins.
    ///
    /// Events are the trainer's, after what they ask for was written. Damaged checkpoints are told
    /// first.
    ///
    /// # Errors
    ///
    /// As [`Trainer::run`] and [`Trainer::resume`], and when the folder holds nothing but damaged
    /// checkpoints or a file cannot be written.
    pub fn train<D, V, S>(
        &self,
        trainer: &mut Trainer,
        training: D,
        validation: &V,
        mut on_event: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, RunFolderError>
    where
        D: Dataset<Batch = Vec<S>> + 'static,
        V: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync + 'static,
    {
        let (checkpoint, damaged) = self.newest()?;
        let mut keeper = Keeper {
            folder: self,
            stopping: ControlFlow::Continue(()),
            failure: None,
        };
        for damaged in &damaged {
            if keeper.stopping.is_continue() {
                keeper.stopping = on_event(Event::Damaged { damaged });
            }
        }
        let on_event = |event: Event<'_>| keeper.on_event(event, &mut on_event);
        let outcome = match &checkpoint {
            Some(checkpoint) => trainer.resume(checkpoint, training, validation, on_event)?,
            None => trainer.run(training, validation, on_event)?,
        };
        if let Some(failure) = keeper.failure {
            return Err(failure);
        }
        if outcome.stopped {
            self.save(&outcome.checkpoint, false)?;
        }
        Ok(outcome)
    }

    /// The newest checkpoint that can be used, and those newer ones that cannot.
    ///
    /// # Errors
    ///
    /// [`RunFolderError::AllDamaged`] when there are some and none can be used.
    pub fn newest(&self) -> Result<(Option<Checkpoint>, Vec<DamagedCheckpoint>), RunFolderError> {
        let mut damaged = Vec::new();
        for steps in self.steps_of_checkpoints()? {
            match Checkpoint::load(self.checkpoint_path(steps)) {
                Ok(checkpoint) => return Ok((Some(checkpoint), damaged)),
                Err(error) => damaged.push(DamagedCheckpoint { steps, error }),
            }
        }
        let count = damaged.len();
        match damaged.into_iter().next() {
            None => Ok((None, Vec::new())),
            Some(newest) => Err(RunFolderError::AllDamaged {
                path: self.path.clone(),
                count,
                source: newest.error,
            }),
        }
    }

    /// Writes a checkpoint and removes those that are too old.
    fn save(&self, checkpoint: &Checkpoint, is_best: bool) -> Result<(), RunFolderError> {
        if is_best {
            checkpoint.save(self.path.join("best.ckpt"))?;
        }
        let steps = checkpoint.steps();
        checkpoint.save(self.checkpoint_path(steps))?;
        // A newer one than this is damaged, and written again in its turn.
        let older = self.steps_of_checkpoints()?;
        let older = older.into_iter().filter(|&other| other <= steps);
        for old in older.skip(self.keep.get()) {
            remove(&self.checkpoint_path(old))?;
        }
        Ok(())
    }

    fn save_networks(&self, parameters: &Parameters, is_best: bool) -> Result<(), RunFolderError> {
        let network = parameters.quantize().network;
        if is_best {
            network.save(self.path.join("best.nnue"))?;
        }
        Ok(network.save(self.path.join("last.nnue"))?)
    }

    fn checkpoint_path(&self, steps: u64) -> PathBuf {
        self.path.join(std::format!("checkpoint-{steps:010}.ckpt"))
    }

    /// The checkpoints by their steps, the newest first.
    fn steps_of_checkpoints(&self) -> Result<Vec<u64>, RunFolderError> {
        let names = self.names()?;
        let mut steps: Vec<u64> = names.iter().filter_map(|name| steps_of(name)).collect();
        steps.sort_unstable_by(|one, other| other.cmp(one));
        Ok(steps)
    }

    fn names(&self) -> Result<Vec<std::ffi::OsString>, RunFolderError> {
        let listed = fs::read_dir(&self.path).and_then(|entries| {
            let names = entries.map(|entry| Ok(entry?.file_name()));
            names.collect::<io::Result<Vec<_>>>()
        });
        listed.map_err(|source| at(&self.path, source))
    }

    fn remove_temporary_files(&self) -> Result<(), RunFolderError> {
        let names = self.names()?;
        for name in names.iter().filter(|name| is_temporary(name)) {
            remove(&self.path.join(name))?;
        }
        Ok(())
    }
}

/// Writes what events ask for, before the caller hears of them.
struct Keeper<'a> {
    folder: &'a RunFolder,
    /// Whether the caller wants to stop.
    stopping: ControlFlow<()>,
    failure: Option<RunFolderError>,
}

impl Keeper<'_> {
    fn on_event(
        &mut self,
        event: Event<'_>,
        on_event: &mut impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if let Err(failure) = self.write(&event) {
            self.failure = Some(failure);
            return ControlFlow::Break(());
        }
        // Who stops after an epoch stops after its checkpoint.
        let goes_on_anyway = matches!(event, Event::Epoch { .. });
        if self.stopping.is_continue() {
            self.stopping = on_event(event);
        }
        match goes_on_anyway {
            true => ControlFlow::Continue(()),
            false => self.stopping,
        }
    }

    fn write(&self, event: &Event<'_>) -> Result<(), RunFolderError> {
        match event {
            Event::Epoch {
                parameters,
                is_best,
                ..
            } => self.folder.save_networks(parameters, *is_best),
            Event::Checkpoint {
                checkpoint,
                is_best,
            } => self.folder.save(checkpoint, *is_best),
            _ => Ok(()),
        }
    }
}

fn at(path: &Path, source: io::Error) -> RunFolderError {
    let path = path.into();
    RunFolderError::Folder { path, source }
}

fn lock(folder: &Path) -> Result<File, RunFolderError> {
    let path = folder.join("lock");
    match file_lock::create(&path) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(RunFolderError::Busy {
            path: folder.into(),
        }),
        Err(source) => Err(at(&path, source)),
    }
}

fn remove(path: &Path) -> Result<(), RunFolderError> {
    fs::remove_file(path).map_err(|source| at(path, source))
}

/// After how many steps a file of this name was written, if it is a checkpoint.
fn steps_of(name: &OsStr) -> Option<u64> {
    let steps = name.to_str()?.strip_prefix("checkpoint-")?;
    steps.strip_suffix(".ckpt")?.parse().ok()
}

/// Whether a file is what an unfinished one of this folder is called.
fn is_temporary(name: &OsStr) -> bool {
    let target = name.to_str().and_then(|name| name.strip_prefix('.'));
    let ours = ["checkpoint-", "best.", "last."];
    target.is_some_and(|target| {
        target.ends_with(".tmp") && ours.iter().any(|ours| target.starts_with(ours))
    })
}
