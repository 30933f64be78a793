//! Lists of files, as the hub gives them page by page.

use serde::Deserialize;
use thiserror::Error;

use crate::corpus::manifest::is_below;
use crate::corpus::{FileHash, FileHashError};

/// A file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HubFile {
    /// Its path in the dataset, with slashes.
    pub path: String,
    /// How long it is, in bytes.
    pub size: u64,
    /// Its hash, if the hub knows it: of large files.
    pub sha256: Option<FileHash>,
}

impl HubFile {
    /// A file that is not from a list.
    #[must_use]
    pub fn new(path: impl Into<String>, size: u64, sha256: Option<FileHash>) -> Self {
        Self {
            path: path.into(),
            size,
            sha256,
        }
    }

    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// Why a list of files cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListingError {
    /// The page is not what the hub gives.
    #[error("a page of it is no list of files")]
    Json(#[from] serde_json::Error),
    /// The page does not end.
    #[error("a page of it is longer than {longest} bytes")]
    Long {
        /// The longest page that is read.
        longest: u64,
    },
    /// It does not end.
    #[error("it has more than {most} pages")]
    Pages {
        /// The most pages that are read.
        most: usize,
    },
    /// It is too long.
    #[error("it has more than {most} files")]
    Files {
        /// The most files that are read.
        most: usize,
    },
    /// A file that would be put elsewhere.
    #[error("it has the file {found:?}, expected files below {folder:?}")]
    Elsewhere {
        /// The path.
        found: String,
        /// The folder that was asked for.
        folder: String,
    },
    /// A file that is listed twice.
    #[error("it has the file {found:?} twice")]
    Twice {
        /// The path.
        found: String,
    },
    /// A file without a length.
    #[error("it has no size for the file {found:?}")]
    NoSize {
        /// The path.
        found: String,
    },
    /// A file's hash that is none.
    #[error("it has the hash {found:?} for the file {file:?}")]
    Hash {
        /// The path.
        file: String,
        /// The hash.
        found: String,
        /// What is wrong.
        source: FileHashError,
    },
}

/// Files of a list, gathered page by page.
#[derive(Debug)]
pub struct Listing {
    folder: String,
    files: Vec<HubFile>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    size: Option<u64>,
    lfs: Option<LargeFile>,
}

#[derive(Deserialize)]
struct LargeFile {
    oid: String,
    size: Option<u64>,
}

impl Listing {
    /// The longest page that is read, in bytes.
    pub const MAX_PAGE_BYTES: u64 = 16 << 20;
    /// The most pages that are read.
    pub const MAX_PAGES: usize = 1_000;
    /// The most files that are read.
    pub const MAX_FILES: usize = 100_000;

    /// A list of the files below a folder.
    #[must_use]
    pub fn new(folder: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
            files: Vec::new(),
        }
    }

    /// Adds the files of a page; folders are passed over.
    ///
    /// # Errors
    ///
    /// When the page is none, or has a file that is not below the folder or cannot be right.
    pub fn add_page(&mut self, json: &[u8]) -> Result<(), ListingError> {
        let items: Vec<Item> = serde_json::from_slice(json)?;
        for item in items.into_iter().filter(|item| item.kind == "file") {
            let file = self.file(item)?;
            if self.files.len() == Self::MAX_FILES {
                let most = Self::MAX_FILES;
                return Err(ListingError::Files { most });
            }
            self.files.push(file);
        }
        Ok(())
    }

    fn file(&self, item: Item) -> Result<HubFile, ListingError> {
        let path = item.path;
        let rest = path.strip_prefix(&self.folder);
        let rest = rest.and_then(|rest| rest.strip_prefix('/'));
        if !is_below(&path) || rest.is_none() && !self.folder.is_empty() {
            return Err(ListingError::Elsewhere {
                found: path,
                folder: self.folder.clone(),
            });
        }
        let lfs_size = item.lfs.as_ref().and_then(|lfs| lfs.size);
        let Some(size) = lfs_size.or(item.size) else {
            return Err(ListingError::NoSize { found: path });
        };
        let sha256 = match item.lfs {
            None => None,
            Some(lfs) => Some(lfs.oid.parse().map_err(|source| ListingError::Hash {
                file: path.clone(),
                found: lfs.oid,
                source,
            })?),
        };
        Ok(HubFile { path, size, sha256 })
    }

    /// The files in the order of their paths.
    ///
    /// # Errors
    ///
    /// When one is listed twice.
    pub fn finish(mut self) -> Result<Vec<HubFile>, ListingError> {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let twice = self
            .files
            .windows(2)
            .find(|pair| pair[0].path == pair[1].path);
        match twice {
            Some(pair) => Err(ListingError::Twice {
                found: pair[0].path.clone(),
            }),
            None => Ok(self.files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn list(pages: &[&str]) -> Result<Vec<HubFile>, ListingError> {
        let mut listing = Listing::new("data/m");
        for page in pages {
            listing.add_page(page.as_bytes())?;
        }
        listing.finish()
    }

    #[test]
    fn pages_become_files_in_order() {
        let large = format!(
            r#"{{"type":"file","oid":"1f","size":135,"path":"data/m/b.parquet",
                "lfs":{{"oid":"{HASH}","size":1000,"pointerSize":135}},"xetHash":"x"}}"#
        );
        let pages = [
            &*format!(r#"[{{"type":"directory","oid":"2","size":0,"path":"data/m/sub"}},{large}]"#),
            r#"[{"type":"file","oid":"3","size":7,"path":"data/m/a.txt"}]"#,
            "[]",
        ];
        let expected = [
            HubFile::new("data/m/a.txt", 7, None),
            HubFile::new("data/m/b.parquet", 1000, Some(HASH.parse().unwrap())),
        ];
        let files = list(&pages).unwrap();
        assert_eq!(files, expected);
        assert_eq!(files[1].name(), "b.parquet");
    }

    #[test]
    fn lists_that_cannot_be_right() {
        let error = |pages: &[&str]| list(pages).unwrap_err().to_string();
        assert_eq!(error(&["{}"]), "a page of it is no list of files");
        assert_eq!(
            error(&["[{\"type\":\"file\"}]"]),
            "a page of it is no list of files"
        );
        let file = |path: &str| format!(r#"[{{"type":"file","size":1,"path":"{path}"}}]"#);
        for path in [
            "data/n/a",
            "data/m",
            "data/mm/a",
            "data/m/../../a",
            "/data/m/a",
            "data/m/a:b",
        ] {
            let expected = format!("it has the file {path:?}, expected files below \"data/m\"");
            assert_eq!(error(&[&file(path)]), expected);
        }
        let twice = file("data/m/a");
        assert_eq!(
            error(&[&twice, &twice]),
            "it has the file \"data/m/a\" twice"
        );
        assert_eq!(
            error(&[r#"[{"type":"file","path":"data/m/a"}]"#]),
            "it has no size for the file \"data/m/a\""
        );
        assert_eq!(
            error(&[r#"[{"type":"file","path":"data/m/a","size":1,"lfs":{"oid":"1f"}}]"#]),
            "it has the hash \"1f\" for the file \"data/m/a\""
        );
        let others = [
            (
                ListingError::Long { longest: 5 },
                "a page of it is longer than 5 bytes",
            ),
            (ListingError::Pages { most: 5 }, "it has more than 5 pages"),
        ];
        for (error, text) in others {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn lists_that_do_not_end() {
        let item = |index: usize| format!(r#"{{"type":"file","size":1,"path":"data/m/{index}"}}"#);
        let items: Vec<_> = (0..=Listing::MAX_FILES).map(item).collect();
        let error = list(&[&format!("[{}]", items.join(","))]).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 100000 files");
    }
}
