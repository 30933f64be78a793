//! Games of a match as PGN.

use std::fmt::Write as _;
use std::format;
use std::string::String;

use cozy_chess::{Board, Color};

use super::san::san;
use crate::selfplay::games::{Ended, PlayedGame};

/// Columns of a line of moves.
const WIDTH: usize = 80;

/// A game with its tags and an empty line after it.
pub(super) fn pgn(game: &PlayedGame, round: &str, white: &str, black: &str) -> String {
    let result = game.result.pgn();
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("[{name} \"{value}\"]\n");
    };
    tag("Event", "match");
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", round);
    tag("White", white);
    tag("Black", black);
    tag("Result", result);
    tag("Termination", termination(game.ended));
    if game.start != Board::default() {
        tag("SetUp", "1");
        tag("FEN", &fen(&game.start));
        if is_chess960(&game.start) {
            tag("Variant", "Chess960");
        }
    }
    text += "\n";
    text += &wrapped(&moves(game), result);
    text += "\n\n";
    text
}

/// With castling rights as usual where that says it all.
fn fen(board: &Board) -> String {
    if is_chess960(board) {
        format!("{board:#}")
    } else {
        format!("{board}")
    }
}

/// Whether a side may castle from other squares than the usual ones.
fn is_chess960(board: &Board) -> bool {
    let plain = Board::from_fen(&format!("{board}"), false);
    plain.is_err() || plain.is_ok_and(|plain| plain != *board)
}

const fn termination(ended: Ended) -> &'static str {
    match ended {
        Ended::Won | Ended::Drawn | Ended::TooLong => "adjudication",
        Ended::Time => "time forfeit",
        _ => "normal",
    }
}

fn moves(game: &PlayedGame) -> String {
    let (mut text, mut board) = (String::new(), game.start.clone());
    for (ply, made) in game.moves.iter().enumerate() {
        let number = board.fullmove_number();
        let _ = match board.side_to_move() {
            Color::White => write!(text, "{number}. "),
            Color::Black if ply == 0 => write!(text, "{number}... "),
            Color::Black => Ok(()),
        };
        text += &san(&board, made.played);
        text.push(' ');
        board.play_unchecked(made.played);
    }
    text
}

fn wrapped(moves: &str, result: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in moves
        .split(' ')
        .filter(|word| !word.is_empty())
        .chain([result])
    {
        if column + word.len() >= WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text
}
