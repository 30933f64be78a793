//! Games as the builder takes them.

#[cfg(feature = "parquet")]
use chess_records::parquet::UciRow;
use chess_records::pgn::PgnReplay;
use chess_records::{Game, GameResult, UciMove};
use shakmaty as sm;

/// A game with its moves as shakmaty plays them.
#[derive(Debug)]
pub(super) struct Replay {
    /// The legal moves before the first one that is not.
    pub(super) moves: Vec<sm::Move>,
    /// The length of the game's list of moves.
    pub(super) plies: usize,
    pub(super) result: GameResult,
    pub(super) white_elo: Option<i32>,
    pub(super) black_elo: Option<i32>,
}

impl Replay {
    /// Both Elos, if there are both.
    pub(super) fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }
}

impl From<&Game> for Replay {
    /// The moves up to one that is not legal: it ends the game's rows, but the whole list counts for
    /// the draw of plies.
    fn from(game: &Game) -> Self {
        Self {
            moves: legal_prefix(game.moves.iter().map(|&played| Some(played))),
            plies: game.moves.len(),
            result: game.result,
            white_elo: game.white_elo,
            black_elo: game.black_elo,
        }
    }
}

impl From<PgnReplay> for Replay {
    fn from(replay: PgnReplay) -> Self {
        Self {
            plies: replay.moves.len(),
            moves: replay.moves,
            result: replay.result,
            white_elo: replay.white_elo,
            black_elo: replay.black_elo,
        }
    }
}

#[cfg(feature = "parquet")]
impl From<&UciRow> for Replay {
    /// As of a [`Game`]; a word that is no move is one that is not legal. The row must count.
    fn from(row: &UciRow) -> Self {
        Self {
            moves: legal_prefix(row.words().map(|word| UciMove::from_ascii(word).ok())),
            plies: row.words().count(),
            // A row without one does not count.
            result: row.result().unwrap_or(GameResult::Draw),
            white_elo: row.white_elo(),
            black_elo: row.black_elo(),
        }
    }
}

/// The moves up to the first that is none or not legal.
pub(super) fn legal_prefix(moves: impl Iterator<Item = Option<UciMove>>) -> Vec<sm::Move> {
    use sm::Position as _;
    let mut position = sm::Chess::default();
    let mut legal = Vec::with_capacity(moves.size_hint().0);
    for played in moves {
        let Some(played) = played.and_then(|played| played.to_shakmaty(&position)) else {
            break;
        };
        position.play_unchecked(played);
        legal.push(played);
    }
    legal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let moves = moves.split(' ');
        Game {
            moves: moves.map(|text| text.parse().unwrap()).collect(),
            result: GameResult::Draw,
            white_elo: None,
            black_elo: Some(1500),
        }
    }

    #[test]
    fn moves_are_replayed_up_to_the_first_that_is_not_legal() {
        let replay = Replay::from(&game("e2e4 e7e5 e1e2 e8e6 g8f6"));
        assert_eq!((replay.moves.len(), replay.plies), (3, 5));
        assert_eq!(replay.elos(), None);
    }

    #[test]
    fn castling_is_written_either_way() {
        let castled = |text: &str| {
            let moves = format!("e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 {text}");
            Replay::from(&game(&moves)).moves.len()
        };
        assert_eq!(castled("e1g1"), 7);
        assert_eq!(castled("e1h1"), 7);
        assert_eq!(castled("e1c1"), 6);
        assert_eq!(castled("e2e4q"), 6);
    }
}
