//! What the tools of the family have in common. No part of the API: it may change at any time.

pub mod interrupt;

use std::error::Error;
use std::format;
use std::io;
use std::string::{String, ToString};

/// An error and what it came from, in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text += &format!(": {error}");
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

    #[test]
    fn errors_are_looked_through() {
        let error = Outer(io::Error::new(io::ErrorKind::BrokenPipe, "gone"));
        assert_eq!(chain(&error), "cannot write: gone");
        assert!(is_broken_pipe(&error));
        assert!(!is_broken_pipe(&Outer(io::Error::other("full"))));
    }
}
