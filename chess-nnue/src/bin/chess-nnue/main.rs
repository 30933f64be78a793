//! The tool `chess-nnue`: trains, evaluates, examines, converts, times and compares networks.

mod bench;
mod bounds;
mod compare;
mod convert;
mod eval;
mod histogram;
mod inspect;
mod interrupt;
mod network_file;
mod output_file;
mod positions;
mod resume;
mod sample;
#[cfg(feature = "selfplay")]
mod selfplay;
mod svg;
mod train;
mod validate;

use std::env;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use chess_nnue::Backend;
use clap::{Parser, Subcommand};

use interrupt::Interrupted;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const LONG_ABOUT: &str = "\
Trains, evaluates, examines, converts, times and compares NNUE networks for chess.

A network file is of one of several kinds. The own format (it begins with CHSNNUE1) says everything \
about itself, and so do safetensors (.safetensors) and checkpoints of training runs (.ckpt), whose \
parameters are rounded as they are read. bullet's layout (quantised.bin) has no header: say --activation and --eval-scale, and for \
networks with king or output buckets --hidden and the buckets. Scores are in centipawns.";

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    failed: a file cannot be read or written, is damaged, or stands in the way (see --force)
  2    the command line is wrong
  130  interrupted";

#[derive(Parser)]
#[command(name = "chess-nnue", version, about = "Tools for NNUE networks", long_about = LONG_ABOUT)]
#[command(after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// The help of each command stands at its arguments.
#[derive(Subcommand)]
enum Command {
    Train(Box<train::Arguments>),
    Resume(resume::Arguments),
    Validate(Box<validate::Arguments>),
    Eval(eval::Arguments),
    Inspect(inspect::Arguments),
    Convert(convert::Arguments),
    Bench(bench::Arguments),
    Compare(compare::Arguments),
    #[cfg(feature = "selfplay")]
    Datagen(selfplay::datagen::Arguments),
    #[cfg(feature = "selfplay")]
    Match(selfplay::contest::Arguments),
    #[cfg(feature = "selfplay")]
    Generations(selfplay::generations::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = run(cli.command, &mut out).and_then(|()| Ok(out.flush()?));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            report(&*error);
            match error.is::<Interrupted>() {
                true => interrupt::EXIT_CODE.into(),
                false => ExitCode::FAILURE,
            }
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> Outcome {
    check_backend_variable()?;
    match command {
        Command::Train(arguments) => train::run(&arguments, out),
        Command::Resume(arguments) => resume::run(&arguments, out),
        Command::Validate(arguments) => validate::run(&arguments, out),
        Command::Eval(arguments) => eval::run(&arguments, out),
        Command::Inspect(arguments) => inspect::run(&arguments, out),
        Command::Convert(arguments) => convert::run(&arguments, out),
        Command::Bench(arguments) => bench::run(&arguments, out),
        Command::Compare(arguments) => compare::run(&arguments, out),
        #[cfg(feature = "selfplay")]
        Command::Datagen(arguments) => selfplay::datagen::run(&arguments, out),
        #[cfg(feature = "selfplay")]
        Command::Match(arguments) => selfplay::contest::run(&arguments, out),
        #[cfg(feature = "selfplay")]
        Command::Generations(arguments) => selfplay::generations::run(&arguments, out),
    }
}

/// The library takes the fastest instruction set where the variable names none that it knows, for an
/// engine's games are not to end over it; who sets it for this tool wants to know.
fn check_backend_variable() -> Outcome {
    let Ok(name) = env::var(Backend::VARIABLE) else {
        return Ok(());
    };
    if Backend::from_name(&name).is_some() {
        return Ok(());
    }
    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    let names = names.join(", ");
    Err(format!("{} is {name:?}, expected one of {names}", Backend::VARIABLE).into())
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn report(error: &dyn Error) {
    // Nobody can be told that nobody can be told.
    let _ = writeln!(io::stderr(), "chess-nnue: {}", chain(error));
}

/// An error and what caused it, on one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}
