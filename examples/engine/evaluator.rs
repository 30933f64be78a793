//! What the engine asks about positions, by the value of `EvalFile`.

use chess_nnue::Network;
use chess_nnue::selfplay::AnyEvaluation;

/// The value for the network that is part of the crate.
pub(crate) const BUILTIN: &str = "<builtin>";
/// And that for the rules.
pub(crate) const HAND_WRITTEN: &str = "<hand-written>";

/// The evaluation of a value; the two names may stand without their brackets.
pub(crate) fn open(value: &str) -> Result<AnyEvaluation, String> {
    match value {
        BUILTIN | "builtin" | "" => Ok(chess_nnue::builtin().into()),
        HAND_WRITTEN | "hand-written" => Ok(AnyEvaluation::HandWritten),
        path => match Network::load(path) {
            Ok(network) => Ok(network.into()),
            Err(error) => Err(format!("EvalFile {path} cannot be used: {error}")),
        },
    }
}

/// A few words about an evaluation.
pub(crate) fn description(evaluation: &AnyEvaluation) -> String {
    match evaluation {
        AnyEvaluation::Network(network) => format!(
            "network {:016x} of {} hidden values, {}",
            network.fingerprint(),
            network.architecture().hidden(),
            network.backend()
        ),
        _ => "evaluation by hand".into(),
    }
}
