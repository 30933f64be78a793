//! How far a command is, on standard error if that is a terminal.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;
use crate::resume::Start;
use crate::streams::total_bytes;

/// A bar with rate and time left; hidden where standard error is no terminal.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// For work on `total` bytes, if that is known.
    pub(crate) fn new(total: Option<u64>) -> Self {
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{bar:30} {percent:>3} % of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
            ),
            None => (
                ProgressBar::no_length(),
                "{spinner} {binary_bytes}, {binary_bytes_per_sec}",
            ),
        };
        let style = ProgressStyle::with_template(template);
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// For a command that begins somewhere in its inputs.
    pub(crate) fn resumed(inputs: &[PathBuf], start: &Start) -> Self {
        let progress = Self::new(total_bytes(inputs));
        let before = inputs.get(..start.file).and_then(total_bytes);
        progress.skip(before.unwrap_or(0));
        progress
    }

    /// What the library reports to.
    pub(crate) fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.set_length(total);
        self.0.set_position(done);
        interrupt::flow()
    }

    /// Counts bytes that need not be read.
    pub(crate) fn skip(&self, bytes: u64) {
        self.0.inc(bytes);
        self.0.reset_eta();
    }

    /// Reads from `source`, counting; fails after Ctrl-C.
    pub(crate) fn track<R: Read>(&self, source: R) -> Tracked<R> {
        let progress = self.clone();
        Tracked { source, progress }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A source whose bytes are counted.
pub(crate) struct Tracked<R> {
    source: R,
    progress: Progress,
}

impl<R> Tracked<R> {
    pub(crate) const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The source itself.
    pub(crate) fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }
}

impl<R: Read> Read for Tracked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if interrupt::was_asked() {
            return Err(io::Error::other("interrupted"));
        }
        let read = self.source.read(buffer)?;
        self.progress.0.inc(read as u64);
        Ok(read)
    }
}
