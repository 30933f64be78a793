//! An engine around the network: it plays itself, and its games train the next network.
//!
//! [`Search`] is the engine; [`NetworkEvaluation`] and [`HandWritten`] are what it may ask about a
//! position. All of it stands on [cozy-chess](https://github.com/analog-hors/cozy-chess) (MIT).
//!
//! ```
//! use chess_nnue::selfplay::{HandWritten, Limits, Search};
//! use cozy_chess::Board;
//!
//! let mut search = Search::new(HandWritten::new(), 1 << 20);
//! let fool = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
//! let board: Board = fool.parse().unwrap();
//! let found = search.search(&board, &[], Limits::new().nodes(2_000));
//! assert_eq!(found.best, "d8h4".parse().ok());
//! assert_eq!(chess_nnue::selfplay::mate_in_moves(found.score), Some(1));
//! ```

mod any_evaluation;
mod evaluation;
mod games;
#[cfg(feature = "train")]
mod generations;
mod hand_written;
mod matches;
mod score;
mod search;

pub use any_evaluation::AnyEvaluation;
pub use evaluation::{Evaluation, NetworkEvaluation};
pub use games::{
    Adjudication, ChunkFormat, Datagen, DatagenError, Ended, GameStatistics, PlayedGame,
    PlayedMove, Starts,
};
#[cfg(feature = "train")]
pub use generations::{
    EpochLosses, Generation, Generations, GenerationsError, Meeting, Plan, PlanError, Progress,
    Report,
};
pub use hand_written::HandWritten;
pub use matches::{Effort, Elo, Match, MatchError, Pairs, Player, Sprt, Verdict};
pub use score::{EVALUATION_LIMIT, MATE, MAX_PLY, is_mate, mate_in_moves};
pub use search::{Clock, Found, Limits, Search};
