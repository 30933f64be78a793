//! Who plays, from the command line.

use std::path::Path;
use std::sync::Arc;

use chess_nnue::Network;
use chess_nnue::selfplay::{Evaluation, HandWritten, NetworkEvaluation};

use crate::Outcome;

/// The name of the evaluation by rules.
const HAND_WRITTEN: &str = "hand-written";

/// A network, or rules.
#[derive(Clone)]
pub(super) enum Named {
    HandWritten,
    Network(Arc<Network>),
}

impl Named {
    /// The network of a file, or the rules where the text is `hand-written`.
    pub(super) fn open(text: &str) -> Outcome<Self> {
        if text == HAND_WRITTEN {
            return Ok(Self::HandWritten);
        }
        let network = Network::load(Path::new(text));
        let network = network.map_err(|error| {
            format!("{error}; the evaluation by rules is called {HAND_WRITTEN}")
        })?;
        Ok(Self::Network(Arc::new(network)))
    }

    /// What tells it from others: of a network its fingerprint.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::HandWritten => HAND_WRITTEN.into(),
            Self::Network(network) => format!("{:016x}", network.fingerprint()),
        }
    }

    pub(super) fn evaluation(&self) -> Box<dyn Evaluation> {
        match self {
            Self::HandWritten => Box::new(HandWritten::new()),
            Self::Network(network) => Box::new(NetworkEvaluation::new(network.clone())),
        }
    }
}
