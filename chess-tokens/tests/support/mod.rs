//! What several tests need.

use std::path::{Path, PathBuf};

use chess_records::Game;
use chess_tokens::pack::Meta;
use chess_tokens::tokenizer::{DecodeError, EncodeError};
use chess_tokens::{Scheme, Tokenizer};

/// A tokenizer that only says who it is: the one that a pack was made with.
pub(crate) struct Named(pub(crate) Meta);

impl Tokenizer for Named {
    fn scheme(&self) -> Scheme {
        self.0.scheme
    }

    fn vocab_size(&self) -> u32 {
        self.0.vocab_size
    }

    fn vocab_hash(&self) -> &str {
        &self.0.vocab_hash
    }

    fn name(&self, _: u16) -> Option<&str> {
        None
    }

    fn token(&self, _: &str) -> Option<u16> {
        None
    }

    fn encode(&self, _: &Game, _: &mut Vec<u16>) -> Result<(), EncodeError> {
        unreachable!("no game is encoded")
    }

    fn decode(&self, _: &[u16]) -> Result<Game, DecodeError> {
        unreachable!("no game is decoded")
    }
}

pub(crate) fn golden(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("golden").join(name)
}
