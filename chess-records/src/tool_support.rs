//! What the tools of the family have in common. No part of the API: it may change at any time.

pub mod interrupt;
mod progress;

use std::error::Error;
use std::format;
use std::io;
use std::string::{String, ToString};

pub use progress::{Progress, Tracked};

/// An error and what it came from, in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string().trim_end().to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let said = error.to_string();
        // Some say what their source says.
        if !text.ends_with(said.trim_end()) {
            text += &format!(": {}", said.trim_end());
        }
        source = error.source();
    }
    text
}

/// Whether an error came from writing to somebody who reads no more.
#[must_use]
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut error = Some(error);
    while let Some(here) = error {
        let io = here.downcast_ref::<io::Error>();
        if io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        error = here.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot write")]
    struct Outer(#[source] io::Error);

    #[derive(Debug, thiserror::Error)]
    #[error("no file: {0}")]
    struct Repeating(#[source] io::Error);

    #[test]
    fn what_was_said_is_not_said_again() {
        let error = Repeating(io::Error::other("full\n"));
        assert_eq!(chain(&error), "no file: full");
        let error = Outer(io::Error::other(Repeating(io::Error::other("full"))));
        assert_eq!(chain(&error), "cannot write: no file: full");
    }

    #[test]
    fn errors_are_looked_through() {
        let error = Outer(io::Error::new(io::ErrorKind::BrokenPipe, "gone"));
        assert_eq!(chain(&error), "cannot write: gone");
        assert!(is_broken_pipe(&error));
        assert!(!is_broken_pipe(&Outer(io::Error::other("full"))));
    }
}
