//! Movetext played on boards: the moves of the game, and whether every move is legal, those of
//! variations too.

use memchr::memchr;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position, Role, Square};

use super::super::game::MAX_PLIES;
use super::LeftOut;
use super::lines::is_comment;
use super::tokens::{San, Token, next_token};

/// Deeper variations are not read.
const MAX_DEPTH: usize = 64;

/// Plays movetext line by line.
pub(super) struct Movetext {
    game: Line,
    variations: Vec<Line>,
    moves: Vec<Move>,
    in_comment: bool,
    result: Option<Vec<u8>>,
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

    fn play(&mut self, played: Move) {
        self.before = Some(self.position.clone());
        self.position.play_unchecked(played);
        self.plies += 1;
    }

    /// A null move, as annotators write to show a threat.
    fn pass(&mut self) {
        self.plies += 1;
        match self.position.clone().swap_turn() {
            Ok(passed) => self.before = Some(std::mem::replace(&mut self.position, passed)),
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
    pub(super) fn new() -> Self {
        Self {
            game: Line::new(Chess::default(), 0),
            variations: Vec::new(),
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
    pub(super) fn result(&self) -> Option<&[u8]> {
        self.result.as_deref()
    }

    /// Plays a line of text.
    pub(super) fn read_line(&mut self, mut text: &[u8]) -> Result<(), LeftOut> {
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
            Token::CommentStart => {
                self.in_comment = true;
                Ok(())
            }
            Token::LineComment | Token::Annotation => Ok(()),
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
                Some(played) => variation.play(played),
                None => variation.plies += 1,
            }
            return Ok(());
        }
        if self.moves.len() == MAX_PLIES {
            return Err(LeftOut::TooLong);
        }
        if let Some(played) = played {
            self.game.play(played);
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
        if self.variations.len() == MAX_DEPTH {
            return Err(LeftOut::TooLong);
        }
        let line = self.variations.last().unwrap_or(&self.game);
        // Before the first move there is nothing to vary.
        if line.plies > 0 {
            let variation = line.variation();
            self.variations.push(variation);
        }
        Ok(())
    }

    fn end(&mut self, result: &[u8]) -> Result<(), LeftOut> {
        if !self.variations.is_empty() {
            return Err(LeftOut::NoMove);
        }
        // What leaves it open may be followed by one that does not.
        if result != b"*" {
            self.result.get_or_insert_with(|| result.to_vec());
        }
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
    let uci = UciMove::Normal {
        from,
        to: san.to,
        promotion: san.promotion,
    };
    uci.to_move(position).map_err(|_| LeftOut::IllegalMove)
}
