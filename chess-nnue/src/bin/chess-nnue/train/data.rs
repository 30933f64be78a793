//! What is trained on and what is held out.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::ops::{self, InterleaveOrder, Interleaved};
use chess_records::{Concat, Dataset, Filtered, Slice, Split, SplitError};
use serde::Serialize;

use super::filter::Filter;
use super::open::{self, Samples};
use super::source::{HeldOut, HeldOutBy, Source};
use super::spec;
use crate::Outcome;

/// The two sets of a run.
pub(crate) struct Data {
    pub(crate) training: Samples,
    pub(crate) held_out: Samples,
    pub(crate) account: Account,
}

/// Where the samples came from and where they went.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Account {
    pub(crate) files: Vec<FileAccount>,
    pub(crate) training_samples: u64,
    pub(crate) held_out_samples: u64,
    /// How many samples of the files find no place in the mix by weight.
    pub(crate) left_over: u64,
    pub(crate) warnings: Vec<String>,
}

/// A file, and how many of its samples are in which set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileAccount {
    pub(crate) path: PathBuf,
    pub(crate) weight: Option<u64>,
    pub(crate) samples: u64,
    /// Where the samples tell: how many games there are, and how many of them are held out.
    pub(crate) games: Option<[u64; 2]>,
    pub(crate) training_samples: u64,
    pub(crate) held_out_samples: u64,
    /// How many the filter leaves out.
    pub(crate) filtered_out: u64,
}

/// A file's samples in one of the sets.
struct Part {
    name: String,
    weight: Option<u64>,
    samples: Samples,
}

impl Data {
    /// Opens the files and splits and filters what is in them.
    pub(crate) fn open(spec: &spec::Data, filter: &Filter) -> Outcome<Self> {
        if spec.training.is_empty() {
            return Err("no files to train on: name them by --data or in [data]".into());
        }
        check_files(spec)?;
        let filter = filter.library();
        let mut account = Account::default();
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for source in &spec.training {
            let opened = open::open(source)?;
            let (file, parts) = match &spec.held_out {
                HeldOut::Share(share) => {
                    split(source, opened, *share, spec.held_out_by, &mut account)?
                }
                HeldOut::Files(_) => {
                    let empty = opened.len()..opened.len();
                    whole(source, opened, 0..empty.start, empty)?
                }
            };
            add(
                file,
                parts,
                filter.as_ref(),
                &mut account,
                [&mut training, &mut held_out],
            )?;
        }
        if let HeldOut::Files(files) = &spec.held_out {
            for source in files {
                let opened = open::open(source)?;
                let all = 0..opened.len();
                let (file, parts) = whole(source, opened, 0..0, all)?;
                add(
                    file,
                    parts,
                    filter.as_ref(),
                    &mut account,
                    [&mut training, &mut held_out],
                )?;
            }
        }
        let before: u64 = training.iter().map(|part| part.samples.len()).sum();
        let training = mixed(training)?;
        let held_out = end_to_end(held_out);
        account.training_samples = training.len();
        account.held_out_samples = held_out.len();
        account.left_over = before - training.len();
        match (training.is_empty(), held_out.is_empty()) {
            (true, _) if before > 0 => Err("no samples to train on by these weights".into()),
            (true, _) => Err("no samples to train on".into()),
            (_, true) => Err("no samples held out".into()),
            _ => Ok(Self {
                training,
                held_out,
                account,
            }),
        }
    }
}

/// The samples of some files, end to end.
pub(crate) fn together(sources: &[Source], filter: &Filter) -> Outcome<Samples> {
    let filter = filter.library();
    let parts = sources.iter().map(|source| {
        let samples = filtered(open::open(source)?, filter.as_ref())?;
        Ok(Part::of(source, samples))
    });
    let samples = end_to_end(parts.collect::<Outcome<Vec<_>>>()?);
    match samples.is_empty() {
        true => Err("no samples in the files".into()),
        false => Ok(samples),
    }
}

impl Part {
    fn of(source: &Source, samples: Samples) -> Self {
        Self {
            name: source.path.display().to_string(),
            weight: source.weight,
            samples,
        }
    }
}

/// Refuses a file that is named twice: held out and trained on, it would flatter.
pub(super) fn check_files(spec: &spec::Data) -> Outcome {
    let most = InterleaveOrder::MAX_WEIGHT;
    for source in &spec.training {
        if let Some(weight) = source.weight.filter(|&weight| weight > most) {
            let path = source.path.display();
            return Err(format!("{path}: weight {weight}, expected at most {most}").into());
        }
    }
    let held_out = spec.held_out.files();
    if let Some(weighted) = held_out.iter().find(|source| source.weight.is_some()) {
        let path = weighted.path.display();
        return Err(format!("{path}: only files to train on have a weight").into());
    }
    let mut seen: HashMap<PathBuf, &Path> = HashMap::new();
    for source in spec.training.iter().chain(held_out) {
        let shown = source.path.display();
        let canonical = source.path.canonicalize();
        let canonical = canonical.map_err(|error| format!("cannot read {shown}: {error}"))?;
        if seen.insert(canonical, &source.path).is_some() {
            return Err(format!("{shown}: named twice").into());
        }
    }
    Ok(())
}

type Parts = [Samples; 2];

/// A file cut in two at the start of a game.
fn split(
    source: &Source,
    samples: Samples,
    share: f64,
    by: HeldOutBy,
    account: &mut Account,
) -> Outcome<(FileAccount, Parts)> {
    let path = source.path.display();
    let split = match by {
        HeldOutBy::Games => Split::last_games(&*samples, share),
        HeldOutBy::Records => return split_records(source, samples, share, account),
    };
    match split {
        Ok(split) => {
            let (mut file, parts) = whole(source, samples, split.train, split.held_out)?;
            file.games = Some([split.games, split.held_out_games]);
            Ok((file, parts))
        }
        Err(error @ SplitError::NotByGame { index, .. }) => {
            // What is no record at all tells nothing.
            let gathered = samples.gather(&[index], &mut Vec::new());
            gathered.map_err(|error| format!("{path}: {}", crate::chain(&error)))?;
            Err(
                format!("{path}: {error}; hold out a file, or records by --held-out-by records")
                    .into(),
            )
        }
        Err(error) => Err(format!("{path}: {error}").into()),
    }
}

fn split_records(
    source: &Source,
    samples: Samples,
    share: f64,
    account: &mut Account,
) -> Outcome<(FileAccount, Parts)> {
    let path = source.path.display();
    if !(share > 0.0 && share < 1.0) {
        return Err(format!("{path}: {}", SplitError::Share { found: share }).into());
    }
    account.warnings.push(format!(
        "{path} is split by records: games may be on both sides, and the loss held out will look \
         better than it is"
    ));
    let len = samples.len();
    let held_out = ((len as f64 * share).round() as u64).clamp(1, len.max(1));
    whole(
        source,
        samples,
        0..len - held_out.min(len),
        len - held_out.min(len)..len,
    )
}

/// A file's two parts.
fn whole(
    source: &Source,
    samples: Samples,
    training: Range<u64>,
    held_out: Range<u64>,
) -> Outcome<(FileAccount, Parts)> {
    let file = FileAccount {
        path: source.path.clone(),
        weight: source.weight,
        samples: samples.len(),
        games: None,
        training_samples: 0,
        held_out_samples: 0,
        filtered_out: 0,
    };
    let part =
        |range| -> Outcome<Samples> { Ok(Arc::new(Slice::new(Arc::clone(&samples), range)?)) };
    Ok((file, [part(training)?, part(held_out)?]))
}

/// Filters the parts of a file and puts them into the sets.
fn add(
    mut file: FileAccount,
    parts: Parts,
    filter: Option<&ops::Filter>,
    account: &mut Account,
    sets: [&mut Vec<Part>; 2],
) -> Outcome {
    let before: u64 = parts.iter().map(|part| part.len()).sum();
    let mut counts = [0, 0];
    for ((part, set), count) in parts.into_iter().zip(sets).zip(&mut counts) {
        let was_empty = part.is_empty();
        let name = file.path.display().to_string();
        let samples = filtered(part, filter).map_err(|error| format!("{name}: {error}"))?;
        if !was_empty && samples.is_empty() {
            return Err(format!("{name}: the filter leaves nothing of {before} samples").into());
        }
        *count = samples.len();
        if !was_empty {
            let weight = file.weight;
            set.push(Part {
                name,
                weight,
                samples,
            });
        }
    }
    [file.training_samples, file.held_out_samples] = counts;
    file.filtered_out = before - counts.iter().sum::<u64>();
    account.files.push(file);
    Ok(())
}

fn filtered(samples: Samples, filter: Option<&ops::Filter>) -> Outcome<Samples> {
    let Some(filter) = filter else {
        return Ok(samples);
    };
    let filtered = Filtered::new(samples, |labelled| filter.keeps(labelled));
    Ok(Arc::new(filtered.map_err(|error| crate::chain(&error))?))
}

/// Mixed by weight where there is one, end to end otherwise.
fn mixed(parts: Vec<Part>) -> Outcome<Samples> {
    if parts.iter().all(|part| part.weight.is_none()) {
        return Ok(end_to_end(parts));
    }
    let parts = parts
        .into_iter()
        .map(|part| (part.name, part.samples, part.weight.unwrap_or(1)));
    Ok(Arc::new(Interleaved::new(parts)?))
}

fn end_to_end(parts: Vec<Part>) -> Samples {
    let parts = parts.into_iter().map(|part| (part.name, part.samples));
    Arc::new(Concat::named(parts))
}
