//! A run's numbers, a line of JSON each.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use chess_nnue::train::{Event, LossPoint};
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Row {
    /// A step was made.
    Step {
        step: u64,
        epoch: u32,
        /// How many samples were learnt from so far.
        records: u64,
        /// The mean loss of the step's batch, from before the step.
        batch_loss: f64,
        /// The mean loss of the epoch so far.
        training_loss: f64,
        learning_rate: f64,
        result_weight: f32,
        /// Of this process in this epoch.
        records_per_second: f64,
    },
    /// An epoch is over.
    Epoch {
        step: u64,
        epoch: u32,
        records: u64,
        training_loss: f64,
        validation_loss: f64,
        is_best: bool,
        learning_rate: f64,
        /// `None` if this process made none of its steps.
        records_per_second: Option<f64>,
    },
}

impl Row {
    /// Lines are in this order.
    const fn place(&self) -> (u64, bool) {
        match *self {
            Self::Step { step, .. } => (step, false),
            Self::Epoch { step, .. } => (step, true),
        }
    }

    const fn step(&self) -> u64 {
        self.place().0
    }
}

/// The file of the lines, which holds each once however often a run was interrupted.
pub(crate) struct Metrics {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
    /// The first whole line that was none of metrics, from 1.
    damaged: Option<usize>,
    every: NonZeroU64,
    /// After every so many steps there is a checkpoint.
    checkpoint_steps: Option<NonZeroU64>,
    records_per_second: Option<f64>,
}

impl Metrics {
    /// Opens the file for a run that goes on after `step`; lines of later steps, which will be made
    /// again, are cut off.
    pub(crate) fn open(
        path: &Path,
        step: u64,
        every: NonZeroU64,
        checkpoint_steps: Option<NonZeroU64>,
    ) -> Outcome<Self> {
        let opened = open_until(path, step);
        let shown = path.display();
        let opened = opened.map_err(|error| format!("cannot use {shown}: {error}"))?;
        let (file, rows, damaged) = opened;
        Ok(Self {
            path: path.into(),
            file,
            rows,
            damaged,
            every,
            checkpoint_steps,
            records_per_second: None,
        })
    }

    /// What was lost when the file was opened, for people.
    pub(crate) fn warning(&self) -> Option<String> {
        let line = self.damaged?;
        let path = self.path.display();
        Some(format!(
            "{path} line {line} is damaged: it and the lines behind it are lost"
        ))
    }

    /// The lines.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Writes what an event is worth a line.
    pub(crate) fn on_event(&mut self, event: &Event<'_>) -> Outcome {
        let Some(row) = self.row_of(event) else {
            return Ok(());
        };
        // A checkpoint from just before an epoch's end leads to that end a second time.
        let is_new = self
            .rows
            .last()
            .is_none_or(|last| last.place() < row.place());
        if is_new && self.is_wanted(&row) {
            self.write(row)?;
        }
        // What comes before a checkpoint must be on the disk before it.
        if self.comes_before_checkpoint(&row) {
            let synced = self.file.sync_data();
            synced.map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    fn row_of(&mut self, event: &Event<'_>) -> Option<Row> {
        match *event {
            Event::Step {
                step,
                epoch,
                records,
                batch_loss,
                training_loss,
                learning_rate,
                result_weight,
                records_per_second,
                ..
            } => {
                self.records_per_second = Some(records_per_second);
                Some(Row::Step {
                    step,
                    epoch,
                    records,
                    batch_loss,
                    training_loss,
                    learning_rate,
                    result_weight,
                    records_per_second,
                })
            }
            Event::Epoch {
                step,
                epoch,
                records,
                training_loss,
                validation_loss,
                is_best,
                learning_rate,
                ..
            } => Some(Row::Epoch {
                step,
                epoch,
                records,
                training_loss,
                validation_loss,
                is_best,
                learning_rate,
                records_per_second: self.records_per_second.take(),
            }),
            _ => None,
        }
    }

    fn is_wanted(&self, row: &Row) -> bool {
        match row {
            Row::Step { step, .. } => step.is_multiple_of(self.every.get()),
            Row::Epoch { .. } => true,
        }
    }

    fn comes_before_checkpoint(&self, row: &Row) -> bool {
        match row {
            Row::Step { step, .. } => {
                let every = self.checkpoint_steps;
                every.is_some_and(|every| step.is_multiple_of(every.get()))
            }
            Row::Epoch { .. } => true,
        }
    }

    fn write(&mut self, row: Row) -> Outcome {
        let line = serde_json::to_string(&row)? + "\n";
        // In one call: a process that is killed leaves whole lines.
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| self.failed(&error))?;
        self.rows.push(row);
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("cannot write {}: {error}", self.path.display())
    }
}

/// The file, cut off after the last whole line of a step up to `step`, its lines, and which line is
/// damaged, if one is. Half a line at the end is what a loss of power leaves, and no damage.
fn open_until(path: &Path, step: u64) -> io::Result<(File, Vec<Row>, Option<usize>)> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        text => text?,
    };
    let (mut rows, mut kept, mut damaged) = (Vec::new(), 0, None);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if !line.ends_with(b"\n") {
            break;
        }
        match serde_json::from_slice::<Row>(line) {
            Ok(row) if row.step() <= step => rows.push(row),
            Ok(_) => break,
            Err(_) => {
                damaged = Some(rows.len() + 1);
                break;
            }
        }
        kept += line.len() as u64;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(kept)?;
    Ok((file, rows, damaged))
}

/// The rows for a picture: training losses are those of batches, at most 200 means of them.
pub(crate) fn loss_points(rows: &[Row]) -> Vec<LossPoint> {
    const MOST: usize = 200;
    let steps: Vec<(u64, f64)> = rows.iter().filter_map(batch_loss).collect();
    let means = steps
        .chunks(steps.len().div_ceil(MOST).max(1))
        .map(|chunk| {
            let sum: f64 = chunk.iter().map(|&(_, loss)| loss).sum();
            LossPoint {
                step: chunk[chunk.len() / 2].0,
                training: Some(sum / chunk.len() as f64),
                validation: None,
            }
        });
    let epochs = rows.iter().filter_map(|row| match *row {
        Row::Step { .. } => None,
        Row::Epoch {
            step,
            validation_loss,
            ..
        } => Some(LossPoint {
            step,
            training: None,
            validation: Some(validation_loss),
        }),
    });
    means.chain(epochs).collect()
}

const fn batch_loss(row: &Row) -> Option<(u64, f64)> {
    match *row {
        Row::Step {
            step, batch_loss, ..
        } => Some((step, batch_loss)),
        Row::Epoch { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(step: u64) -> Row {
        Row::Step {
            step,
            epoch: 1,
            records: 10 * step,
            batch_loss: step as f64,
            training_loss: 0.5,
            learning_rate: 0.001,
            result_weight: 0.25,
            records_per_second: 1e6,
        }
    }

    fn epoch(step: u64) -> Row {
        Row::Epoch {
            step,
            epoch: 1,
            records: 10 * step,
            training_loss: 0.5,
            validation_loss: 0.25,
            is_best: true,
            learning_rate: 0.001,
            records_per_second: None,
        }
    }

    fn open(path: &Path, step: u64) -> Metrics {
        Metrics::open(path, step, NonZeroU64::MIN, None).unwrap()
    }

    #[test]
    fn lines_after_the_checkpoint_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut metrics = open(&path, 0);
        let all = [step(1), step(2), epoch(2), step(3)];
        all.iter().for_each(|row| metrics.write(*row).unwrap());
        let whole = fs::read(&path).unwrap();
        assert_eq!(open(&path, 9).rows(), all);
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(open(&path, 2).rows(), &all[..3]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        // Half a line, as after a loss of power.
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let mut metrics = open(&path, 9);
        assert_eq!(metrics.rows(), &all[..3]);
        metrics.write(step(3)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(metrics.warning(), None);
        let mut changed = whole.clone();
        let second = 1 + whole.iter().position(|&byte| byte == b'\n').unwrap();
        changed[second] = b'?';
        fs::write(&path, changed).unwrap();
        let damaged = open(&path, 9);
        assert_eq!(damaged.rows(), &all[..1]);
        let warning = damaged.warning().unwrap();
        assert!(warning.contains(" line 2 is damaged"), "{warning}");
        assert_eq!(open(&path, 0).rows(), []);
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn pictures_have_means() {
        let rows: Vec<Row> = (1..=400).map(step).chain([epoch(400)]).collect();
        let points = loss_points(&rows);
        assert_eq!(points.len(), 201);
        assert_eq!(points[0].training, Some(1.5));
        assert_eq!(points[200].validation, Some(0.25));
        assert_eq!(loss_points(&rows[..3]).len(), 3);
    }
}
