//! An evaluation chosen at run time.

use std::boxed::Box;
use std::format;
use std::string::String;
use std::sync::Arc;

use super::evaluation::{Evaluation, NetworkEvaluation};
use super::hand_written::HandWritten;
use crate::Network;

/// Which evaluation a player has: each thread gets one of its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyEvaluation {
    /// [`HandWritten`].
    HandWritten,
    /// A network.
    Network(Arc<Network>),
}

impl AnyEvaluation {
    /// What [`AnyEvaluation::identity`] says of the evaluation by rules.
    pub const HAND_WRITTEN: &'static str = "hand-written";

    /// An evaluation.
    #[must_use]
    pub fn evaluation(&self) -> Box<dyn Evaluation + Send> {
        match self {
            Self::HandWritten => Box::new(HandWritten::new()),
            Self::Network(network) => Box::new(NetworkEvaluation::new(Arc::clone(network))),
        }
    }

    /// What tells it from others: of a network its fingerprint, 16 hexadecimal digits.
    #[must_use]
    pub fn identity(&self) -> String {
        match self {
            Self::HandWritten => Self::HAND_WRITTEN.into(),
            Self::Network(network) => format!("{:016x}", network.fingerprint()),
        }
    }
}

impl From<Network> for AnyEvaluation {
    fn from(network: Network) -> Self {
        Self::Network(Arc::new(network))
    }
}
