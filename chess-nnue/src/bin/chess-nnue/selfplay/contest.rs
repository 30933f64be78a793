//! `chess-nnue match`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use chess_nnue::selfplay::{AnyEvaluation, Effort, Match, Pairs, Player, Sprt, Starts, Verdict};
use clap::{Args, value_parser};
use serde_json::json;

use super::datagen::threads;
use super::player;
use super::progress;
use crate::Outcome;
use crate::interrupt::{self, Interrupted};

/// Play a match between two networks.
///
/// Games come in pairs: one start, drawn by its number and the seed, and each player once with White. The
/// difference in Elo is the first player's lead, with its 95 % interval over pairs. OUT gets games.pgn and
/// match.log; an interrupted match, given once more, goes on.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue match gen1.nnue hand-written gen1-match --pairs 200 --nodes 6000
  chess-nnue match gen2.nnue gen1.nnue gen2-match --pairs 5000 --time 50 --sprt 0,5")]
pub(crate) struct Arguments {
    /// A network file, builtin for that of the program, or hand-written for the evaluation by rules
    #[arg(value_name = "A")]
    first: String,
    /// Another one
    #[arg(value_name = "B")]
    second: String,
    /// The folder of the match
    #[arg(value_name = "OUT")]
    folder: PathBuf,
    /// Pairs of games
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pairs: u64,
    /// Nodes of a move
    #[arg(long, value_name = "COUNT", default_value_t = 6_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// Milliseconds of a move, in place of nodes
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = value_parser!(u64).range(1..=3_600_000))]
    time: Option<u64>,
    /// End the match as soon as it is clear which of two leads in Elo is nearer, each wrongly in 5 %
    #[arg(long, value_name = "ELO0,ELO1", value_parser = sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// The seed of the starts
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Start from the 960 positions of Chess960, not from openings
    #[arg(long)]
    chess960: bool,
    /// Pairs played at once [default: one a processor]
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A JSON object
    #[arg(long)]
    json: bool,
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let bounds = text.split_once(',').and_then(|(low, high)| {
        let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
        (low < high && low.abs() <= 1_000.0 && high.abs() <= 1_000.0).then_some((low, high))
    });
    match bounds {
        Some((low, high)) => Ok(Sprt::new(low, high)),
        None => Err("expected two numbers of Elo, the lower one first, like 0,5".into()),
    }
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let (first, second) = (
        player::open(&arguments.first)?,
        player::open(&arguments.second)?,
    );
    let players = [
        Player::new(name(&arguments.first, &first), || first.evaluation()),
        Player::new(name(&arguments.second, &second), || second.evaluation()),
    ];
    interrupt::listen();
    let bar = progress::bar(arguments.pairs, "pairs");
    let pairs = arguments.contest().play(
        &arguments.folder,
        &players,
        threads(arguments.threads),
        |pairs| {
            bar.set_position(pairs.len());
            bar.set_message(pairs.elo().map_or(String::new(), |elo| elo.to_string()));
            if interrupt::was_asked() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )?;
    bar.finish_and_clear();
    arguments.say(&pairs, out)?;
    if interrupt::was_asked() {
        return Err(Interrupted("interrupted; the same command goes on".into()).into());
    }
    Ok(())
}

/// A network's file may change its content: the match goes on with the same network only.
fn name(text: &str, player: &AnyEvaluation) -> String {
    match player {
        AnyEvaluation::HandWritten => text.into(),
        network => format!("{text} {}", network.identity()),
    }
}

impl Arguments {
    fn contest(&self) -> Match {
        let effort = match self.time {
            Some(milliseconds) => Effort::Time(Duration::from_millis(milliseconds)),
            None => Effort::Nodes(self.nodes),
        };
        let starts = Starts::new();
        let contest = Match::new(self.pairs, effort)
            .seed(self.seed)
            .starts(if self.chess960 {
                starts.chess960()
            } else {
                starts
            });
        match self.sprt {
            Some(sprt) => contest.sprt(sprt),
            None => contest,
        }
    }

    fn say(&self, pairs: &Pairs, out: &mut dyn Write) -> Outcome {
        let ratio = self
            .sprt
            .map(|sprt| (sprt, sprt.log_likelihood_ratio(pairs)));
        let elo = pairs.elo();
        if self.json {
            let object = json!({
                "games": 2 * pairs.len(),
                "pairs": pairs.counts(),
                "score": pairs.score(),
                "elo": elo.map(|elo| [elo.low, elo.mid, elo.high]),
                "log_likelihood_ratio": ratio.map(|(_, ratio)| ratio),
                "verdict": ratio.map(|(sprt, _)| verdict(sprt.verdict(pairs))),
            });
            writeln!(out, "{object:#}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} games, {:.1} % of the points; pairs with 0 to 2 points: {:?}",
            2 * pairs.len(),
            100.0 * pairs.score(),
            pairs.counts()
        )?;
        if let Some(elo) = elo {
            writeln!(out, "Elo {elo}")?;
        }
        if let Some((sprt, ratio)) = ratio {
            let (low, high) = sprt.bounds();
            let verdict = verdict(sprt.verdict(pairs));
            writeln!(
                out,
                "log-likelihood ratio {ratio:.2} ({low:.2}, {high:.2}): {verdict}"
            )?;
        }
        Ok(())
    }
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Open => "open",
        Verdict::H0 => "H0, the lower one",
        Verdict::H1 => "H1, the higher one",
    }
}
