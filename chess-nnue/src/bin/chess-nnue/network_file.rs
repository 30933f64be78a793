//! Network files of every kind, from the command line.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use chess_nnue::train::{Checkpoint, Parameters};
use chess_nnue::{Activation, Architecture, KingBuckets, Network};
use clap::{Args, ValueEnum};

use crate::{Outcome, chain};

const MAGIC: &[u8; 8] = b"CHSNNUE1";

/// What bullet's layout does not say about itself.
#[derive(Args)]
#[command(next_help_heading = "What a file in bullet's layout does not say")]
pub(crate) struct Layout {
    /// Hidden values of a view; the size of a file without buckets tells it
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// What hidden values become
    #[arg(long)]
    activation: Option<ActivationName>,
    /// The centipawns that stand for an output of 1; for a file that says it, in place of its own
    #[arg(long, value_name = "CP")]
    eval_scale: Option<i32>,
    /// The factor of the first layer [default: 255]
    #[arg(long, value_name = "FACTOR")]
    qa: Option<u16>,
    /// The factor of the output weights [default: 64]
    #[arg(long, value_name = "FACTOR")]
    qb: Option<u16>,
    /// The king bucket of each square from a1, b1 to h8: 64 numbers with commas between, or a text
    /// file with them
    #[arg(long, value_name = "MAP")]
    king_map: Option<String>,
    /// Views exchange the a and h files while their king stands on files e to h
    #[arg(long)]
    mirrored: bool,
    /// How many output rows there are to choose from by the number of men [default: 1]
    #[arg(long, value_name = "COUNT")]
    output_buckets: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ActivationName {
    Crelu,
    Screlu,
}

impl From<ActivationName> for Activation {
    fn from(name: ActivationName) -> Self {
        match name {
            ActivationName::Crelu => Self::Crelu,
            ActivationName::Screlu => Self::Screlu,
        }
    }
}

/// The kinds of network files.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The own format
    Own,
    /// bullet's quantised.bin
    Bullet,
    /// Parameters in floating point (.safetensors)
    Safetensors,
    /// A checkpoint of a training run (.ckpt), which can only be read
    #[value(skip)]
    Checkpoint,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Own => "the own format",
            Self::Bullet => "bullet's layout",
            Self::Safetensors => "safetensors",
            Self::Checkpoint => "a checkpoint",
        }
    }
}

/// Loads a network and says of which kind its file is.
pub(crate) fn load(path: &Path, layout: &Layout) -> Outcome<(Network, Kind)> {
    if let Some((parameters, kind)) = load_parameters(path)? {
        layout.check_not_needed(path)?;
        let network = parameters.quantize().network;
        return Ok((layout.rescale(network)?, kind));
    }
    if begins_with_magic(path)? {
        Ok((load_own(path, layout)?, Kind::Own))
    } else {
        Ok((load_bullet(path, layout)?, Kind::Bullet))
    }
}

/// The parameters in a file of safetensors or a checkpoint; nothing if by its name it is neither.
pub(crate) fn load_parameters(path: &Path) -> Outcome<Option<(Parameters, Kind)>> {
    match path.extension().and_then(OsStr::to_str) {
        Some("ckpt") => {
            let parameters = Checkpoint::load(path)?.parameters().clone();
            Ok(Some((parameters, Kind::Checkpoint)))
        }
        Some("safetensors") => {
            let shown = path.display();
            let bytes = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
            let parameters = Parameters::from_safetensors(&bytes);
            let parameters = parameters.map_err(|error| format!("{shown}: {}", chain(&error)))?;
            Ok(Some((parameters, Kind::Safetensors)))
        }
        _ => Ok(None),
    }
}

fn begins_with_magic(path: &Path) -> Outcome<bool> {
    let mut start = Vec::new();
    let opened = File::open(path);
    let read = opened.and_then(|file| file.take(8).read_to_end(&mut start));
    read.map_err(|error| format!("cannot read the network file {}: {error}", path.display()))?;
    Ok(start == MAGIC)
}

fn load_own(path: &Path, layout: &Layout) -> Outcome<Network> {
    layout.check_not_needed(path)?;
    layout.rescale(Network::load(path)?)
}

fn load_bullet(path: &Path, layout: &Layout) -> Outcome<Network> {
    let bytes = fs::metadata(path)?.len();
    let (Some(activation), Some(eval_scale)) = (layout.activation, layout.eval_scale) else {
        return Err(format!(
            "{} does not begin with CHSNNUE1; if it is in bullet's layout, which has no header, say \
             --activation and --eval-scale",
            path.display()
        )
        .into());
    };
    let architecture = layout
        .shape(bytes)?
        .with_activation(activation.into())
        .with_eval_scale(eval_scale)?
        .with_quantization(layout.qa.unwrap_or(255), layout.qb.unwrap_or(64))?;
    Ok(Network::load_bullet(path, architecture)?)
}

impl Layout {
    /// Refuses options that the file answers itself.
    fn check_not_needed(&self, path: &Path) -> Outcome {
        let Some(option) = self.first_of_shape() else {
            return Ok(());
        };
        let shown = path.display();
        Err(format!("{shown} says its shape itself, {option} is not needed").into())
    }

    fn rescale(&self, network: Network) -> Outcome<Network> {
        Ok(match self.eval_scale {
            None => network,
            Some(eval_scale) => network.with_eval_scale(eval_scale)?,
        })
    }

    /// An option that was given and that a file of the own format answers itself.
    fn first_of_shape(&self) -> Option<&'static str> {
        let given = [
            ("--hidden", self.hidden.is_some()),
            ("--activation", self.activation.is_some()),
            ("--qa", self.qa.is_some()),
            ("--qb", self.qb.is_some()),
            ("--king-map", self.king_map.is_some()),
            ("--mirrored", self.mirrored),
            ("--output-buckets", self.output_buckets.is_some()),
        ];
        let first = given.into_iter().find(|&(_, is_given)| is_given);
        first.map(|(option, _)| option)
    }

    /// The architecture that was asked for where there is no file: 256 hidden values and the usual rest
    /// unless the options say otherwise.
    pub(crate) fn without_file(&self) -> Outcome<Architecture> {
        let plain = Architecture::new(self.hidden.unwrap_or(256))?;
        let usual = (plain.activation(), plain.eval_scale());
        let activation = self.activation.map_or(usual.0, Activation::from);
        Ok(self
            .with_buckets(plain)?
            .with_activation(activation)
            .with_eval_scale(self.eval_scale.unwrap_or(usual.1))?
            .with_quantization(self.qa.unwrap_or(255), self.qb.unwrap_or(64))?)
    }

    /// Hidden size and buckets.
    fn shape(&self, file_bytes: u64) -> Outcome<Architecture> {
        let has_buckets = self.king_map.is_some() || self.output_buckets.is_some_and(|b| b > 1);
        let architecture = match self.hidden {
            Some(hidden) => Architecture::new(hidden)?,
            None if has_buckets => return Err("a network with buckets needs --hidden".into()),
            None => Architecture::from_bullet_len(usize::try_from(file_bytes)?)?,
        };
        self.with_buckets(architecture)
    }

    fn with_buckets(&self, architecture: Architecture) -> Outcome<Architecture> {
        let map = match &self.king_map {
            None => [0; 64],
            Some(text) => parse_king_map(text)?,
        };
        let buckets = KingBuckets::new(map, self.mirrored)?;
        let architecture = architecture.with_king_buckets(buckets);
        Ok(architecture.with_output_buckets(self.output_buckets.unwrap_or(1))?)
    }
}

fn parse_king_map(argument: &str) -> Outcome<[u8; 64]> {
    let text = if argument.contains(',') {
        argument.to_owned()
    } else {
        let text = fs::read_to_string(argument);
        text.map_err(|error| format!("cannot read the king map {argument}: {error}"))?
    };
    let separated = text.split(|c: char| c == ',' || c.is_whitespace());
    let numbers = separated.filter(|word| !word.is_empty()).map(|word| {
        let number = word.parse::<u8>();
        number.map_err(|_| format!("{word:?} in the king map is no bucket number"))
    });
    let numbers = numbers.collect::<Result<Vec<u8>, _>>()?;
    let found = numbers.len();
    let map = numbers.try_into();
    map.map_err(|_| format!("the king map has {found} numbers, expected 64").into())
}
