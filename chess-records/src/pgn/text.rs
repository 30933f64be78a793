//! The text of one game, tags and movetext.

use super::lines::TagLines;
use super::movetext::{Movetext, Variations};
use super::tags::KnownTags;
use super::{PgnReplay, PgnTags};
use crate::{Game, LeftOut};

/// The text of one game, with whatever stands before it.
#[derive(Clone, Copy, Debug)]
pub struct PgnText<'a>(&'a [u8]);

impl<'a> PgnText<'a> {
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// Its bytes. PGN should be UTF-8, and often is not.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// What its tags say.
    #[must_use]
    pub fn tags(&self) -> PgnTags<'a> {
        let mut lines = TagLines::new(self.0);
        lines.by_ref().for_each(drop);
        PgnTags::new(&self.0[..self.0.len() - lines.rest().len()])
    }

    /// What stands behind its tags.
    #[must_use]
    pub fn movetext(&self) -> &'a [u8] {
        let mut lines = TagLines::new(self.0);
        lines.by_ref().for_each(drop);
        lines.rest()
    }

    /// The game, with its moves as UCI has them.
    ///
    /// # Errors
    ///
    /// Why the game is left out.
    pub fn game(&self) -> Result<Game, LeftOut> {
        self.replay().map(Game::from)
    }

    /// The game, with its moves as shakmaty plays them.
    ///
    /// # Errors
    ///
    /// Why the game is left out.
    pub fn replay(&self) -> Result<PgnReplay, LeftOut> {
        self.replay_if(|_| Ok(()))
    }

    /// As [`PgnText::replay`], of games with both Elos; others are not played.
    ///
    /// # Errors
    ///
    /// Why the game is left out: [`LeftOut::MissingElo`] too.
    pub fn replay_rated(&self) -> Result<PgnReplay, LeftOut> {
        self.replay_if(|tags| match (tags.white_elo, tags.black_elo) {
            (Some(_), Some(_)) => Ok(()),
            _ => Err(LeftOut::MissingElo),
        })
    }

    fn replay_if(
        &self,
        check: impl Fn(&KnownTags) -> Result<(), LeftOut>,
    ) -> Result<PgnReplay, LeftOut> {
        let (mut lines, mut tags) = (TagLines::new(self.0), KnownTags::default());
        lines.by_ref().for_each(|line| tags.read(line));
        tags.check()?;
        check(&tags)?;
        let movetext = Movetext::read(lines.rest(), Variations::Played)?;
        Ok(PgnReplay {
            result: tags.result(movetext.result()).ok_or(LeftOut::Result)?,
            moves: movetext.into_moves(),
            white_elo: tags.white_elo,
            black_elo: tags.black_elo,
        })
    }
}
