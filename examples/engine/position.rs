//! Positions and moves, in UCI's words.

use std::fmt::Write as _;

use chess_nnue::chess_records::Position;
use chess_nnue::selfplay::{Found, mate_in_moves};
use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Move, Square};

/// The position of a game and those before it, or why there is none.
pub(crate) struct Game {
    pub(crate) board: Board,
    pub(crate) before: Vec<Board>,
}

impl Game {
    pub(crate) fn new(board: Board) -> Self {
        let before = Vec::new();
        Self { board, before }
    }

    /// By what follows the word `position`.
    pub(crate) fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let told: Vec<_> = words.by_ref().take_while(|&word| word != "moves").collect();
        let start = match told.split_first() {
            Some((&"startpos", [])) => Some(Board::default()),
            Some((&"fen", fields)) => read_fen(&fields.join(" ")),
            _ => None,
        };
        let start = start.ok_or_else(|| format!("no position: {}", told.join(" ")))?;
        let mut game = Self::new(start);
        for word in words {
            let played = read_move(&game.board, word)
                .ok_or_else(|| format!("not a legal move: {word} after {}", game.board))?;
            game.before.push(game.board.clone());
            game.board.play_unchecked(played);
        }
        Ok(game)
    }
}

/// A FEN, its castling rights by wing or by file (Chess960), perhaps without its clocks.
pub(crate) fn read_fen(fen: &str) -> Option<Board> {
    let position = Position::from_fen(fen).ok()?;
    let fields: Vec<_> = fen.split_whitespace().collect();
    let (placement, mover) = (fields.first()?, fields.get(1)?);
    let en_passant = fields.get(3).unwrap_or(&"-");
    // The rules end a game at 100, but not until a player claims it.
    let halfmoves = position.halfmove_clock().unwrap_or(0).min(100);
    let number = position.fullmove_number().map_or(1, u16::from);
    let castling = castling_by_file(position.castling().rooks());
    let text = format!("{placement} {mover} {castling} {en_passant} {halfmoves} {number}");
    Board::from_fen(&text, true).ok()
}

fn castling_by_file(rooks: u64) -> String {
    let rooks = (0..64).filter(|square| rooks >> square & 1 == 1);
    let letters: String = rooks
        .map(|square| file_letter(Square::index(square)))
        .collect();
    if letters.is_empty() {
        "-".into()
    } else {
        letters
    }
}

/// Capital for White, whose rooks stand on the first rank.
fn file_letter(rook: Square) -> char {
    let letter = char::from(rook.file());
    if rook.rank() == cozy_chess::Rank::First {
        letter.to_ascii_uppercase()
    } else {
        letter
    }
}

/// A legal move; castling by the king's target or by the rook's square.
pub(crate) fn read_move(board: &Board, word: &str) -> Option<Move> {
    let plain = word.parse().ok();
    let castling = parse_uci_move(board, word).ok();
    [castling, plain]
        .into_iter()
        .flatten()
        .find(|&played| board.is_legal(played))
}

pub(crate) fn text(board: &Board, played: Move, is_chess960: bool) -> String {
    if is_chess960 {
        played.to_string()
    } else {
        display_uci_move(board, played).to_string()
    }
}

pub(crate) fn info(found: &Found, board: &Board, is_chess960: bool) -> String {
    let score = match mate_in_moves(found.score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", found.score),
    };
    let milliseconds = found.elapsed.as_millis();
    let per_second = u128::from(found.nodes) * 1000 / milliseconds.max(1);
    let mut info = format!(
        "info depth {} score {score} nodes {} nps {per_second} time {milliseconds} hashfull {}",
        found.depth, found.nodes, found.table_permille
    );
    if !found.line.is_empty() {
        info += " pv";
    }
    let mut board = board.clone();
    for &played in &found.line {
        let _ = write!(info, " {}", text(&board, played, is_chess960));
        board.play_unchecked(played);
    }
    info
}
