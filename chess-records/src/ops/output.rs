//! Where a result goes, and what it must not hit.

use std::fs;
use std::path::{Path, PathBuf};

use super::FilesError;
use super::scratch::has_state;
use crate::AtomicFile;
use crate::atomic::{check_target, folder};

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    path: PathBuf,
    replace: bool,
}

impl Output {
    /// A new file; one that exists already is refused.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            replace: false,
        }
    }

    /// A file that takes the place of an existing one.
    #[must_use]
    pub fn replacing(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            replace: true,
        }
    }

    /// Where the file will stand.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the file may be written, and that it is none of `inputs`; touches nothing.
    ///
    /// # Errors
    ///
    /// [`FilesError::OutputIsInput`], [`FilesError::Exists`], or [`FilesError::Output`] for a folder
    /// or a symbolic link.
    pub fn check<'a>(&self, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), FilesError> {
        if let Some(input) = inputs
            .into_iter()
            .find(|input| same_file(input, &self.path))
        {
            return Err(FilesError::OutputIsInput {
                output: self.path.clone(),
                input: input.to_path_buf(),
            });
        }
        check_target(&self.path)?;
        if !self.replace && fs::symlink_metadata(&self.path).is_ok() {
            let path = self.path.clone();
            return Err(FilesError::Exists { path });
        }
        Ok(())
    }

    /// Whether a run that writes this file was interrupted and left something to go on with. The next
    /// goes on if its work is the same, and else begins anew.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        has_state(&self.path)
    }

    /// Checks as [`Output::check`] does, and begins the file.
    ///
    /// # Errors
    ///
    /// As [`Output::check`], and when no file can be made beside the output.
    pub fn create<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<AtomicFile, FilesError> {
        self.check(inputs)?;
        Ok(AtomicFile::create(&self.path)?)
    }
}

/// Refuses outputs that are the same file.
pub(super) fn refuse_twice(outputs: &[&Output]) -> Result<(), FilesError> {
    for (index, output) in outputs.iter().enumerate() {
        let mut before = outputs[..index].iter();
        if before.any(|other| same_place(&other.path, &output.path)) {
            let path = output.path.clone();
            return Err(FilesError::OutputTwice { path });
        }
    }
    Ok(())
}

/// Whether two paths lead to one existing file.
fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b || same_inode(&a, &b),
        _ => false,
    }
}

#[cfg(unix)]
fn same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Elsewhere hard links are not told; renaming over one leaves the other whole.
#[cfg(not(unix))]
fn same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// Whether two paths, of files that need not exist, are one place.
fn same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        (
            fs::canonicalize(folder(path)).ok(),
            path.file_name().map(Into::into),
        )
    };
    let (a_place, b_place): ((_, Option<PathBuf>), (_, Option<PathBuf>)) = (place(a), place(b));
    a == b || same_file(a, b) || a_place.0.is_some() && a_place == b_place
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn inputs_are_told_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("in"), "x").unwrap();
        fs::hard_link(path("in"), path("hard")).unwrap();
        let mut names = std::vec![path("in"), path("../").join(folder.path()).join("in")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("in", path("soft")).unwrap();
            names.extend([path("soft"), path("hard")]);
        }
        for output in names {
            let error = Output::replacing(&output).check([path("in").as_path()]);
            assert_eq!(
                error.unwrap_err().to_string(),
                std::format!(
                    "{}: is also an input, as {}",
                    output.display(),
                    path("in").display()
                )
            );
        }
        assert!(
            Output::new(path("out"))
                .check([path("in").as_path()])
                .is_ok()
        );
    }

    #[test]
    fn existing_files_are_replaced_only_when_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "x").unwrap();
        let error = Output::new(&path).create([]).unwrap_err();
        assert_eq!(
            error.to_string(),
            std::format!("{}: exists already", path.display())
        );
        assert!(Output::replacing(&path).check([]).is_ok());
        assert!(Output::replacing(folder.path()).check([]).is_err());
    }

    #[test]
    fn outputs_differ() {
        let folder = tempfile::tempdir().unwrap();
        let one = Output::new(folder.path().join("a"));
        let same = Output::new(folder.path().join(".").join("a"));
        let other = Output::new(folder.path().join("b"));
        assert!(refuse_twice(&[&one, &other]).is_ok());
        assert!(matches!(
            refuse_twice(&[&one, &other, &same]),
            Err(FilesError::OutputTwice { .. })
        ));
    }
}
