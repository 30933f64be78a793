//! How far a command is, on standard error if that is a terminal.

use core::ops::ControlFlow;
use std::format;
use std::io::{self, Read};
use std::string::String;

use indicatif::{ProgressBar, ProgressStyle};

use super::interrupt;

/// A bar with rate and time left; hidden where standard error is no terminal.
#[derive(Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// For work on `total` of `unit`, if that is known.
    #[must_use]
    pub fn new(unit: &str, total: Option<u64>) -> Self {
        Self::with_template(total, &of_units(unit, total.is_some()))
    }

    /// For bytes of files.
    #[must_use]
    pub fn of_bytes(total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => {
                "{bar:30} {percent:>3} % of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left{msg}"
            }
            None => "{spinner} {binary_bytes}, {binary_bytes_per_sec}{msg}",
        };
        Self::with_template(total, template)
    }

    fn with_template(total: Option<u64>, template: &str) -> Self {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::no_length(),
        };
        Self(bar.with_style(style(template)))
    }

    /// Begins another kind of work.
    pub fn begin(&self, what: &str, unit: &str, total: Option<u64>) {
        match total {
            Some(total) => self.0.set_length(total),
            None => self.0.unset_length(),
        }
        self.0.set_style(style(&of_units(unit, total.is_some())));
        self.0.set_prefix(format!("{what} "));
        self.0.set_position(0);
        self.0.reset_elapsed();
        self.0.reset_eta();
    }

    /// How much is done.
    pub fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    /// How much more is done.
    pub fn add(&self, done: u64) {
        self.0.inc(done);
    }

    /// Counts what need not be done.
    pub fn skip(&self, count: u64) {
        self.0.inc(count);
        self.0.reset_eta();
    }

    /// Something more to tell, after the rest.
    pub fn tell(&self, text: String) {
        self.0.set_message(text);
    }

    /// What the library reports to; breaks after Ctrl-C.
    pub fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.set_length(total);
        self.0.set_position(done);
        interrupt::flow()
    }

    /// Reads from `source`, counting; fails after Ctrl-C.
    pub fn track<R: Read>(&self, source: R) -> Tracked<R> {
        let progress = self.clone();
        Tracked { source, progress }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn of_units(unit: &str, has_total: bool) -> String {
    if has_total {
        format!(
            "{{prefix}}{{bar:30}} {{percent:>3}} % of {{human_len}} {unit}, {{per_sec}}, {{eta}} left{{msg}}"
        )
    } else {
        format!("{{prefix}}{{spinner}} {{human_pos}} {unit}, {{per_sec}}{{msg}}")
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A source whose bytes are counted.
pub struct Tracked<R> {
    source: R,
    progress: Progress,
}

impl<R> Tracked<R> {
    /// Where they are counted.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The source itself.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }
}

impl<R: Read> Read for Tracked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if interrupt::was_asked() {
            return Err(io::Error::other("interrupted"));
        }
        let read = self.source.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn every_template_is_one() {
        for has_total in [false, true] {
            assert!(ProgressStyle::with_template(&of_units("games", has_total)).is_ok());
        }
    }

    #[test]
    fn bytes_are_counted() {
        let progress = Progress::of_bytes(Some(7));
        progress.skip(2);
        let mut tracked = progress.track(&b"bytes"[..]);
        let mut read = Vec::new();
        tracked.read_to_end(&mut read).unwrap();
        assert_eq!(read, b"bytes");
        assert_eq!(tracked.progress().0.position(), 7);
        tracked.progress().begin("checking", "games", None);
        assert_eq!((progress.0.position(), progress.0.length()), (0, None));
        assert!(progress.report(3, 9).is_continue());
        assert_eq!((progress.0.position(), progress.0.length()), (3, Some(9)));
    }
}
