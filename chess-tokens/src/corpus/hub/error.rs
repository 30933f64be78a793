//! Why something cannot be got from the hub.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::listing::ListingError;
use crate::corpus::FileHash;

/// Why something cannot be got from the hub. What was downloaded of a file stays, and the same call goes
/// on with it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubError {
    /// The server, or the way to it, does not give what was asked for.
    #[error("{url}: failed at attempt {attempt}, {access}")]
    Failed {
        /// What was asked for; without its query.
        url: String,
        /// At which attempt, from 1.
        attempt: u32,
        /// As whom: with which token, or with none.
        access: String,
        /// What went wrong at the last attempt.
        #[source]
        trouble: Box<Trouble>,
    },
    /// A file of this machine cannot be written or read.
    #[error("{}: cannot be read, written or removed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The callback asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// What can go wrong with one attempt.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The server refuses, or cannot answer now.
    #[error("the server answers with status {status} and says {said:?}")]
    Status {
        /// The status of HTTP.
        status: u16,
        /// What it says about it, or the start of that.
        said: String,
    },
    /// The server wants to be left alone for too long.
    #[error(
        "the server answers with status {status}, says {said:?} and asks to wait {} s, \
         which is longer than {} s",
        wait.as_secs(),
        longest.as_secs()
    )]
    Wait {
        /// The status of HTTP.
        status: u16,
        /// What it says about it, or the start of that.
        said: String,
        /// How long it asks to wait.
        wait: Duration,
        /// The longest time that is waited.
        longest: Duration,
    },
    /// There is no connection, or it failed before the answer.
    #[error("the connection failed: {said}")]
    Connection {
        /// Why.
        said: String,
        /// Whether another attempt may do better.
        temporary: bool,
    },
    /// The connection failed in the middle of the answer.
    #[error("the connection failed after {received} bytes of {expected}: {said}")]
    Dropped {
        /// How much of the file is there.
        received: u64,
        /// How long the file is.
        expected: u64,
        /// Why.
        said: String,
    },
    /// A redirect that is not followed.
    #[error("a redirect to {to:?} is not followed: {why}")]
    Redirect {
        /// Where it leads, without its query.
        to: String,
        /// Why.
        why: &'static str,
    },
    /// A list that is none.
    #[error("the list of files cannot be read")]
    Listing(#[from] ListingError),
    /// The answer is not the part of the file that was asked for.
    #[error("bytes from {asked} were asked for, the answer's range is {found:?}")]
    Range {
        /// The first byte that was asked for.
        asked: u64,
        /// What the answer says, if it says anything.
        found: Option<String>,
    },
    /// The file has another length.
    #[error("the file has {found} bytes, {expected} are listed")]
    Size {
        /// How long it is.
        found: u64,
        /// How long it should be.
        expected: u64,
    },
    /// The file has other bytes.
    #[error("the file's SHA-256 is {found}, {expected} is listed")]
    Hash {
        /// Its hash.
        found: FileHash,
        /// What it should be.
        expected: FileHash,
    },
    /// The dataset has changed meanwhile.
    #[error("the dataset is now at commit {found}, expected {expected}")]
    Commit {
        /// The commit of the answer.
        found: String,
        /// The one that was pinned.
        expected: String,
    },
    /// A commit that is none.
    #[error("the answer names the commit {found:?}, expected hexadecimal digits")]
    NoCommit {
        /// What it names.
        found: String,
    },
}

impl Trouble {
    /// Whether another attempt may do better, after a while.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(*status, 408 | 425 | 429 | 500..=599),
            Self::Connection { temporary, .. } => *temporary,
            Self::Dropped { .. } | Self::Range { .. } | Self::Size { .. } => true,
            _ => false,
        }
    }
}

pub(super) fn file_error(path: &Path, source: io::Error) -> HubError {
    let path = path.to_path_buf();
    HubError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let hash = FileHash::of_bytes;
        let troubles = [
            (
                Trouble::Status {
                    status: 404,
                    said: "no \"such\" repo".into(),
                },
                r#"the server answers with status 404 and says "no \"such\" repo""#,
            ),
            (
                Trouble::Wait {
                    status: 429,
                    said: "slow down".into(),
                    wait: Duration::from_secs(86_400),
                    longest: Duration::from_secs(3_600),
                },
                "the server answers with status 429, says \"slow down\" and asks to wait 86400 s, \
                 which is longer than 3600 s",
            ),
            (
                Trouble::Connection {
                    said: "host not found".into(),
                    temporary: true,
                },
                "the connection failed: host not found",
            ),
            (
                Trouble::Dropped {
                    received: 5,
                    expected: 9,
                    said: "reset".into(),
                },
                "the connection failed after 5 bytes of 9: reset",
            ),
            (
                Trouble::Redirect {
                    to: "ftp://x".into(),
                    why: "there were 5 already",
                },
                "a redirect to \"ftp://x\" is not followed: there were 5 already",
            ),
            (
                Trouble::Range {
                    asked: 7,
                    found: Some("bytes 0-8/9".into()),
                },
                "bytes from 7 were asked for, the answer's range is Some(\"bytes 0-8/9\")",
            ),
            (
                Trouble::Size {
                    found: 8,
                    expected: 9,
                },
                "the file has 8 bytes, 9 are listed",
            ),
            (
                Trouble::Hash {
                    found: hash(b"a"),
                    expected: hash(b"b"),
                },
                "the file's SHA-256 is \
                 ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb, \
                 3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d is listed",
            ),
            (
                Trouble::Commit {
                    found: "b".into(),
                    expected: "a".into(),
                },
                "the dataset is now at commit b, expected a",
            ),
            (
                Trouble::NoCommit { found: "..".into() },
                "the answer names the commit \"..\", expected hexadecimal digits",
            ),
        ];
        for (trouble, text) in troubles {
            assert_eq!(trouble.to_string(), text);
        }
    }

    #[test]
    fn what_is_tried_again() {
        let status = |status| {
            Trouble::Status {
                status,
                said: String::new(),
            }
            .is_temporary()
        };
        for again in [408, 425, 429, 500, 502, 503, 504, 599] {
            assert!(status(again), "{again}");
        }
        for never in [400, 401, 403, 404, 416, 600] {
            assert!(!status(never), "{never}");
        }
        let (found, expected) = (1, 2);
        assert!(Trouble::Size { found, expected }.is_temporary());
        let commit = String::new;
        let (found, expected) = (commit(), commit());
        assert!(!Trouble::Commit { found, expected }.is_temporary());
    }
}
