//! Files of datasets on the hub: listed, and downloaded whole.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use chess_tokens::corpus::hub::{Hub, HubEvent};
//!
//! let hub = Hub::from_env("Lichess/standard-chess-games")?;
//! println!("{}", hub.token_source());
//! let mut watch = |_: &HubEvent<'_>| ControlFlow::Continue(());
//! let files = hub.list("data/year=2025/month=05", &mut watch)?;
//! hub.download(&files[0], files[0].name(), &mut watch)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whole files it is, as many small parts are what hubs limit. A status 429 or 5xx, a dropped connection
//! and a silence of 120 s are tried again, 8 times; the wait doubles from 500 ms and is as long as the
//! server asks for in `Retry-After` or `RateLimit`. Attempts count anew after each MiB of a file.
//!
//! The commit that the first answer names is pinned: later requests ask for it, and an answer of
//! another one is an error. Redirects are followed by hand, so that the token is seen by the hub alone,
//! and never from https to http.

mod builder;
mod download;
mod error;
#[doc(hidden)]
pub mod headers;
mod listing;
mod request;
mod retry;
mod token;
mod url;

use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ureq::Agent;

pub use builder::{HubBuilder, HubConfigError};
pub use error::{HubError, Trouble};
pub use listing::{HubFile, Listing, ListingError};
pub use retry::{Clock, SystemClock};
pub use token::TokenSource;

use request::{all, is_commit};
use retry::Failure;
use token::Token;
use url::{Url, encode_name, encode_path};

/// What a client reports to, for each piece that comes and ten times a second while it waits. The call
/// stops when it breaks. It is not asked while a server is silent, which lasts no longer than the
/// [timeout](HubBuilder::timeout); ending the process at such a moment loses nothing.
pub type Watch<'a> = dyn FnMut(&HubEvent<'_>) -> ControlFlow<()> + 'a;

/// What a client is doing.
#[derive(Debug)]
#[non_exhaustive]
pub enum HubEvent<'a> {
    /// A file grows.
    Received {
        /// How many bytes of it are there.
        bytes: u64,
        /// How long it will be.
        size: u64,
    },
    /// A file is compared with its hash.
    Checking {
        /// How many bytes of it were compared.
        bytes: u64,
        /// How long it is.
        size: u64,
    },
    /// An attempt failed, and another one is waited for.
    Waiting {
        /// For how long.
        left: Duration,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How many there may be.
        attempts: u32,
        /// What went wrong.
        trouble: &'a Trouble,
    },
}

/// A dataset on the hub, at a revision.
pub struct Hub {
    agent: Agent,
    settings: Arc<Settings>,
    /// The commit of the revision, once an answer has named it.
    commit: Mutex<Option<String>>,
}

struct Settings {
    endpoint: Url,
    repo: String,
    revision: String,
    token: Option<Token>,
    source: TokenSource,
    attempts: u32,
    first_delay: Duration,
    longest_wait: Duration,
    clock: Arc<dyn Clock>,
}

impl Hub {
    /// A dataset, at its revision `main`, with the endpoint and the token of the environment.
    ///
    /// # Errors
    ///
    /// As [`HubBuilder::build`].
    pub fn from_env(repo: impl Into<String>) -> Result<Self, HubConfigError> {
        Self::builder(repo).build()
    }

    /// Tells how a dataset, such as `Lichess/standard-chess-games`, is asked for.
    pub fn builder(repo: impl Into<String>) -> HubBuilder {
        HubBuilder::new(repo.into())
    }

    /// The dataset's name.
    #[must_use]
    pub fn repo(&self) -> &str {
        &self.settings.repo
    }

    /// The revision, as given.
    #[must_use]
    pub fn revision(&self) -> &str {
        &self.settings.revision
    }

    /// As whom it is asked.
    #[must_use]
    pub fn token_source(&self) -> &TokenSource {
        &self.settings.source
    }

    /// The commit of the revision, once an answer has named it.
    #[must_use]
    pub fn commit(&self) -> Option<String> {
        self.lock_commit().clone()
    }

    /// The same dataset at a commit, or with none pinned yet.
    #[must_use]
    pub fn pinned_to(&self, commit: Option<&str>) -> Self {
        Self {
            agent: self.agent.clone(),
            settings: Arc::clone(&self.settings),
            commit: Mutex::new(commit.map(Into::into)),
        }
    }

    /// The files below a folder, in the order of their paths. Nothing but the list is downloaded.
    ///
    /// # Errors
    ///
    /// A [`HubError`].
    pub fn list(&self, folder: &str, watch: &mut Watch<'_>) -> Result<Vec<HubFile>, HubError> {
        let folder = folder.trim_matches('/');
        let first = self.list_url(folder);
        let mut listing = Listing::new(folder);
        let mut next = Some(first.clone());
        for _ in 0..Listing::MAX_PAGES {
            let Some(url) = next else {
                let finished = listing.finish();
                return finished.map_err(|error| self.failed(&first, 1, error.into()));
            };
            let (page, following) = self.retry(&url, watch, |_| self.page(&url))?;
            let added = listing.add_page(&page);
            added.map_err(|error| self.failed(&first, 1, error.into()))?;
            next = following;
        }
        let most = Listing::MAX_PAGES;
        Err(self.failed(&first, 1, ListingError::Pages { most }.into()))
    }

    /// A page of a list, and where it goes on.
    fn page(&self, url: &Url) -> Result<(Vec<u8>, Option<Url>), Failure> {
        let longest = Listing::MAX_PAGE_BYTES;
        let response = self.open(url, 0, None)?;
        let next = match all(response.headers(), "link").find_map(headers::next_link) {
            None => None,
            Some(link) => Some(url.join(link).map_err(|_| Trouble::Redirect {
                to: link.chars().take_while(|&char| char != '?').collect(),
                why: "it leads to no address of https or http",
            })?),
        };
        let expected = response.body().content_length().unwrap_or_default();
        let mut page = Vec::new();
        let reader = response.into_body().into_reader();
        let read = reader.take(longest + 1).read_to_end(&mut page);
        read.map_err(|error| Trouble::Dropped {
            received: page.len() as u64,
            expected,
            said: error.to_string(),
        })?;
        if page.len() as u64 > longest {
            return Err(Trouble::from(ListingError::Long { longest }).into());
        }
        Ok((page, next))
    }

    /// Pins the commit by asking about a file, of which nothing is downloaded. The hub may name none.
    ///
    /// # Errors
    ///
    /// A [`HubError`].
    pub fn pin(&self, path: &str, watch: &mut Watch<'_>) -> Result<Option<String>, HubError> {
        if self.commit().is_none() {
            let url = self.file_url(path);
            self.retry(&url, watch, |_| {
                let response = self.ask(&url, 0)?;
                match response.status().as_u16() {
                    200..=399 => Ok(()),
                    _ => Err(self.refused(response)),
                }
            })?;
        }
        Ok(self.commit())
    }

    fn list_url(&self, folder: &str) -> Url {
        let repo = &self.settings.repo;
        let folder = match folder {
            "" => String::new(),
            folder => format!("/{}", encode_path(folder)),
        };
        let revision = self.asked_revision();
        self.url(&format!(
            "api/datasets/{repo}/tree/{revision}{folder}?recursive=true"
        ))
    }

    fn file_url(&self, path: &str) -> Url {
        let (repo, revision) = (&self.settings.repo, self.asked_revision());
        let path = encode_path(path);
        self.url(&format!("datasets/{repo}/resolve/{revision}/{path}"))
    }

    fn url(&self, path: &str) -> Url {
        self.settings.endpoint.below(path)
    }

    /// The commit, or the revision while there is none, as a part of an address.
    fn asked_revision(&self) -> String {
        let commit = self.commit().filter(|commit| is_commit(commit));
        commit.unwrap_or_else(|| encode_name(&self.settings.revision))
    }

    fn lock_commit(&self) -> MutexGuard<'_, Option<String>> {
        self.commit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without the token.
impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub")
            .field("endpoint", &self.settings.endpoint.to_string())
            .field("repo", &self.settings.repo)
            .field("revision", &self.settings.revision)
            .field("token", &self.settings.source)
            .field("commit", &self.commit())
            .finish_non_exhaustive()
    }
}
