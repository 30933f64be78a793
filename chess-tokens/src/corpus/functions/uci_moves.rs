//! `uci_moves(movetext)`.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use std::thread;

use chess_records::pgn::movetext_moves;
use datafusion::arrow::array::{Array, ArrayRef, StringViewArray, StringViewBuilder};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
};

use super::arguments::{Arguments, of_one_text};
use super::documentation::documentation;

/// Fewer games are not worth a thread.
const LEAST_GAMES: usize = 64;

/// The SQL function `uci_moves(movetext)`: the moves of a game in UCI's notation, apart by a space;
/// null where a move is not legal or the text is no movetext.
///
/// Comments, variations, numbers of moves and annotations are left out. The game begins at the usual
/// start.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct UciMoves {
    signature: Signature,
    threads: usize,
}

impl UciMoves {
    /// The function, on the thread that calls it.
    #[must_use]
    pub fn new() -> Self {
        let signature = of_one_text();
        let threads = 1;
        Self { signature, threads }
    }

    /// The rows of each batch are shared out to so many threads; 0 is as 1. This is for plans that
    /// keep the order of rows, and so run in one partition.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    fn convert(&self, movetext: &StringViewArray) -> Result<ArrayRef> {
        let share = movetext.len().div_ceil(self.threads).max(LEAST_GAMES);
        let starts = (0..movetext.len()).step_by(share);
        let mut shares =
            starts.map(|start| movetext.slice(start, share.min(movetext.len() - start)));
        let Some(first) = shares.next() else {
            return Ok(Arc::new(StringViewArray::new_null(0)));
        };
        let parts = thread::scope(|scope| {
            let spawn =
                |share| thread::Builder::new().spawn_scoped(scope, move || moves_of(&share));
            let others: std::io::Result<Vec<_>> = shares.map(spawn).collect();
            let others = others?;
            let first = Ok(moves_of(&first));
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread
                    .join()
                    .map_err(|panic| std::panic::resume_unwind(panic))
            };
            std::iter::once(first)
                .chain(others.into_iter().map(join))
                .collect::<Result<Vec<ArrayRef>>>()
        })?;
        let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
        Ok(concat(&parts)?)
    }
}

fn moves_of(movetext: &StringViewArray) -> ArrayRef {
    let mut moves = StringViewBuilder::with_capacity(movetext.len());
    let mut text = String::new();
    for game in movetext {
        let legal = game.is_some_and(|game| convert(game, &mut text));
        moves.append_option(legal.then_some(&text));
    }
    Arc::new(moves.finish())
}

/// Puts the moves into `text`; false if there are none to put.
fn convert(movetext: &str, text: &mut String) -> bool {
    text.clear();
    let Ok(moves) = movetext_moves(movetext.as_bytes()) else {
        return false;
    };
    for played in moves {
        let space = if text.is_empty() { "" } else { " " };
        // Texts take whatever is written to them.
        let _ = write!(text, "{space}{played}");
    }
    true
}

impl Default for UciMoves {
    fn default() -> Self {
        Self::new()
    }
}

impl ScalarUDFImpl for UciMoves {
    fn name(&self) -> &str {
        "uci_moves"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let movetext = Arguments::new(&args)?.text(0)?;
        Ok(ColumnarValue::Array(self.convert(&movetext)?))
    }

    fn documentation(&self) -> Option<&Documentation> {
        static TEXT: LazyLock<Documentation> = LazyLock::new(|| {
            documentation(
                "The moves of a game in UCI's notation; null where one is not legal.",
                "uci_moves(movetext)",
                &[("movetext", "The game's moves as PGN has them")],
            )
        });
        Some(&TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_nothing() {
        let game = |number: usize| match number % 3 {
            0 => None,
            1 => Some("1. e4 e5 2. Ke3"),
            _ => Some("1. e4 {best by test} e5 (1... c5 2. Nf3) 2. Nf3 $1 *"),
        };
        for games in [0, 1, 64, 65, 300, 1000] {
            let movetext: StringViewArray = (0..games).map(game).collect();
            let expected: StringViewArray = (0..games)
                .map(|number| (number % 3 == 2).then_some("e2e4 e7e5 g1f3"))
                .collect();
            for threads in [0, 1, 2, 3, 7] {
                let found = UciMoves::new().threads(threads).convert(&movetext);
                assert_eq!(
                    *found.unwrap(),
                    expected,
                    "{games} games, {threads} threads"
                );
            }
        }
    }
}
