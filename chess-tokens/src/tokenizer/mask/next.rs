//! Which tokens may come next in a game, replayed along its tokens.

use chess_records::{Board, Color, GameResult, Position, UciMove};
use thiserror::Error;

use super::super::{BOS, EOS, PAD, replay};
use super::{TokenMask, UciToken};

/// A board that knows which moves are legal: [`Position`], and `shakmaty::Chess` with the feature
/// `shakmaty`, which is several times faster.
pub trait Rules: Clone + sealed::Sealed {
    /// The start of standard chess.
    #[doc(hidden)]
    fn start() -> Self;

    /// The tokens of the legal moves.
    #[doc(hidden)]
    fn legal(&self) -> TokenMask;

    /// Plays a move, which must be legal.
    #[doc(hidden)]
    fn play(&mut self, played: UciMove);

    /// Who wins, if the side to move has no legal move.
    #[doc(hidden)]
    fn result_without_moves(&self) -> GameResult;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for chess_records::Position {}
    #[cfg(feature = "shakmaty")]
    impl Sealed for shakmaty::Chess {}
}

impl Rules for Position {
    fn start() -> Self {
        replay::start()
    }

    fn legal(&self) -> TokenMask {
        TokenMask::of_position(self)
    }

    fn play(&mut self, played: UciMove) {
        if let Some(after) = replay::after(self, played) {
            *self = after;
        }
    }

    fn result_without_moves(&self) -> GameResult {
        mate_or_stalemate(self.in_check(), self.side_to_move())
    }
}

#[cfg(feature = "shakmaty")]
impl Rules for shakmaty::Chess {
    fn start() -> Self {
        Self::default()
    }

    fn legal(&self) -> TokenMask {
        TokenMask::of_chess(self)
    }

    fn play(&mut self, played: UciMove) {
        if let Some(played) = super::super::legal::legal_move(self, played) {
            shakmaty::Position::play_unchecked(self, played);
        }
    }

    fn result_without_moves(&self) -> GameResult {
        mate_or_stalemate(shakmaty::Position::is_check(self), self.side_to_move())
    }
}

fn mate_or_stalemate(in_check: bool, to_move: Color) -> GameResult {
    match in_check {
        true => GameResult::won_by(to_move.opponent()),
        false => GameResult::Draw,
    }
}

/// The tokens that may come next, as a game of the `uci` scheme is replayed token by token.
///
/// First comes `<bos>`, then a rating of White's and one of Black's. Then the legal moves and all
/// three results may come, since players resign, agree and run out of time; after mate only the
/// result it gives, after stalemate only the draw. (No rule ends a game that still has legal moves:
/// neither a dead position nor repetition nor a count of moves.) After a result comes `<eos>`, and
/// then `<pad>` for ever.
///
/// What [`UciTokenizer`](super::super::UciTokenizer) writes of a legal game is always among them,
/// and whatever is put together from them is a legal game.
///
/// ```
/// use chess_records::Position;
/// use chess_tokens::tokenizer::{NextTokens, UciToken};
///
/// let mut next = NextTokens::<Position>::new();
/// for name in ["<bos>", "<w1500>", "<b1500>", "f2f3", "e7e5", "g2g4"] {
///     next.push(UciToken::from_name(name).and_then(UciToken::id).unwrap())?;
/// }
/// let mate = UciToken::from_name("d8h4").and_then(UciToken::id).unwrap();
/// assert!(next.mask().contains(mate));
/// assert_eq!(next.mask().len(), 30 + 3); // Moves, and results.
/// next.push(mate)?;
/// assert_eq!(format!("{:?}", next.mask()), r#"{"<0-1>"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NextTokens<B = Position> {
    board: B,
    mask: TokenMask,
    /// How many tokens there were.
    len: usize,
}

/// A token that may not come next.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("token {index} is {found} ({name}), which may not come there")]
#[non_exhaustive]
pub struct NotNextError {
    /// Which token, counted from 0, the one that begins the game.
    pub index: usize,
    /// The token.
    pub found: u16,
    /// Its name; empty if it is not in the vocabulary.
    pub name: &'static str,
}

impl<B: Rules> NextTokens<B> {
    /// Before the first token.
    #[must_use]
    pub fn new() -> Self {
        Self {
            board: B::start(),
            mask: TokenMask::from_iter([BOS]),
            len: 0,
        }
    }

    /// The tokens that may come next.
    #[must_use]
    pub fn mask(&self) -> &TokenMask {
        &self.mask
    }

    /// Those of them that are moves.
    #[must_use]
    pub fn moves(&self) -> TokenMask {
        let is_move = |&token: &u16| matches!(UciToken::from_id(token), Some(UciToken::Move(_)));
        self.mask.tokens().filter(is_move).collect()
    }

    /// The board after the moves so far.
    #[must_use]
    pub fn board(&self) -> &B {
        &self.board
    }

    /// Goes on by a token.
    ///
    /// # Errors
    ///
    /// When it may not come next; nothing has changed then.
    pub fn push(&mut self, token: u16) -> Result<(), NotNextError> {
        if !self.mask.contains(token) {
            return Err(NotNextError {
                index: self.len,
                found: token,
                name: UciToken::from_id(token).map_or("", UciToken::name),
            });
        }
        self.mask = match UciToken::from_id(token) {
            Some(UciToken::Bos) => elos(UciToken::WhiteElo),
            Some(UciToken::WhiteElo(_)) => elos(UciToken::BlackElo),
            Some(UciToken::BlackElo(_)) => self.moves_and_results(),
            Some(UciToken::Move(played)) => {
                self.board.play(played);
                self.moves_and_results()
            }
            Some(UciToken::Result(_)) => TokenMask::from_iter([EOS]),
            _ => TokenMask::from_iter([PAD]),
        };
        self.len += 1;
        Ok(())
    }

    /// For each token of a game, or of its beginning, the set of tokens that may come in its place:
    /// the first set is that of `<bos>`.
    ///
    /// # Errors
    ///
    /// When a token is not in its set.
    pub fn masks(tokens: &[u16]) -> Result<Vec<TokenMask>, NotNextError> {
        let mut next = Self::new();
        let mut masks = Vec::with_capacity(tokens.len());
        for &token in tokens {
            masks.push(next.mask);
            next.push(token)?;
        }
        Ok(masks)
    }

    fn moves_and_results(&self) -> TokenMask {
        let mut mask = self.board.legal();
        let possible = match mask.is_empty() {
            false => &GameResult::ALL[..],
            true => &[self.board.result_without_moves()],
        };
        let results = possible
            .iter()
            .filter_map(|&result| UciToken::Result(result).id());
        results.for_each(|token| mask.insert(token));
        mask
    }
}

impl<B: Rules> Default for NextTokens<B> {
    fn default() -> Self {
        Self::new()
    }
}

fn elos(side: fn(u16) -> UciToken) -> TokenMask {
    let bands =
        (0..UciToken::ELO_BANDS).map(|band| side(UciToken::MIN_ELO + band * UciToken::ELO_STEP));
    bands.filter_map(UciToken::id).collect()
}
