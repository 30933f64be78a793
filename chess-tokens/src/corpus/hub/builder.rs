//! How the hub is asked.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use thiserror::Error;
use ureq::Agent;

use super::retry::{Clock, SystemClock};
use super::token::{self, Token, TokenSource};
use super::url::Url;
use super::{Hub, Settings};

/// The public hub.
const ENDPOINT: &str = "https://huggingface.co";

/// Why the hub cannot be asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubConfigError {
    /// The endpoint is no address.
    #[error("endpoint: {why}")]
    Endpoint {
        /// Why.
        why: String,
    },
    /// The dataset has no such name.
    #[error("dataset {found:?}, expected an owner and a name, like Lichess/standard-chess-games")]
    Repo {
        /// The name.
        found: String,
    },
    /// There is no such revision.
    #[error("revision {found:?}, expected a branch, a tag or a commit")]
    Revision {
        /// The revision.
        found: String,
    },
    /// A token that is none.
    #[error("{from}: it has characters that no header can carry")]
    Token {
        /// Where it is from.
        from: String,
    },
    /// The token file cannot be read.
    #[error("{}: cannot be read", path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Looks a variable of the environment up.
type Variable = dyn Fn(&str) -> Option<OsString>;

/// Tells how a dataset of the hub is asked for.
#[must_use]
pub struct HubBuilder {
    repo: String,
    revision: String,
    endpoint: Option<String>,
    token: Option<Option<String>>,
    environment: Box<Variable>,
    attempts: u32,
    first_delay: Duration,
    longest_wait: Duration,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

impl HubBuilder {
    pub(super) fn new(repo: String) -> Self {
        Self {
            repo,
            revision: "main".into(),
            endpoint: None,
            token: None,
            environment: Box::new(|name| env::var_os(name)),
            attempts: 8,
            first_delay: Duration::from_millis(500),
            longest_wait: Duration::from_secs(3600),
            timeout: Duration::from_secs(120),
            clock: Arc::new(SystemClock),
        }
    }

    /// A branch, a tag or a commit; `main` otherwise.
    pub fn revision(mut self, revision: impl Into<String>) -> Self {
        self.revision = revision.into();
        self
    }

    /// The address of the hub; otherwise that of `HF_ENDPOINT`, or the public hub's.
    pub fn endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        self
    }

    /// The token, or none; otherwise that of `HF_TOKEN`, or of the file `token` in the folder `HF_HOME`
    /// (or `huggingface` in the user's cache folder), or none.
    pub fn token(mut self, token: Option<String>) -> Self {
        self.token = Some(token);
        self
    }

    /// The environment, if it is not that of the process.
    pub fn environment(mut self, variable: impl Fn(&str) -> Option<OsString> + 'static) -> Self {
        self.environment = Box::new(variable);
        self
    }

    /// How often something is tried without success: 8 times. 0 is as 1.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// How long is waited after the first attempt: 500 ms. Each delay is twice the one before, and at
    /// least as long as the server asks for.
    pub const fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// The longest wait: an hour. A server that asks for more has failed.
    pub const fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How long the server may be silent, while connecting and before each piece of an answer: 120 s.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Another time than the system's.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The client. Nothing is asked yet.
    ///
    /// # Errors
    ///
    /// When the dataset's name, the revision, the endpoint or the token cannot be right, or the token
    /// file cannot be read.
    pub fn build(self) -> Result<Hub, HubConfigError> {
        let endpoint = self.find_endpoint()?;
        let (token, source) = match &self.token {
            None => token::find(&self.environment)?,
            Some(None) => (None, TokenSource::Anonymous),
            Some(Some(text)) => {
                let source = TokenSource::Given;
                (Some(Token::new(text, &source)?), source)
            }
        };
        if !is_repo(&self.repo) {
            return Err(HubConfigError::Repo { found: self.repo });
        }
        if !is_revision(&self.revision) {
            let found = self.revision;
            return Err(HubConfigError::Revision { found });
        }
        Ok(Hub {
            agent: agent(self.timeout, endpoint.is_loopback()),
            settings: Arc::new(Settings {
                endpoint,
                repo: self.repo,
                revision: self.revision,
                token,
                source,
                attempts: self.attempts,
                first_delay: self.first_delay,
                longest_wait: self.longest_wait,
                clock: self.clock,
            }),
            commit: Mutex::new(None),
        })
    }

    fn find_endpoint(&self) -> Result<Url, HubConfigError> {
        let variable = || {
            let value = (self.environment)("HF_ENDPOINT");
            let value = value.filter(|value| !value.is_empty())?;
            Some(value.to_string_lossy().into_owned())
        };
        let text = self.endpoint.clone().or_else(variable);
        let text = text.as_deref().unwrap_or(ENDPOINT).trim_end_matches('/');
        Url::parse(text).map_err(|error| HubConfigError::Endpoint {
            why: error.to_string(),
        })
    }
}

fn agent(timeout: Duration, is_loopback: bool) -> Agent {
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .accept_encoding("identity")
        .user_agent(concat!("chess-tokens/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(timeout))
        .timeout_recv_response(Some(timeout))
        .timeout_per_read(Some(timeout))
        .timeout_per_write(Some(timeout));
    if is_loopback {
        config = config.proxy(None);
    }
    config.build().into()
}

/// Names of the hub: an owner and a name of letters, digits, `-`, `_` and `.`.
fn is_repo(text: &str) -> bool {
    let mut parts = text.split('/');
    let is_name = |part: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_allowed)
    };
    parts.clone().count() == 2 && parts.all(is_name)
}

fn is_revision(text: &str) -> bool {
    let is_allowed = |char: char| !char.is_control() && !char.is_whitespace();
    !text.is_empty() && text.len() <= 200 && text.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(repo: &str) -> HubBuilder {
        Hub::builder(repo).environment(|_| None)
    }

    fn error(builder: HubBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_right() {
        for repo in ["", "a", "a/b/c", "a/", "/b", "a/..", "a/b?c", "a b/c"] {
            let expected = format!(
                "dataset {repo:?}, expected an owner and a name, like Lichess/standard-chess-games"
            );
            assert_eq!(error(builder(repo)), expected);
        }
        assert_eq!(
            error(builder("a/b").revision("a b")),
            "revision \"a b\", expected a branch, a tag or a commit"
        );
        assert_eq!(
            error(builder("a/b").endpoint("hub")),
            "endpoint: expected an address that begins with https:// or http://"
        );
        assert_eq!(
            error(builder("a/b").token(Some("é".into()))),
            "with the token that was given: it has characters that no header can carry"
        );
    }

    #[test]
    fn endpoints_in_their_order() {
        let of = |name: &str| (name == "HF_ENDPOINT").then(|| "http://env/".into());
        let hub = |builder: HubBuilder| builder.build().unwrap().settings.endpoint.to_string();
        assert_eq!(hub(builder("a/b")), "https://huggingface.co/");
        assert_eq!(hub(builder("a/b").environment(of)), "http://env/");
        let given = builder("a/b").environment(of).endpoint("http://given");
        assert_eq!(hub(given), "http://given/");
    }
}
