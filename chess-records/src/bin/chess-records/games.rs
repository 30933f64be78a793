//! Games of viriformat, and which of their positions are wanted.

use std::path::{Path, PathBuf};

use clap::Args;

use chess_records::ops::GameReader;
use chess_records::tool_support::Progress;
use chess_records::{ViriFault, ViriFilter, ViriGame};

use crate::failure::{Failure, is_fault};
use crate::format::Format;
use crate::resume::Start;
use crate::streams::{Bytes, Named, Source};

/// A file of games, being read.
pub(crate) struct Games {
    path: PathBuf,
    reader: GameReader<Bytes>,
}

impl Games {
    pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Self, Failure> {
        Self::open_from(path, (0, 0), progress)
    }

    /// Opens a file at byte `byte`, where game `number` begins.
    pub(crate) fn open_from(
        path: &Path,
        (number, byte): (u64, u64),
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let mut source = Source::open(path, progress)?;
        source.seek(byte)?;
        Ok(Self {
            path: path.to_path_buf(),
            reader: GameReader::starting_at(source.into_bytes(), number, byte),
        })
    }

    /// Where the next game begins: its number and byte.
    pub(crate) const fn place(&self) -> (u64, u64) {
        self.reader.place()
    }

    /// The next game, whose moves are not checked yet.
    pub(crate) fn next(&mut self) -> Result<Option<ViriGame<'_>>, Failure> {
        let path = &self.path;
        self.reader.next_game().map_err(|error| {
            let fault = is_fault(&error);
            let named = Named::of(path, error);
            if fault {
                Failure::data(named)
            } else {
                Failure::Other(named.into())
            }
        })
    }

    /// Where a command that has done all games so far is.
    pub(crate) fn start(&self, file: usize) -> Start {
        let (number, byte) = self.place();
        Start {
            file,
            number,
            byte,
            counts: Vec::new(),
        }
    }

    /// The bytes of the next game.
    pub(crate) fn next_bytes(&mut self) -> Result<Option<&[u8]>, Failure> {
        let found = self.next()?.is_some();
        Ok(found.then(|| self.reader.bytes()))
    }
}

/// A fault in a game of a file.
pub(crate) fn fault(path: &Path, fault: ViriFault) -> Failure {
    Failure::data(Named::of(path, fault))
}

/// Which positions of games are wanted.
#[derive(Args)]
#[command(next_help_heading = "Positions of viri games")]
pub(crate) struct PositionOptions {
    /// Leave out what viriformat's own tools do: 16 plies, under 4 men, scores over 31339, checks and
    /// tactical moves; the other options come on top
    #[arg(long)]
    usual: bool,
    /// Leave out checks and positions in which a capture or promotion was played
    #[arg(long)]
    quiet: bool,
    /// Leave out positions in check
    #[arg(long)]
    no_check: bool,
    /// Leave out positions in which a capture or promotion was played
    #[arg(long)]
    no_tactical: bool,
    /// Leave out positions in which castling was played
    #[arg(long)]
    no_castling: bool,
    /// Leave out positions before this ply of the game
    #[arg(long, value_name = "PLY")]
    min_ply: Option<u64>,
    /// Leave out positions with fewer men, kings among them
    #[arg(long, value_name = "MEN")]
    min_men: Option<u32>,
    /// Leave out positions with more men, kings among them
    #[arg(long, value_name = "MEN")]
    max_men: Option<u32>,
    /// Leave out scores beyond, of either sign
    #[arg(long, value_name = "CENTIPAWNS")]
    max_score: Option<u16>,
}

impl PositionOptions {
    /// The filter asked for, which only games have.
    pub(crate) fn of(&self, format: Format) -> Result<ViriFilter, Failure> {
        let filter = self.filter();
        if format != Format::Viri && filter != ViriFilter::EVERYTHING {
            return Err(Failure::usage(
                "options for positions of viri games are for viri files alone; see filter",
            ));
        }
        Ok(filter)
    }

    fn filter(&self) -> ViriFilter {
        let base = if self.usual {
            ViriFilter::USUAL
        } else {
            ViriFilter::EVERYTHING
        };
        ViriFilter {
            min_ply: self.min_ply.unwrap_or(base.min_ply),
            min_men: self.min_men.unwrap_or(base.min_men),
            max_men: self.max_men.unwrap_or(base.max_men),
            max_abs_score_cp: self.max_score.unwrap_or(base.max_abs_score_cp),
            in_check: base.in_check && !self.quiet && !self.no_check,
            tactical: base.tactical && !self.quiet && !self.no_tactical,
            castling: base.castling && !self.no_castling,
        }
    }
}
