//! `chess-nnue inspect`.

use std::io::Write;
use std::path::PathBuf;

use chess_nnue::{Activation, Architecture, Network, Weights, Width};
use clap::Args;
use serde_json::{Value, json};

use crate::histogram::Histogram;
use crate::network_file::{self, Kind, Layout};
use crate::sample::Sample;
use crate::{Outcome, bounds, output_file, svg};

/// Say what a network is and how its weights look.
///
/// A hidden value is dead if it is never above 0, so that it adds nothing to any score, and saturated
/// if it is never below the clip's upper limit, so that it adds the same to every score. Proved from
/// the weights, this holds for every position (one king a side, at most 30 other men). With --data it
/// is also counted over both views of real positions; rare positions may differ.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue inspect net.nnue
  chess-nnue inspect net.nnue --data games.marlin --svg weights.svg")]
pub(crate) struct Arguments {
    /// The network
    #[arg(value_name = "NET")]
    network: PathBuf,
    /// Marlinformat records to look for dead and saturated hidden values in
    #[arg(long, value_name = "FILE.marlin")]
    data: Option<PathBuf>,
    /// Take the first COUNT positions of the data
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 100_000,
        requires = "data"
    )]
    limit: u64,
    /// Draw the first-layer weights as boards to this file
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    /// How many hidden values to draw, those with the largest output weights first
    #[arg(long, value_name = "COUNT", default_value_t = 24)]
    svg_count: usize,
    /// Overwrite the drawing
    #[arg(long)]
    force: bool,
    /// A JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layout: Layout,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    if let Some(path) = &arguments.svg {
        output_file::check_free(path, arguments.force)?;
    }
    let (network, kind) = network_file::load(&arguments.network, &arguments.layout)?;
    let weights = network.weights();
    let sample = match &arguments.data {
        None => None,
        Some(data) => Some(Sample::of(&network, &weights, data, arguments.limit)?),
    };
    let report = Report {
        kind,
        neurons: Neurons::of(&network, &weights, sample),
        network: &network,
        weights: &weights,
    };
    match arguments.json {
        true => writeln!(out, "{}", report.json())?,
        false => report.write(out)?,
    }
    if let Some(path) = &arguments.svg {
        let drawing = svg::draw(network.architecture(), &weights, arguments.svg_count);
        output_file::write(path, drawing.as_bytes(), arguments.force)?;
    }
    Ok(())
}

/// Hidden values that say nothing.
struct Neurons {
    dead: Vec<usize>,
    saturated: Vec<usize>,
    sample: Option<Sample>,
}

impl Neurons {
    fn of(network: &Network, weights: &Weights, sample: Option<Sample>) -> Self {
        let bounds = bounds::of(network, weights);
        let qa = i64::from(network.architecture().qa());
        let numbers = |holds: &dyn Fn(&[i64; 2]) -> bool| {
            let numbered = bounds.iter().enumerate();
            let kept = numbered.filter(|(_, bounds)| holds(bounds));
            kept.map(|(index, _)| index).collect()
        };
        Self {
            dead: numbers(&|&[_, highest]| highest <= 0),
            saturated: numbers(&|&[lowest, _]| lowest >= qa),
            sample,
        }
    }
}

impl Sample {
    fn dead(&self) -> Vec<usize> {
        numbers_of(&self.active, 0)
    }

    fn always_saturated(&self) -> Vec<usize> {
        numbers_of(&self.saturated, self.views)
    }

    /// Shares of all values that are above zero, and at the limit.
    fn shares(&self) -> [f64; 2] {
        let all = (self.views * self.active.len() as u64).max(1) as f64;
        [&self.active, &self.saturated].map(|counts| counts.iter().sum::<u64>() as f64 / all)
    }
}

fn numbers_of(counts: &[u64], wanted: u64) -> Vec<usize> {
    let numbered = counts.iter().enumerate();
    let kept = numbered.filter(|&(_, &count)| count == wanted);
    kept.map(|(index, _)| index).collect()
}

struct Report<'a> {
    kind: Kind,
    network: &'a Network,
    weights: &'a Weights,
    neurons: Neurons,
}

impl Report<'_> {
    fn histograms(&self) -> [(&'static str, Histogram); 4] {
        let shorts = |numbers: &[i16]| Histogram::of(numbers.iter().map(|&n| i64::from(n)));
        let weights = self.weights;
        [
            ("first-layer weights", shorts(&weights.feature_weights)),
            ("first-layer biases", shorts(&weights.feature_biases)),
            ("output weights", shorts(&weights.output_weights)),
            (
                "output biases",
                Histogram::of(weights.output_biases.iter().map(|&n| n.into())),
            ),
        ]
    }

    /// Which integers, and their number of bits.
    fn arithmetic(&self) -> [(&'static str, u32); 3] {
        let arithmetic = self.network.arithmetic();
        let bits = |width: Width, narrow: u32| match width {
            Width::Narrow => narrow,
            Width::Wide => 2 * narrow,
        };
        [
            ("hidden values", bits(arithmetic.accumulators, 16)),
            ("clip · weight", bits(arithmetic.products, 16)),
            ("output sums", bits(arithmetic.sums, 32)),
        ]
    }

    fn write(&self, out: &mut dyn Write) -> Outcome {
        let architecture = self.network.architecture();
        writeln!(out, "file           {}", self.kind.name())?;
        writeln!(out, "shape          {}", shape(architecture))?;
        writeln!(
            out,
            "activation     {}",
            activation(architecture.activation())
        )?;
        let (qa, qb) = (architecture.qa(), architecture.qb());
        let scale = architecture.eval_scale();
        writeln!(
            out,
            "scales         QA {qa}, QB {qb}, eval scale {scale} cp"
        )?;
        writeln!(out, "fingerprint    {:016x}", self.network.fingerprint())?;
        for (name, bits) in self.arithmetic() {
            writeln!(out, "{name:<14} {bits} bits are enough for every position")?;
        }
        write_king_map(architecture, out)?;
        self.neurons.write(out)?;
        for (title, histogram) in self.histograms() {
            histogram.write(title, out)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let architecture = self.network.architecture();
        let kings = architecture.king_buckets();
        let [hidden, products, sums] = self.arithmetic().map(|(_, bits)| bits);
        let histograms = self.histograms();
        let histograms = histograms.map(|(title, histogram)| (title.to_owned(), histogram.json()));
        json!({
            "hidden": architecture.hidden(),
            "activation": activation(architecture.activation()),
            "king_buckets": kings.count(),
            "king_map": (kings.count() > 1).then(|| kings.map().to_vec()),
            "mirrored": kings.mirrored(),
            "output_buckets": architecture.output_buckets(),
            "qa": architecture.qa(),
            "qb": architecture.qb(),
            "eval_scale": architecture.eval_scale(),
            "fingerprint": format!("{:016x}", self.network.fingerprint()),
            "bits": { "hidden": hidden, "products": products, "sums": sums },
            "neurons": self.neurons.json(),
            "weights": Value::Object(histograms.into_iter().collect()),
        })
    }
}

fn shape(architecture: &Architecture) -> String {
    let (hidden, outputs) = (architecture.hidden(), architecture.output_buckets());
    match architecture.king_buckets().count() {
        1 => format!("(768 → {hidden})×2 → {outputs}"),
        kings => format!("(768×{kings} → {hidden})×2 → {outputs}"),
    }
}

const fn activation(activation: Activation) -> &'static str {
    match activation {
        Activation::Crelu => "CReLU",
        Activation::Screlu => "SCReLU",
        _ => "unknown",
    }
}

/// The buckets as the side to move sees the board, its own first rank below.
fn write_king_map(architecture: &Architecture, out: &mut dyn Write) -> Outcome {
    let kings = architecture.king_buckets();
    if kings.mirrored() {
        writeln!(
            out,
            "mirrored       a view's a and h files change places while its king is on e–h"
        )?;
    }
    if kings.count() > 1 {
        writeln!(out, "king buckets, the own first rank below:")?;
        for rank in kings.map().chunks(8).rev() {
            let numbers: Vec<_> = rank.iter().map(|bucket| format!("{bucket:2}")).collect();
            writeln!(out, "  {}", numbers.join(" "))?;
        }
    }
    Ok(())
}

impl Neurons {
    fn write(&self, out: &mut dyn Write) -> Outcome {
        writeln!(out, "\nhidden values, numbered from 0")?;
        write_list(out, "dead in every position", &self.dead)?;
        write_list(out, "saturated in every position", &self.saturated)?;
        let Some(sample) = &self.sample else {
            return Ok(());
        };
        let positions = sample.views / 2;
        write_list(
            out,
            &format!("dead in {positions} positions"),
            &sample.dead(),
        )?;
        let saturated = sample.always_saturated();
        write_list(
            out,
            &format!("saturated in {positions} positions"),
            &saturated,
        )?;
        let [active, limit] = sample.shares().map(|share| 100.0 * share);
        writeln!(
            out,
            "  {active:.1}% of the values there are above 0, {limit:.1}% at the limit"
        )?;
        Ok(())
    }

    fn json(&self) -> Value {
        let sample = self.sample.as_ref().map(|sample| {
            let [active, limit] = sample.shares();
            json!({
                "positions": sample.views / 2,
                "dead": sample.dead(),
                "saturated": sample.always_saturated(),
                "share_active": active,
                "share_saturated": limit,
            })
        });
        json!({ "dead": self.dead, "saturated": self.saturated, "sample": sample })
    }
}

fn write_list(out: &mut dyn Write, title: &str, numbers: &[usize]) -> Outcome {
    write!(out, "  {title}: {}", numbers.len())?;
    if !numbers.is_empty() {
        let shown: Vec<_> = numbers.iter().take(20).map(usize::to_string).collect();
        let more = if numbers.len() > 20 { ", …" } else { "" };
        write!(out, " ({}{more})", shown.join(", "))?;
    }
    Ok(writeln!(out)?)
}
