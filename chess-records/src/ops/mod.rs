//! Work on files larger than memory: shuffle, interleave, split, remove duplicates, filter, count.
//!
//! Functions here read one or more files of fixed-size records ([`Inputs`]), write one or more
//! ([`Output`]), and keep to a budget of memory where their work needs any. All of them
//!
//! - leave the output as it was, or whole: it is written beside its place and renamed at the end;
//! - refuse, before anything is touched, an output that is also an input (by name, by symbolic link
//!   or by hard link), and one that exists unless [`Output::replacing`] was asked for;
//! - go on where they were after they were killed or cancelled, when they are run again on the same
//!   inputs with the same arguments, and begin anew if anything of these changed;
//! - give the same bytes for the same inputs and seed, whatever the memory or the interruptions;
//! - report to a closure `(done, total)` in bytes of work, a few times a second's worth of it, and stop
//!   with [`FilesError::Cancelled`] when that breaks:
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use chess_records::MarlinRecord;
//! use chess_records::ops::{Inputs, Output, Shuffle};
//!
//! let inputs = Inputs::<MarlinRecord>::open(["a.marlin", "b.marlin"])?;
//! let shuffle = Shuffle { seed: 7, memory: 1 << 30 };
//! shuffle.run(&inputs, &Output::new("both.marlin"), &mut |done, total| {
//!     eprintln!("{done} of {total}");
//!     ControlFlow::Continue(()) // or Break, to stop
//! })?;
//! # Ok::<(), chess_records::ops::FilesError>(())
//! ```
//!
//! [`ResumableFiles`] does so for other work. Games of viriformat are split by [`SplitFiles::run_games`] and read one by one by [`GameReader`].
//! Streams (pipes, text) go through [`StreamRecord`]; a [`Filter`] and [`Statistics`] take decoded
//! positions from wherever they come.

mod dedup;
mod distinct;
mod error;
mod filter;
mod games;
mod inputs;
mod interleave;
mod interleaved;
mod key;
mod output;
mod parts;
mod resume;
mod scratch;
mod shuffle;
mod spill;
mod split_files;
mod split_games;
mod statistics;
mod stream;

pub use dedup::{Dedup, DedupReport, Keep, ScoredRecord};
pub use distinct::DistinctPositions;
pub use error::FilesError;
pub use filter::Filter;
pub use games::{GameReadError, GameReader};
pub use inputs::Inputs;
pub use interleave::{InterleaveError, InterleaveOrder, InterleaveOrderIter, interleave};
pub use interleaved::Interleaved;
pub use key::PositionKey;
pub use output::Output;
pub use resume::ResumableFiles;
pub use shuffle::Shuffle;
pub use split_files::{PartReport, SplitBy, SplitFiles, SplitFilesError, SplitReport};
pub use statistics::{GameCounter, Histogram, Statistics};
pub use stream::{RecordReadError, RecordReader, StreamRecord};

use std::ops::ControlFlow;

/// What long work reports to: bytes done and bytes in all. Work stops when it breaks.
///
/// The first report says where work begins: at 0, or beyond where it goes on after an interruption.
pub type Progress<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// Counts work done and reports it.
struct Meter<'a, 'b> {
    done: u64,
    total: u64,
    progress: &'a mut Progress<'b>,
}

impl<'a, 'b> Meter<'a, 'b> {
    fn new(total: u64, progress: &'a mut Progress<'b>) -> Self {
        Self {
            done: 0,
            total,
            progress,
        }
    }

    fn advance(&mut self, bytes: u64) -> Result<(), FilesError> {
        self.done += bytes;
        match (self.progress)(self.done, self.total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(FilesError::Cancelled),
        }
    }
}
