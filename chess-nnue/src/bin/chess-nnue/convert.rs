//! `chess-nnue convert`.

use std::io::Write;
use std::path::PathBuf;

use chess_nnue::{Activation, Network};
use clap::Args;

use crate::network_file::{self, Kind, Layout};
use crate::{Outcome, output_file};

/// Convert between the own format and bullet's layout.
///
/// The input's kind is told by its first bytes; the output is of the other kind unless --to says
/// otherwise. No weight is changed. bullet's layout drops activation, scales and buckets, and is
/// refused if an output bias does not fit its 16 bits.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue convert quantised.bin net.nnue --activation screlu --eval-scale 400
  chess-nnue convert net.nnue quantised.bin
  chess-nnue convert net.nnue rescaled.nnue --to own --eval-scale 200")]
pub(crate) struct Arguments {
    /// The network to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The kind of file to write [default: the other kind than the input]
    #[arg(long, value_name = "KIND")]
    to: Option<Kind>,
    /// Overwrite the output
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    layout: Layout,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    output_file::check_free(&arguments.output, arguments.force)?;
    let (network, from) = network_file::load(&arguments.input, &arguments.layout)?;
    let other = match from {
        Kind::Own => Kind::Bullet,
        Kind::Bullet => Kind::Own,
    };
    let to = arguments.to.unwrap_or(other);
    let bytes = match to {
        Kind::Own => network.to_bytes(),
        Kind::Bullet => network.to_bullet_bytes()?,
    };
    output_file::write(&arguments.output, &bytes, arguments.force)?;
    let (shown, len) = (arguments.output.display(), bytes.len());
    writeln!(out, "{shown}: {len} bytes in {}", to.name())?;
    if to == Kind::Bullet {
        writeln!(out, "to read it back: {}", dropped(&network))?;
    }
    Ok(())
}

/// The options that say what bullet's layout has dropped.
fn dropped(network: &Network) -> String {
    let architecture = network.architecture();
    let activation = match architecture.activation() {
        Activation::Crelu => "crelu",
        _ => "screlu",
    };
    let mut options = format!(
        "--hidden {} --activation {activation} --eval-scale {} --qa {} --qb {}",
        architecture.hidden(),
        architecture.eval_scale(),
        architecture.qa(),
        architecture.qb(),
    );
    let kings = architecture.king_buckets();
    if kings.count() > 1 {
        let numbers = kings.map().map(|bucket| bucket.to_string());
        options += &format!(" --king-map {}", numbers.join(","));
    }
    if kings.mirrored() {
        options += " --mirrored";
    }
    if architecture.output_buckets() > 1 {
        options += &format!(" --output-buckets {}", architecture.output_buckets());
    }
    options
}
