//! How far the pipeline is: a bar on standard error if that is a terminal, and a line for each folder that
//! is done.

use std::ops::ControlFlow;
use std::path::Path;

use chess_records::tool_support::interrupt;
use chess_tokens::corpus::fetch::{FetchPhase, FetchProgress};
use chess_tokens::corpus::pipeline::PipelineEvent;
use chess_tokens::corpus::stages::StageProgress;
use chess_tokens::corpus::{Counts, Manifest};
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::report;

/// Shows how far it is.
pub(super) struct Watch(ProgressBar);

impl Watch {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::no_length();
        let style = ProgressStyle::with_template("{spinner} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Tells of an event; breaks after Ctrl-C.
    pub(super) fn event(&self, event: PipelineEvent<'_>) -> ControlFlow<()> {
        match event {
            PipelineEvent::Fetching(now) => return self.fetching(now),
            PipelineEvent::Working(now) => return self.working(now),
            PipelineEvent::Done {
                folder,
                manifest,
                was_finished,
            } => self.0.suspend(|| {
                // Nothing is lost with a line that cannot be said.
                let _ = report::note(&done_line(folder, manifest, was_finished));
            }),
            _ => {}
        }
        interrupt::flow()
    }

    pub(super) fn fetching(&self, now: &FetchProgress) -> ControlFlow<()> {
        self.show(fetch_line(now));
        interrupt::flow()
    }

    pub(super) fn working(&self, now: &StageProgress) -> ControlFlow<()> {
        self.show(stage_line(now));
        interrupt::flow()
    }

    fn show(&self, line: String) {
        self.0.set_message(line);
        self.0.tick();
    }

    /// Says what became of a folder, on standard output.
    pub(super) fn done(
        &self,
        folder: &Path,
        manifest: &Manifest,
        was_finished: bool,
    ) -> Result<(), Failure> {
        let line = done_line(folder, manifest, was_finished);
        self.0.suspend(|| report::print(&format!("{line}\n")))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn left(time: Option<std::time::Duration>) -> String {
    time.map_or(String::new(), |time| {
        format!(", {} left", HumanDuration(time))
    })
}

fn fetch_line(now: &FetchProgress) -> String {
    let what = match &now.phase {
        FetchPhase::Listing => "listing".to_owned(),
        FetchPhase::Downloading => format!(
            "{} of {}, {}/s",
            HumanBytes(now.shard_bytes),
            HumanBytes(now.shard_size),
            HumanBytes(now.bytes_per_second() as u64)
        ),
        FetchPhase::Waiting { left, why, .. } => {
            format!("waiting {} s: {why}", left.as_secs())
        }
        FetchPhase::Checking => "checking".to_owned(),
        FetchPhase::Filtering => "filtering".to_owned(),
        FetchPhase::Joining => "joining".to_owned(),
        _ => String::new(),
    };
    format!(
        "fetch {}: file {} of {}, {what}, {} games kept{}",
        now.month,
        now.shards_done + 1,
        now.shards,
        HumanCount(now.games),
        left(now.eta())
    )
}

fn stage_line(now: &StageProgress) -> String {
    let month = now.month.map_or(String::new(), |month| format!(" {month}"));
    let all = now
        .games_in_all
        .map_or(String::new(), |all| format!(" of {}", HumanCount(all)));
    format!(
        "{}{month}: {}{all} games, {}/s, {} kept{}",
        now.stage,
        HumanCount(now.games),
        HumanCount(now.games_per_second() as u64),
        HumanCount(now.kept),
        left(now.eta())
    )
}

/// What became of a folder, in a line.
fn done_line(folder: &Path, manifest: &Manifest, was_finished: bool) -> String {
    let there = if was_finished { " (was there)" } else { "" };
    format!("{}: {}{there}", folder.display(), counts(&manifest.counts))
}

fn counts(counts: &Counts) -> String {
    let left_out = counts.left_out.iter();
    let left_out = left_out.map(|(reason, games)| format!(", {reason} {games}"));
    let left_out: String = left_out.collect();
    format!("{} of {} games{left_out}", counts.kept, counts.read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_a_line() {
        let mut some = Counts {
            read: 10,
            kept: 7,
            ..Counts::default()
        };
        some.leave_out("short", 2);
        some.leave_out("illegal", 1);
        assert_eq!(counts(&some), "7 of 10 games, illegal 1, short 2");
    }
}
