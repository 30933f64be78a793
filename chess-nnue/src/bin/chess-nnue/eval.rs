//! `chess-nnue eval`.

use std::io::Write;
use std::path::PathBuf;

use chess_nnue::{Network, needs_fallback};
use chess_records::{Board, Color, Placement, Position, Square};
use clap::Args;
use serde_json::json;

use crate::network_file::{self, Layout};
use crate::{Outcome, positions};

/// Evaluate positions.
///
/// Scores are centipawns, both for the side to move and for White. A position of which a network
/// learns nothing in training (one bare king; no pawns and at most five men) is marked: a search
/// should leave it to another evaluation.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue eval net.nnue --fen '4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1'
  chess-nnue eval net.nnue --file positions.txt --json
  chess-nnue eval quantised.bin --activation screlu --eval-scale 400 --file games.marlin")]
pub(crate) struct Arguments {
    /// The network
    #[arg(value_name = "NET")]
    network: PathBuf,
    /// Positions, drawn and evaluated
    #[arg(long, value_name = "FEN", num_args = 1.., required_unless_present = "file")]
    fen: Vec<String>,
    /// A file of positions: marlinformat records if its name ends in .marlin, else a FEN a line
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// One JSON object a position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layout: Layout,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let (network, _) = network_file::load(&arguments.network, &arguments.layout)?;
    for fen in &arguments.fen {
        let position = positions::parse(fen)?;
        let evaluated = Evaluated::of(&network, &position);
        match arguments.json {
            true => evaluated.write_json(out)?,
            false => evaluated.draw(out)?,
        }
    }
    let Some(file) = &arguments.file else {
        return Ok(());
    };
    if !arguments.json {
        writeln!(out, " mover   White  position")?;
    }
    positions::each_of_file(file, |position| {
        let evaluated = Evaluated::of(&network, position);
        match arguments.json {
            true => evaluated.write_json(out),
            false => evaluated.write_line(out),
        }
    })
}

struct Evaluated<'a> {
    position: &'a Position,
    mover_cp: i32,
    white_cp: i32,
    needs_fallback: bool,
}

impl<'a> Evaluated<'a> {
    fn of(network: &Network, position: &'a Position) -> Self {
        let mover_cp = network.evaluate(position);
        let white_cp = match position.side_to_move() {
            Color::White => mover_cp,
            Color::Black => mover_cp.saturating_neg(),
        };
        Self {
            position,
            mover_cp,
            white_cp,
            needs_fallback: needs_fallback(&position.placement()),
        }
    }

    fn write_json(&self, out: &mut dyn Write) -> Outcome {
        let object = json!({
            "fen": self.position.fen().to_string(),
            "score_mover_cp": self.mover_cp,
            "score_white_cp": self.white_cp,
            "needs_fallback": self.needs_fallback,
        });
        Ok(writeln!(out, "{object}")?)
    }

    fn write_line(&self, out: &mut dyn Write) -> Outcome {
        let (mover, white, fen) = (self.mover_cp, self.white_cp, self.position.fen());
        let mark = if self.needs_fallback { " (*)" } else { "" };
        Ok(writeln!(out, "{mover:+6}  {white:+6}  {fen}{mark}")?)
    }

    fn draw(&self, out: &mut dyn Write) -> Outcome {
        draw_board(&self.position.placement(), out)?;
        let (mover, white) = (self.mover_cp, self.white_cp);
        writeln!(out, "   {}", self.position.fen())?;
        writeln!(out, "   {} to move", self.position.side_to_move())?;
        writeln!(out, "   {mover:+} cp for the mover, {white:+} cp for White")?;
        if self.needs_fallback {
            writeln!(out, "   (*) a search should use another evaluation here")?;
        }
        Ok(writeln!(out)?)
    }
}

/// The board from White's side: White's men in capitals, a dot for an empty square.
fn draw_board(placement: &Placement, out: &mut dyn Write) -> Outcome {
    for rank in (0..8).rev() {
        let of_rank = Square::ALL.into_iter().filter(|s| s.rank() == rank);
        let letters = of_rank.map(|square| {
            let piece = placement.piece_at(square);
            format!(" {}", piece.map_or('.', |piece| piece.fen_letter()))
        });
        writeln!(out, " {} {}", rank + 1, letters.collect::<String>())?;
    }
    Ok(writeln!(out, "    a b c d e f g h")?)
}
