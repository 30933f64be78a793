//! Files of each kind, counted for a report.

use std::path::Path;

use chess_records::LabelledPosition;
use chess_records::ops::StreamRecord;
use chess_records::tool_support::Progress;
use chess_records::zdat::Layout;

use super::{Games, Report};
use crate::failure::{Failure, chain};
use crate::format::{Format, with_unit};
use crate::games;
use crate::streams::Source;
use crate::zdat::{self, Opened};

/// Scores without a unit.
#[derive(Default)]
pub(super) struct PlainScores {
    count: u64,
    sum: f64,
    ends: Option<(f32, f32)>,
}

impl PlainScores {
    fn add(&mut self, score: f32) {
        self.count += 1;
        self.sum += f64::from(score);
        let (low, high) = self.ends.unwrap_or((score, score));
        self.ends = Some((low.min(score), high.max(score)));
    }

    pub(super) fn text(&self) -> Option<String> {
        let ((low, high), mean) = (self.ends?, self.sum / self.count as f64);
        Some(format!(
            "{low} to {high}, mean {mean:.4} (no unit, the mover's side)"
        ))
    }
}

impl Report {
    /// Counts a file's records. Those at fault are counted and passed over.
    pub(crate) fn add_file(
        &mut self,
        path: &Path,
        layout: Option<Layout>,
        progress: &Progress,
    ) -> Result<(), Failure> {
        self.files.push(path.to_path_buf());
        self.statistics.games.next_file();
        match self.format {
            Format::Viri => self.add_games(path, progress),
            Format::Zdat => self.add_groups(path, layout),
            format => with_unit!(format, U => self.add::<U>(path, progress)),
        }
    }

    fn count(&mut self, labelled: &LabelledPosition) {
        self.statistics.add(labelled);
        self.distinct.add(&labelled.position);
    }

    fn add<U: StreamRecord>(&mut self, path: &Path, progress: &Progress) -> Result<(), Failure> {
        for decoded in Source::open(path, progress)?.decoded::<U>() {
            match decoded {
                Ok((_, labelled)) => self.count(&labelled),
                Err(failure) => self.add_failure(failure)?,
            }
        }
        Ok(())
    }

    fn add_games(&mut self, path: &Path, progress: &Progress) -> Result<(), Failure> {
        let mut file = games::Games::open(path, progress)?;
        self.games.get_or_insert_default();
        loop {
            let game = match file.next() {
                Ok(Some(game)) => game,
                Ok(None) => return Ok(()),
                // Where the next game starts is not known.
                Err(failure) => return self.add_failure(failure),
            };
            let Games { games, plies } = self.games.get_or_insert_default();
            *games += 1;
            *plies += game.len() as u64;
            for here in game.positions() {
                match here {
                    Ok(here) => self.count(&here.labelled),
                    Err(fault) => self.add_failure(games::fault(path, fault))?,
                }
            }
        }
    }

    fn add_groups(&mut self, path: &Path, layout: Option<Layout>) -> Result<(), Failure> {
        let opened = match Opened::open(path, layout) {
            Err(failure) => return self.add_failure(failure),
            Ok(opened) => opened,
        };
        self.facts.extend(opened.facts());
        let Ok(layout) = opened.rows() else {
            // The facts say that it is undecided: positions cannot be read.
            return Ok(());
        };
        opened.each(|found| {
            let decoded = found.and_then(|found| {
                let decoded = found.record.decode(layout);
                decoded.map_err(|error| opened.record_fault(&found, error))
            });
            match decoded {
                Ok(decoded) => {
                    self.count(&zdat::labelled(&decoded, None));
                    self.plain_scores.add(decoded.score);
                    Ok(())
                }
                Err(fault) => self.add_failure(opened.failure(fault)),
            }
        })
    }

    /// Counts a fault in the data; passes on anything else.
    fn add_failure(&mut self, failure: Failure) -> Result<(), Failure> {
        let Failure::Data(fault) = failure else {
            return Err(failure);
        };
        self.faults += 1;
        self.first_fault
            .get_or_insert_with(|| chain(fault.as_ref()));
        Ok(())
    }
}
