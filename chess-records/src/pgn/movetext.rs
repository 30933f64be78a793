//! Movetext played on boards: the moves of the game, and whether every move is legal, those of
//! variations too if they are asked for.

use std::vec::Vec;

use memchr::memchr;
use shakmaty::uci;
use shakmaty::{Chess, Move, Position, Role, Square};

use super::lines::{is_comment, next_line};
use super::tokens::{San, Token, next_token};
use crate::{Game, GameResult, LeftOut, UciMove};

/// Deeper variations are not read.
const MAX_DEPTH: usize = 64;

/// The moves of movetext that stands alone: moves in SAN among comments, annotations, move numbers,
/// results and variations. Of variations the moves are not looked at, and however deep they are; else
/// this is how games of PGN are read, blank lines apart: they end nothing.
///
/// # Errors
///
/// The first thing for which the game would be left out: [`LeftOut::IllegalMove`],
/// [`LeftOut::AmbiguousMove`], [`LeftOut::NoMove`] or [`LeftOut::TooLong`].
pub fn movetext_moves(text: &[u8]) -> Result<Vec<UciMove>, LeftOut> {
    let played = Movetext::read(text, Variations::Skipped)?;
    Ok(played
        .moves
        .into_iter()
        .filter_map(UciMove::from_shakmaty)
        .collect())
}

/// What becomes of variations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variations {
    /// Their moves must be legal.
    Played,
    /// Only their ends are looked for.
    Skipped,
}

/// Plays movetext line by line.
pub(super) struct Movetext {
    treatment: Variations,
    game: Line,
    variations: Vec<Line>,
    /// How deep in variations that are skipped.
    skipped: usize,
    moves: Vec<Move>,
    in_comment: bool,
    result: Option<GameResult>,
}

/// The game or a variation, up to its last move.
struct Line {
    position: Chess,
    /// The position before the last move, where a variation of it begins. `None` if the line has no
    /// move of its own yet.
    before: Option<Chess>,
    plies: usize,
    /// Whether the position is known; where it is not, moves are passed over.
    known: bool,
}

impl Line {
    fn new(position: Chess, plies: usize) -> Self {
        Self {
            position,
            before: None,
            plies,
            known: true,
        }
    }

    fn play(&mut self, played: Move, treatment: Variations) {
        if treatment == Variations::Played {
            self.before = Some(self.position.clone());
        }
        self.position.play_unchecked(played);
        self.plies += 1;
    }

    /// A null move, as annotators write to show a threat.
    fn pass(&mut self) {
        self.plies += 1;
        match self.position.clone().swap_turn() {
            Ok(passed) => self.before = Some(core::mem::replace(&mut self.position, passed)),
            Err(_) => self.known = false,
        }
    }

    /// A variation of the last move.
    fn variation(&self) -> Self {
        match &self.before {
            Some(before) if self.known => Self::new(before.clone(), self.plies - 1),
            _ => Self {
                position: Chess::default(),
                before: None,
                plies: self.plies - 1,
                known: false,
            },
        }
    }
}

impl Movetext {
    /// Plays what is known to be the movetext of one game.
    pub(super) fn read(mut text: &[u8], treatment: Variations) -> Result<Self, LeftOut> {
        let mut movetext = Self::new(treatment);
        while let Some((line, len)) = next_line(text, true) {
            movetext.read_line(line)?;
            text = &text[len..];
        }
        Ok(movetext)
    }

    fn new(treatment: Variations) -> Self {
        Self {
            treatment,
            game: Line::new(Chess::default(), 0),
            variations: Vec::new(),
            skipped: 0,
            moves: Vec::new(),
            in_comment: false,
            result: None,
        }
    }

    /// The moves of the game.
    pub(super) fn into_moves(self) -> Vec<Move> {
        self.moves
    }

    /// The first result in the game's movetext that does not leave it open.
    pub(super) const fn result(&self) -> Option<GameResult> {
        self.result
    }

    fn read_line(&mut self, mut text: &[u8]) -> Result<(), LeftOut> {
        if !self.in_comment && is_comment(text) {
            return Ok(());
        }
        loop {
            if self.in_comment {
                let Some(end) = memchr(b'}', text) else {
                    return Ok(());
                };
                self.in_comment = false;
                text = &text[end + 1..];
            }
            let Some((token, rest)) = next_token(text) else {
                return Ok(());
            };
            if token == Token::LineComment {
                return Ok(());
            }
            self.take(token)?;
            text = rest;
        }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), LeftOut> {
        match token {
            Token::VariationStart if self.skipped > 0 => self.skipped += 1,
            Token::VariationEnd if self.skipped > 0 => self.skipped -= 1,
            Token::CommentStart => self.in_comment = true,
            _ if self.skipped > 0 => {}
            played => return self.take_played(played),
        }
        Ok(())
    }

    /// Takes what is in no variation that is skipped.
    fn take_played(&mut self, token: Token<'_>) -> Result<(), LeftOut> {
        match token {
            Token::Move(san) => {
                let known = self.known_position();
                let played = known
                    .map(|position| legal_move(position, san))
                    .transpose()?;
                self.play(played)
            }
            Token::Castling(side) => {
                let castling = |position: &Chess| position.castling_moves(side).first().copied();
                let known = self.known_position();
                let played = known.map(|position| castling(position).ok_or(LeftOut::IllegalMove));
                let played = played.transpose()?;
                self.play(played)
            }
            Token::NullMove => self.pass(),
            Token::Drop => Err(LeftOut::NoMove),
            Token::VariationStart => self.begin_variation(),
            Token::VariationEnd => {
                self.variations.pop();
                Ok(())
            }
            Token::Result(result) => self.end(result),
            Token::CommentStart | Token::LineComment | Token::Annotation => Ok(()),
        }
    }

    fn known_position(&self) -> Option<&Chess> {
        let line = self.variations.last().unwrap_or(&self.game);
        line.known.then_some(&line.position)
    }

    /// Plays a move, if the position was known and so the move is.
    fn play(&mut self, played: Option<Move>) -> Result<(), LeftOut> {
        if let Some(variation) = self.variations.last_mut() {
            match played {
                Some(played) => variation.play(played, self.treatment),
                None => variation.plies += 1,
            }
            return Ok(());
        }
        if self.moves.len() == Game::MAX_PLIES {
            return Err(LeftOut::TooLong);
        }
        if let Some(played) = played {
            self.game.play(played, self.treatment);
            self.moves.push(played);
        }
        Ok(())
    }

    fn pass(&mut self) -> Result<(), LeftOut> {
        // A game with one is no game of chess.
        let variation = self.variations.last_mut().ok_or(LeftOut::NoMove)?;
        variation.pass();
        Ok(())
    }

    fn begin_variation(&mut self) -> Result<(), LeftOut> {
        let line = self.variations.last().unwrap_or(&self.game);
        // Before the first move there is nothing to vary.
        match self.treatment {
            _ if line.plies == 0 => {}
            Variations::Skipped => self.skipped = 1,
            Variations::Played if self.variations.len() == MAX_DEPTH => {
                return Err(LeftOut::TooLong);
            }
            Variations::Played => {
                let variation = line.variation();
                self.variations.push(variation);
            }
        }
        Ok(())
    }

    fn end(&mut self, result: &[u8]) -> Result<(), LeftOut> {
        if !self.variations.is_empty() {
            return Err(LeftOut::NoMove);
        }
        // What leaves it open may be followed by one that does not.
        self.result = self.result.or(GameResult::from_pgn(result));
        Ok(())
    }
}

/// The one legal move that is written like this.
fn legal_move(position: &Chess, san: San) -> Result<Move, LeftOut> {
    if let (None, Some(file), Some(rank)) = (san.piece, san.from_file, san.from_rank) {
        return from_squares(position, Square::from_coords(file, rank), san);
    }
    let role = san.piece.unwrap_or(Role::Pawn);
    // A pawn that captures has its file written.
    let is_push = san.piece.is_none() && san.from_file.is_none();
    let from_file = is_push.then(|| san.to.file()).or(san.from_file);
    let is_meant = |played: &&Move| {
        let from = played.from();
        played.promotion() == san.promotion
            && from_file.is_none_or(|file| from.is_some_and(|from| from.file() == file))
            && san
                .from_rank
                .is_none_or(|rank| from.is_some_and(|from| from.rank() == rank))
    };
    let candidates = position.san_candidates(role, san.to);
    let mut meant = candidates.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(&played), None) => Ok(played),
        (Some(_), Some(_)) => Err(LeftOut::AmbiguousMove),
        (None, _) => Err(LeftOut::IllegalMove),
    }
}

/// Both squares written out: any piece's move, castling among them.
fn from_squares(position: &Chess, from: Square, san: San) -> Result<Move, LeftOut> {
    let uci = uci::UciMove::Normal {
        from,
        to: san.to,
        promotion: san.promotion,
    };
    uci.to_move(position).map_err(|_| LeftOut::IllegalMove)
}
