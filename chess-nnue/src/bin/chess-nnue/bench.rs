//! `chess-nnue bench`.

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chess_nnue::{AccumulatorStack, Backend, Delta, Network, Weights};
use chess_records::{Board, Color, Piece, PieceType, Position, Square};
use clap::Args;
use serde_json::json;

use crate::network_file::{self, Layout};
use crate::{Outcome, positions};

/// Time a network on every instruction set of this machine.
///
/// Every score is first compared with that of the portable loops; a difference ends the program.
/// Times are nanoseconds a call, the best of several rounds: push + evaluate + pop of a move, evaluate
/// where the hidden values are known (the output layer alone) and reset + evaluate (all from
/// nothing). Update and refresh are the first and the third less the second.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The network [default: one of random weights, by the options below, with 256 hidden values]
    #[arg(value_name = "NET")]
    network: Option<PathBuf>,
    /// One JSON object an instruction set
    #[arg(long)]
    json: bool,
    /// How long to time each of the calls, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200)]
    time: u64,
    #[command(flatten)]
    layout: Layout,
}

const ROUNDS: u64 = 8;

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let network = match &arguments.network {
        Some(path) => network_file::load(path, &arguments.layout)?.0,
        None => random_network(&arguments.layout)?,
    };
    let cases = cases()?;
    let round = Duration::from_millis(arguments.time) / ROUNDS as u32;
    if !arguments.json {
        if cfg!(debug_assertions) {
            writeln!(
                out,
                "this is a debug build: a release build is many times faster"
            )?;
        }
        let hidden = network.architecture().hidden();
        writeln!(
            out,
            "nanoseconds a call, N = {hidden}, {} positions",
            cases.len()
        )?;
        writeln!(
            out,
            "{:<12}{:>10}{:>10}{:>10}{:>20}{:>18}",
            "", "update", "output", "refresh", "push+evaluate+pop", "reset+evaluate"
        )?;
    }
    let expected = expected_scores(&network, &cases)?;
    for backend in Backend::available() {
        let network = network.clone().with_backend(backend);
        let mut contest = Contest::new(&network, &cases);
        contest.check(&expected)?;
        let times = contest.time(round);
        match arguments.json {
            true => times.write_json(backend, out)?,
            false => times.write(backend, out)?,
        }
        out.flush()?;
    }
    Ok(())
}

/// Weights of ordinary sizes.
fn random_network(layout: &Layout) -> Outcome<Network> {
    let architecture = layout.without_file()?;
    let mut weights = Weights::zero(&architecture);
    let mut state = 1u64;
    let mut fill = |numbers: &mut [i16], limit: u64| {
        for number in numbers {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *number = (state % (2 * limit + 1)) as i16 - limit as i16;
        }
    };
    fill(&mut weights.feature_weights, 40);
    fill(&mut weights.feature_biases, 40);
    fill(&mut weights.output_weights, 100);
    Ok(Network::new(architecture, &weights)?)
}

/// A position, a move and the position after it.
struct Case {
    before: Position,
    delta: Delta,
    after: Position,
}

/// Moves of every kind.
fn cases() -> Outcome<Vec<Case>> {
    use PieceType::{Knight, Pawn, Queen, Rook};
    use Square as S;
    let white = |piece_type| Piece::new(Color::White, piece_type);
    let moves = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -",
            Delta::quiet(white(Pawn), S::E2, S::E4),
        ),
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w - -",
            Delta::capture(white(Queen), S::F3, S::F7, Pawn),
        ),
        (
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w - -",
            Delta::castling(Color::White, S::E1, S::G1, S::H1, S::F1),
        ),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w - -",
            Delta::en_passant(Color::White, S::E5, S::F6),
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - -",
            Delta::capture(white(Knight), S::E5, S::G6, Pawn),
        ),
        (
            "4r1k1/5ppp/8/8/8/8/5PPP/4R1K1 w - -",
            Delta::capture(white(Rook), S::E1, S::E8, Rook),
        ),
        (
            "8/P4k2/8/6p1/8/8/3K4/8 w - -",
            Delta::promotion(Color::White, S::A7, S::A8, Queen),
        ),
        (
            "2r2rk1/pp1bqppp/2n1pn2/3p4/3P4/P1NBPN2/1P3PPP/R2Q1RK1 w - -",
            Delta::quiet(white(Rook), S::F1, S::E1),
        ),
    ];
    let case = |(fen, delta): (&str, Delta)| {
        let before = positions::parse(fen)?;
        let after = before.placement().after(delta.lifted(), delta.put())?;
        Ok(Case {
            after: Position::new(after, Color::Black),
            before,
            delta,
        })
    };
    moves.into_iter().map(case).collect()
}

fn expected_scores(network: &Network, cases: &[Case]) -> Outcome<Vec<i32>> {
    let portable = Backend::from_name("portable").ok_or("no portable instruction set")?;
    let network = network.clone().with_backend(portable);
    let scores = cases.iter().map(|case| network.evaluate(&case.after));
    Ok(scores.collect())
}

struct Contest<'a> {
    network: &'a Network,
    cases: &'a [Case],
    /// At the position before each move, its values known.
    stacks: Vec<AccumulatorStack>,
}

impl<'a> Contest<'a> {
    fn new(network: &'a Network, cases: &'a [Case]) -> Self {
        let ready = |case: &Case| {
            let mut stack = AccumulatorStack::with_capacity(network, 1);
            stack.reset(&case.before);
            let _ = stack.evaluate(network);
            stack
        };
        Self {
            network,
            cases,
            stacks: cases.iter().map(ready).collect(),
        }
    }

    fn update_output(&mut self, index: usize) -> i32 {
        let stack = &mut self.stacks[index];
        stack.push(&self.cases[index].delta);
        let score = stack.evaluate(self.network);
        stack.pop();
        score
    }

    fn output(&mut self, index: usize) -> i32 {
        self.stacks[index].evaluate(self.network)
    }

    fn refresh_output(&mut self, index: usize) -> i32 {
        let stack = &mut self.stacks[index];
        stack.reset(&self.cases[index].before);
        stack.evaluate(self.network)
    }

    fn check(&mut self, expected: &[i32]) -> Outcome {
        for (index, &expected) in expected.iter().enumerate() {
            let fresh = self.network.evaluate(&self.cases[index].after);
            let found = [self.update_output(index), fresh];
            if found != [expected; 2] {
                let (backend, fen) = (self.network.backend(), self.cases[index].after.fen());
                return Err(format!(
                    "{backend} gives {} updated and {} fresh, expected {expected}, for {fen}",
                    found[0], found[1]
                )
                .into());
            }
        }
        Ok(())
    }

    fn time(&mut self, round: Duration) -> Times {
        Times {
            update_output: self.best(round, Self::update_output),
            output: self.best(round, Self::output),
            refresh_output: self.best(round, Self::refresh_output),
        }
    }

    /// The nanoseconds of a call in the best round.
    fn best(&mut self, round: Duration, call: fn(&mut Self, usize) -> i32) -> f64 {
        let rounds = (0..ROUNDS).map(|_| self.round(round, call));
        rounds.fold(f64::INFINITY, f64::min)
    }

    fn round(&mut self, round: Duration, call: fn(&mut Self, usize) -> i32) -> f64 {
        let (start, mut calls) = (Instant::now(), 0u64);
        loop {
            for _ in 0..100 {
                for index in 0..self.cases.len() {
                    black_box(call(self, black_box(index)));
                }
            }
            calls += 100 * self.cases.len() as u64;
            let elapsed = start.elapsed();
            if elapsed >= round {
                return elapsed.as_nanos() as f64 / calls as f64;
            }
        }
    }
}

/// Nanoseconds.
struct Times {
    update_output: f64,
    output: f64,
    refresh_output: f64,
}

impl Times {
    fn update(&self) -> f64 {
        (self.update_output - self.output).max(0.0)
    }

    fn refresh(&self) -> f64 {
        (self.refresh_output - self.output).max(0.0)
    }

    fn write(&self, backend: Backend, out: &mut dyn Write) -> Outcome {
        writeln!(
            out,
            "{:<12}{:>10.1}{:>10.1}{:>10.1}{:>20.1}{:>18.1}",
            backend.name(),
            self.update(),
            self.output,
            self.refresh(),
            self.update_output,
            self.refresh_output
        )?;
        Ok(())
    }

    fn write_json(&self, backend: Backend, out: &mut dyn Write) -> Outcome {
        let object = json!({
            "backend": backend.name(),
            "update_ns": self.update(),
            "output_ns": self.output,
            "refresh_ns": self.refresh(),
            "push_evaluate_pop_ns": self.update_output,
            "reset_evaluate_ns": self.refresh_output,
        });
        Ok(writeln!(out, "{object}")?)
    }
}
