//! Who plays, from the command line.

use std::path::Path;

use chess_nnue::Network;
use chess_nnue::selfplay::AnyEvaluation;

use crate::Outcome;

/// The name of the evaluation by rules.
const HAND_WRITTEN: &str = AnyEvaluation::HAND_WRITTEN;
/// The name of the network that is part of the crate.
const BUILTIN: &str = "builtin";

/// The rules where the text is `hand-written`, the crate's own network where it is `builtin`, else the
/// network of a file.
pub(super) fn open(text: &str) -> Outcome<AnyEvaluation> {
    let network = match text {
        HAND_WRITTEN => return Ok(AnyEvaluation::HandWritten),
        BUILTIN => builtin()?,
        path => Network::load(Path::new(path)).map_err(|error| {
            format!(
                "{error}; the evaluation by rules is called {HAND_WRITTEN}, the network of the \
                 program {BUILTIN}"
            )
        })?,
    };
    Ok(network.into())
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
