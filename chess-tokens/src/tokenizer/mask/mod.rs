//! Which tokens of the `uci` scheme may come next.

mod next;

use std::fmt;

use chess_records::{Board, PieceType, Position, Square, Squares, UciMove};

use super::replay;
use super::uci::UciToken;
pub use next::{NextTokens, NotNextError, Rules};

/// A set of tokens of the `uci` scheme, as bits: token *i* is bit *i* mod 64 of word *i* div 64.
///
/// Bits from 2,030 on are never set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenMask([u64; Self::WORDS]);

impl TokenMask {
    /// How many words there are: 32.
    pub const WORDS: usize = UciToken::COUNT.div_ceil(64);

    /// No token.
    pub const EMPTY: Self = Self([0; Self::WORDS]);

    /// The tokens of the legal moves of a position of standard chess; results are not among them.
    ///
    /// Every way of every man of the side to move is tried.
    #[cfg_attr(
        feature = "shakmaty",
        doc = "[`of_chess`](Self::of_chess) is several times faster."
    )]
    #[must_use]
    pub fn of_position(position: &Position) -> Self {
        let placement = position.placement();
        let own = placement.color(position.side_to_move());
        let mut mask = Self::EMPTY;
        for (piece, from) in placement.pieces().filter(|(_, from)| own & from.bit() != 0) {
            for to in Squares::new(!own) {
                if might_go(piece.piece_type, from, to) {
                    mask.try_move(position, from, to);
                }
            }
        }
        mask
    }

    /// The tokens of the legal moves of a position of shakmaty's; results are not among them.
    ///
    /// shakmaty is GPL-3.0-or-later: a binary built with the feature `shakmaty` must be distributed
    /// under its terms.
    #[cfg(feature = "shakmaty")]
    #[cfg_attr(docsrs, doc(cfg(feature = "shakmaty")))]
    #[must_use]
    pub fn of_chess(position: &shakmaty::Chess) -> Self {
        let mut mask = Self::EMPTY;
        for &played in &shakmaty::Position::legal_moves(position) {
            let played = UciMove::from_shakmaty(played).map(UciToken::Move);
            if let Some(token) = played.and_then(UciToken::id) {
                mask.insert(token);
            }
        }
        mask
    }

    /// The words.
    #[must_use]
    pub const fn words(&self) -> &[u64; Self::WORDS] {
        &self.0
    }

    /// Whether a token is in the set; 2,030 and more are not.
    #[must_use]
    pub const fn contains(&self, token: u16) -> bool {
        (token as usize) < UciToken::COUNT && self.0[token as usize / 64] >> (token % 64) & 1 == 1
    }

    /// How many tokens are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no token is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// The tokens, from the lowest.
    pub fn tokens(&self) -> impl Iterator<Item = u16> + '_ {
        let bits = |(&word, first): (&u64, u16)| {
            Squares::new(word).map(move |bit| first * 64 + u16::from(u8::from(bit)))
        };
        self.0.iter().zip(0..).flat_map(bits)
    }

    fn insert(&mut self, token: u16) {
        self.0[usize::from(token / 64)] |= 1 << (token % 64);
    }

    /// Inserts the token of a move, or those of the four promotions, if it is legal.
    fn try_move(&mut self, position: &Position, from: Square, to: Square) {
        let plain = UciMove {
            from,
            to,
            promotion: None,
        };
        let promotes = replay::promotes(position, plain);
        let promotion = promotes.then_some(PieceType::Queen);
        let played = UciMove { promotion, ..plain };
        let Some(token) = UciToken::Move(played).id() else {
            return;
        };
        if replay::after(position, played).is_some() {
            // The tokens of the other promotions follow the queen's.
            let count = if promotes { 4 } else { 1 };
            (token..token + count).for_each(|token| self.insert(token));
        }
    }
}

/// Whether a piece goes that way on some board, which is quickly said.
const fn might_go(piece_type: PieceType, from: Square, to: Square) -> bool {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    match piece_type {
        PieceType::Pawn => files <= 1 && ranks <= 2,
        PieceType::Knight => files + ranks == 3,
        PieceType::Bishop => files == ranks,
        PieceType::Rook => files == 0 || ranks == 0,
        PieceType::Queen => files == ranks || files == 0 || ranks == 0,
        PieceType::King => files <= 2 && ranks <= 1, // Castling too.
    }
}

impl FromIterator<u16> for TokenMask {
    /// The set of these tokens; those from 2,030 on are left out.
    fn from_iter<I: IntoIterator<Item = u16>>(tokens: I) -> Self {
        let mut mask = Self::EMPTY;
        let known = |&token: &u16| usize::from(token) < UciToken::COUNT;
        let tokens = tokens.into_iter().filter(known);
        tokens.for_each(|token| mask.insert(token));
        mask
    }
}

/// The names of the tokens.
impl fmt::Debug for TokenMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tokens().filter_map(UciToken::from_id);
        f.debug_set().entries(names.map(UciToken::name)).finish()
    }
}

#[cfg(test)]
mod tests;
