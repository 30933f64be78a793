//! What the engine asks about positions.

use std::sync::Arc;

use chess_nnue::Network;
use chess_nnue::selfplay::{Evaluation, HandWritten, NetworkEvaluation};

/// The value of `EvalFile` for the network that is part of the crate.
pub(crate) const BUILTIN: &str = "<builtin>";
/// And that for the rules.
pub(crate) const HAND_WRITTEN: &str = "<hand-written>";

/// A network, or rules.
#[derive(Clone)]
pub(crate) enum Evaluator {
    HandWritten,
    Network(Arc<Network>),
}

impl Evaluator {
    /// By the value of `EvalFile`; the two names may stand without their brackets.
    pub(crate) fn open(value: &str) -> Result<Self, String> {
        match value {
            BUILTIN | "builtin" | "" => Ok(Self::Network(Arc::new(chess_nnue::builtin()))),
            HAND_WRITTEN | "hand-written" => Ok(Self::HandWritten),
            path => match Network::load(path) {
                Ok(network) => Ok(Self::Network(Arc::new(network))),
                Err(error) => Err(format!("EvalFile {path} cannot be used: {error}")),
            },
        }
    }

    pub(crate) fn boxed(&self) -> Box<dyn Evaluation + Send> {
        match self {
            Self::HandWritten => Box::new(HandWritten::new()),
            Self::Network(network) => Box::new(NetworkEvaluation::new(network.clone())),
        }
    }

    /// A few words about it.
    pub(crate) fn description(&self) -> String {
        match self {
            Self::HandWritten => "evaluation by hand".into(),
            Self::Network(network) => format!(
                "network {:016x} of {} hidden values, {}",
                network.fingerprint(),
                network.architecture().hidden(),
                network.backend()
            ),
        }
    }
}
