//! What the tool keeps in a run's folder beside what [`RunFolder`] does.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use chess_nnue::train::RunFolder;

use super::files::{self, KnownFile};
use super::spec::Spec;
use crate::{Outcome, output_file};

/// The configuration as it was given.
pub(crate) const GIVEN: &str = "given.toml";
/// The configuration with nothing left open; a folder with this file holds a run.
pub(crate) const RESOLVED: &str = "resolved.toml";
/// What the files of samples are known by.
pub(crate) const FILES: &str = "files.json";
pub(crate) const METRICS: &str = "metrics.jsonl";
pub(crate) const REPORT: &str = "report.md";
pub(crate) const LOSSES: &str = "losses.svg";
pub(crate) const CALIBRATION: &str = "calibration.svg";
/// The network when the run is over.
pub(crate) const NETWORK: &str = "network.nnue";
/// Its parameters in floating point.
pub(crate) const PARAMETERS: &str = "parameters.safetensors";

/// What a process that was killed while it began may leave.
const OF_A_BEGINNING: [&str; 3] = ["lock", GIVEN, FILES];

/// Refuses a folder with anything in it.
pub(crate) fn check_free(path: &Path) -> Outcome {
    let shown = path.display();
    if path.join(RESOLVED).exists() {
        return Err(format!(
            "{shown} holds a run already: go on with it by `chess-nnue resume`, or name another folder"
        )
        .into());
    }
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| format!("cannot use {shown}: {error}"))?,
    };
    for entry in entries {
        let name = entry?.file_name();
        let is_beginning = OF_A_BEGINNING.iter().any(|ours| name == *ours);
        if !is_beginning && !is_temporary(&name) {
            return Err(format!("{shown} is not empty, a run needs a folder of its own").into());
        }
    }
    Ok(())
}

/// Opens the folder of a run and removes what a killed process left half written.
pub(crate) fn open(path: &Path) -> Outcome<RunFolder> {
    let folder = RunFolder::open(path)?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if is_temporary(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(folder)
}

/// Whether a file is what an unfinished one of the tool's is called.
fn is_temporary(name: &OsStr) -> bool {
    let ours = [
        GIVEN,
        RESOLVED,
        FILES,
        REPORT,
        LOSSES,
        CALIBRATION,
        NETWORK,
        PARAMETERS,
    ];
    let target = name.to_str().and_then(|name| name.strip_prefix('.'));
    target.is_some_and(|target| {
        target.ends_with(".tmp") && ours.iter().any(|ours| target.starts_with(ours))
    })
}

/// Makes the folder of a run.
pub(crate) fn begin(
    path: &Path,
    given: &str,
    known: &[KnownFile],
    resolved: &Spec,
) -> Outcome<RunFolder> {
    let folder = open(path)?;
    // Now that no other process can: one may have begun and ended a run during the work before.
    check_free(path)?;
    let given = format!("# {}\n\n{given}", command_line());
    write(path, GIVEN, given.as_bytes())?;
    files::write(&path.join(FILES), known)?;
    // The last one: from now on the folder holds a run.
    write(path, RESOLVED, resolved.to_toml()?.as_bytes())?;
    Ok(folder)
}

/// The configuration of the run in a folder.
pub(crate) fn read_spec(path: &Path) -> Outcome<Spec> {
    let resolved = path.join(RESOLVED);
    if !resolved.exists() {
        let shown = path.display();
        return Err(format!("{shown} holds no run, {RESOLVED} is not there").into());
    }
    let (mut spec, _) = Spec::read(&resolved)?;
    // The folder may have been moved.
    spec.out = Some(PathBuf::from(path));
    Ok(spec)
}

/// Writes a file of the folder over an older one.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Outcome {
    output_file::write(&folder.join(name), bytes, true)
}

/// As it was typed, near enough, on one line.
fn command_line() -> String {
    // Arguments need not be text.
    let arguments = std::env::args_os();
    let quoted = arguments.map(|argument| quoted(&argument.to_string_lossy()));
    quoted.collect::<Vec<_>>().join(" ")
}

/// An argument as a shell takes it, on one line.
pub(crate) fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || r"-_./:=,\".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\n', " ").replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_never_begun_over_another() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let spec = Spec::default();
        drop(begin(&path, "first", &[], &spec).unwrap());
        let again = begin(&path, "second", &[], &spec).unwrap_err().to_string();
        assert!(again.contains("holds a run already"), "{again}");
        let given = fs::read_to_string(path.join(GIVEN)).unwrap();
        assert!(given.ends_with("first"), "{given}");
        // As a process that was killed while it began leaves it.
        fs::remove_file(path.join(RESOLVED)).unwrap();
        drop(begin(&path, "third", &[], &spec).unwrap());
    }

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        for plain in ["runs/first", "--seed=1", r"C:\runs\first"] {
            assert_eq!(quoted(plain), plain);
        }
        assert_eq!(quoted("my runs/1"), "'my runs/1'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
