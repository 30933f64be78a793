//! Who plays, from the command line.

use std::path::Path;
use std::sync::Arc;

use chess_nnue::Network;
use chess_nnue::selfplay::{Evaluation, HandWritten, NetworkEvaluation};

use crate::Outcome;

/// The name of the evaluation by rules.
const HAND_WRITTEN: &str = "hand-written";
/// The name of the network that is part of the crate.
const BUILTIN: &str = "builtin";

/// A network, or rules.
#[derive(Clone)]
pub(super) enum Named {
    HandWritten,
    Network(Arc<Network>),
}

impl Named {
    /// The rules where the text is `hand-written`, the crate's own network where it is `builtin`, else
    /// the network of a file.
    pub(super) fn open(text: &str) -> Outcome<Self> {
        let network = match text {
            HAND_WRITTEN => return Ok(Self::HandWritten),
            BUILTIN => builtin()?,
            path => Network::load(Path::new(path)).map_err(|error| {
                format!(
                    "{error}; the evaluation by rules is called {HAND_WRITTEN}, the network of the \
                     program {BUILTIN}"
                )
            })?,
        };
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

#[cfg(feature = "builtin-net")]
#[allow(clippy::unnecessary_wraps)] // As the other one.
fn builtin() -> Outcome<Network> {
    Ok(chess_nnue::builtin())
}

#[cfg(not(feature = "builtin-net"))]
fn builtin() -> Outcome<Network> {
    Err(format!(
        "this program was built without a network of its own: the feature builtin-net has it; a file of \
         that name is ./{BUILTIN}"
    )
    .into())
}
