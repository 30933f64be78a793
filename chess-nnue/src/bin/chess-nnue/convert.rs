//! `chess-nnue convert`.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;

use chess_nnue::train::{FloatWeights, Parameters};
use chess_nnue::{Activation, Network};
use clap::Args;

use crate::network_file::{self, Kind, Layout};
use crate::{Outcome, output_file};

/// Convert between the own format, bullet's layout and safetensors.
///
/// The input's kind is told by its name (.safetensors, .ckpt for a checkpoint of a training run) or
/// its first bytes. The output is safetensors if its name says so; else it is in the own format, or in
/// bullet's layout if the input is in the own format; --to says otherwise. No weight of a network is
/// changed; parameters in floating point are rounded. bullet's layout drops activation, scales and
/// buckets, and is refused if an output bias does not fit its 16 bits.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue convert quantised.bin net.nnue --activation screlu --eval-scale 400
  chess-nnue convert net.nnue quantised.bin
  chess-nnue convert net.nnue rescaled.nnue --to own --eval-scale 200
  chess-nnue convert net.nnue net.safetensors
  chess-nnue convert runs/first/best.ckpt best.safetensors")]
pub(crate) struct Arguments {
    /// The network to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The kind of file to write [default: told by the names]
    #[arg(long, value_name = "KIND")]
    to: Option<Kind>,
    /// Overwrite the output
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    layout: Layout,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    arguments.check_output()?;
    output_file::check_free(&arguments.output, arguments.force)?;
    let (network, from) = network_file::load(&arguments.input, &arguments.layout)?;
    let to = arguments.to.unwrap_or_else(|| arguments.told(from));
    let bytes = match to {
        Kind::Bullet => network.to_bullet_bytes()?,
        Kind::Safetensors => arguments.parameters(&network)?.to_safetensors(),
        Kind::Own | Kind::Checkpoint => network.to_bytes(),
    };
    output_file::write(&arguments.output, &bytes, arguments.force)?;
    let (shown, len) = (arguments.output.display(), bytes.len());
    writeln!(out, "{shown}: {len} bytes in {}", to.name())?;
    if to == Kind::Bullet {
        writeln!(out, "to read it back: {}", dropped(&network))?;
    }
    Ok(())
}

impl Arguments {
    /// Refuses a name by which the file could not be read back.
    fn check_output(&self) -> Outcome {
        if self.output.extension() != Some(OsStr::new("ckpt")) {
            return Ok(());
        }
        let shown = self.output.display();
        Err(format!("{shown}: only training runs write checkpoints, name another file").into())
    }

    /// The kind of the output, by the names and the input's kind.
    fn told(&self, from: Kind) -> Kind {
        let is_tensors = self.output.extension() == Some(OsStr::new("safetensors"));
        match from {
            _ if is_tensors => Kind::Safetensors,
            Kind::Own => Kind::Bullet,
            Kind::Bullet | Kind::Safetensors | Kind::Checkpoint => Kind::Own,
        }
    }

    /// The input's own parameters if it has them and nothing else is asked for, else those that the
    /// network is rounded from.
    fn parameters(&self, network: &Network) -> Outcome<Parameters> {
        match network_file::load_parameters(&self.input)? {
            Some((parameters, _)) if parameters.architecture() == network.architecture() => {
                Ok(parameters)
            }
            _ => in_floating_point(network),
        }
    }
}

/// Parameters that quantize to this network again.
fn in_floating_point(network: &Network) -> Outcome<Parameters> {
    let (architecture, weights) = (network.architecture(), network.weights());
    let (qa, qb) = (f64::from(architecture.qa()), f64::from(architecture.qb()));
    let divided = |integers: &[i16], factor: f64| -> Vec<f32> {
        let integers = integers.iter();
        integers
            .map(|&integer| (f64::from(integer) / factor) as f32)
            .collect()
    };
    let output_biases = weights.output_biases.iter();
    let mut floats = FloatWeights::zero(architecture);
    floats.feature_weights = divided(&weights.feature_weights, qa);
    floats.feature_biases = divided(&weights.feature_biases, qa);
    floats.output_weights = divided(&weights.output_weights, qb);
    floats.output_biases = output_biases
        .map(|&bias| (f64::from(bias) / (qa * qb)) as f32)
        .collect();
    let parameters = Parameters::new(architecture.clone(), floats)?;
    if parameters.quantize().network != *network {
        return Err(format!(
            "parameters in floating point do not give the network back: it holds weights beyond ±{}, or very \
             large biases",
            Parameters::WEIGHT_LIMIT
        )
        .into());
    }
    Ok(parameters)
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
