//! What a stage reads.

use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{InputFile, Manifest, ManifestError, Month};

/// A file that a stage reads: where it is, and what it is told by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageInput {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called in manifests, its length and its hash.
    pub file: InputFile,
}

impl StageInput {
    /// What another stage has finished of a month. Its hash is that in the manifest.
    ///
    /// # Errors
    ///
    /// When the stage is not finished, or a file of it is not there any more.
    pub fn of_month(stage: &Path, month: Month) -> Result<Vec<Self>, ManifestError> {
        Self::of_folder(&month.folder(stage), &label(stage, &month.partition()))
    }

    /// What another stage has finished in a folder without months.
    ///
    /// # Errors
    ///
    /// As [`of_month`](Self::of_month).
    pub fn of_stage(stage: &Path) -> Result<Vec<Self>, ManifestError> {
        Self::of_folder(stage, &label(stage, ""))
    }

    fn of_folder(folder: &Path, label: &str) -> Result<Vec<Self>, ManifestError> {
        let manifest = Manifest::finished(folder)?;
        let games = manifest.files.iter();
        let games = games.filter(|file| file.name.ends_with(".parquet"));
        let input = |file: &crate::corpus::OutputFile| Self {
            path: folder.join(&file.name),
            file: file.as_input(format!("{label}{}", file.name)),
        };
        Ok(games.map(input).collect())
    }

    /// The Parquet files of a month that lie in the hub's layout, in the order of their names.
    ///
    /// # Errors
    ///
    /// When there are none, or they cannot be read.
    pub fn of_raw_month(folder: &Path, month: Month) -> Result<Vec<Self>, ManifestError> {
        let folder = month.folder(folder);
        let error = |source| ManifestError::Read {
            path: folder.clone(),
            source,
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(error)? {
            let path = entry.map_err(error)?.path();
            if path.extension().is_some_and(|found| found == "parquet") {
                files.push(path);
            }
        }
        if files.is_empty() {
            return Err(ManifestError::NoParquet { path: folder });
        }
        files.sort();
        files.into_iter().map(Self::of_file).collect()
    }

    /// Any file, which is read through for its hash. It is called by its own name and that of its
    /// folder.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn of_file(path: impl Into<PathBuf>) -> Result<Self, ManifestError> {
        let path = path.into();
        let label = crate::pack::source_label(&path, None);
        let file = InputFile::read(label, &path)?;
        Ok(Self { path, file })
    }
}

fn label(stage: &Path, partition: &str) -> String {
    let name = stage.file_name().unwrap_or_default().to_string_lossy();
    match partition {
        "" => format!("{name}/"),
        partition => format!("{name}/{partition}/"),
    }
}

/// The paths of inputs.
pub(super) fn paths(inputs: &[StageInput]) -> Vec<PathBuf> {
    inputs.iter().map(|input| input.path.clone()).collect()
}

/// The inputs as manifests tell of them.
pub(in crate::corpus) fn files(inputs: &[StageInput]) -> impl Iterator<Item = InputFile> + '_ {
    inputs.iter().map(|input| input.file.clone())
}
