//! A configuration as text has it: what may be left out is.

use core::error::Error;
use core::num::{NonZeroU64, NonZeroUsize};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use chess_records::{Order, Square};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::config::TrainConfig;
use super::device::Device;
use super::loss::Loss;
use super::optimizer::Optimizer;
use super::schedule::RateSchedule;
use crate::{Activation, Architecture, ArchitectureError, KingBuckets};

/// A network's shape. The eval scale has no default: one that does not fit the data trains without
/// complaint.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "architecture")]
struct ArchitectureFields {
    hidden: usize,
    eval_scale: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<ActivationName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    king_buckets: Option<KingMap>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mirrored: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_buckets: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qa: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qb: Option<u16>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", rename = "activation")]
enum ActivationName {
    Crelu,
    Screlu,
}

/// A bucket's number for each of the 64 squares, as a list of that length.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
struct KingMap([u8; Square::COUNT]);

impl TryFrom<Vec<u8>> for KingMap {
    type Error = String;

    fn try_from(map: Vec<u8>) -> Result<Self, String> {
        let found = map.len();
        let map = map.try_into().map(Self);
        map.map_err(|_| format!("{found} king buckets, expected one for each of the 64 squares"))
    }
}

impl From<KingMap> for Vec<u8> {
    fn from(map: KingMap) -> Self {
        map.0.to_vec()
    }
}

/// The fields of a [`TrainConfig`], in an order in which TOML can write them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "configuration")]
struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    micro_batch_size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_per_epoch: Option<NonZeroU64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimizer: Option<Optimizer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_power: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factoriser: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learning_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warmup_steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_decay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_limit: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_weight: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_result_weight: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_scores: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint_steps: Option<NonZeroU64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<Device>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loader_threads: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Order>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_schedule: Option<RateSchedule>,
    architecture: ArchitectureFields,
}

impl<'de> Deserialize<'de> for TrainConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        let architecture = Architecture::try_from(fields.architecture);
        let default = Self::new(architecture.map_err(serde::de::Error::custom)?);
        let loss = fields.loss_power.map_or(Ok(default.loss), loss_of);
        let config = Self {
            batch_size: fields.batch_size.unwrap_or(default.batch_size),
            micro_batch_size: fields.micro_batch_size,
            epochs: fields.epochs.unwrap_or(default.epochs),
            steps_per_epoch: fields.steps_per_epoch,
            optimizer: fields.optimizer.unwrap_or(default.optimizer),
            loss: loss.map_err(serde::de::Error::custom)?,
            factoriser: fields.factoriser.unwrap_or(default.factoriser),
            learning_rate: fields.learning_rate.unwrap_or(default.learning_rate),
            rate_schedule: fields.rate_schedule.unwrap_or(default.rate_schedule),
            warmup_steps: fields.warmup_steps.unwrap_or(default.warmup_steps),
            weight_decay: fields.weight_decay.unwrap_or(default.weight_decay),
            weight_limit: fields.weight_limit.unwrap_or(default.weight_limit),
            result_weight: fields.result_weight.unwrap_or(default.result_weight),
            last_result_weight: fields.last_result_weight,
            order: fields.order.unwrap_or(default.order),
            seed: fields.seed.unwrap_or(default.seed),
            check_scores: fields.check_scores.unwrap_or(default.check_scores),
            checkpoint_steps: fields.checkpoint_steps,
            device: fields.device.unwrap_or(default.device),
            threads: fields.threads,
            loader_threads: fields.loader_threads,
            architecture: default.architecture,
        };
        let checked = config.check();
        checked.map_err(|error| serde::de::Error::custom(with_causes(&error)))?;
        Ok(config)
    }
}

/// An error and what caused it: serde knows but one text.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

impl Serialize for TrainConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            batch_size: Some(self.batch_size),
            micro_batch_size: self.micro_batch_size,
            epochs: Some(self.epochs),
            steps_per_epoch: self.steps_per_epoch,
            optimizer: Some(self.optimizer),
            loss_power: Some(self.loss.power()),
            factoriser: Some(self.factoriser),
            learning_rate: Some(self.learning_rate),
            warmup_steps: Some(self.warmup_steps),
            weight_decay: Some(self.weight_decay),
            weight_limit: Some(self.weight_limit),
            result_weight: Some(self.result_weight),
            last_result_weight: self.last_result_weight,
            seed: Some(self.seed),
            check_scores: Some(self.check_scores),
            checkpoint_steps: self.checkpoint_steps,
            device: Some(self.device.clone()),
            threads: self.threads,
            loader_threads: self.loader_threads,
            order: Some(self.order),
            rate_schedule: Some(self.rate_schedule.clone()),
            architecture: ArchitectureFields::from(&self.architecture),
        };
        fields.serialize(serializer)
    }
}

fn loss_of(power: f64) -> Result<Loss, String> {
    Loss::new(power).ok_or_else(|| format!("loss power {power}, expected 1 to 4"))
}

impl TryFrom<ArchitectureFields> for Architecture {
    type Error = ArchitectureError;

    fn try_from(fields: ArchitectureFields) -> Result<Self, ArchitectureError> {
        let plain = Self::new(fields.hidden)?.with_eval_scale(fields.eval_scale)?;
        let activation = match fields.activation {
            Some(ActivationName::Crelu) => Activation::Crelu,
            Some(ActivationName::Screlu) => Activation::Screlu,
            None => plain.activation(),
        };
        let (qa, qb) = (plain.qa(), plain.qb());
        let map = fields.king_buckets.map_or([0; Square::COUNT], |map| map.0);
        let king_buckets = KingBuckets::new(map, fields.mirrored.unwrap_or(false))?;
        plain
            .with_activation(activation)
            .with_king_buckets(king_buckets)
            .with_output_buckets(fields.output_buckets.unwrap_or(1))?
            .with_quantization(fields.qa.unwrap_or(qa), fields.qb.unwrap_or(qb))
    }
}

impl From<&Architecture> for ArchitectureFields {
    fn from(architecture: &Architecture) -> Self {
        let king_buckets = architecture.king_buckets();
        Self {
            hidden: architecture.hidden(),
            eval_scale: architecture.eval_scale(),
            activation: Some(match architecture.activation() {
                Activation::Crelu => ActivationName::Crelu,
                Activation::Screlu => ActivationName::Screlu,
            }),
            king_buckets: (king_buckets.count() > 1).then(|| KingMap(*king_buckets.map())),
            mirrored: Some(king_buckets.mirrored()),
            output_buckets: Some(architecture.output_buckets()),
            qa: Some(architecture.qa()),
            qb: Some(architecture.qb()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALLEST: &str = "[architecture]\nhidden = 16\neval_scale = 115\n";

    fn read(text: &str) -> Result<TrainConfig, String> {
        toml::from_str(text).map_err(|error| error.message().to_string())
    }

    #[test]
    fn what_is_left_out_is_as_by_default() {
        let architecture = Architecture::new(16).unwrap().with_eval_scale(115).unwrap();
        assert_eq!(read(SMALLEST), Ok(TrainConfig::new(architecture)));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut config = read(SMALLEST).unwrap();
        let mut map = [0; 64];
        map[9] = 3;
        let architecture = Architecture::new(32)
            .unwrap()
            .with_output_buckets(8)
            .unwrap();
        config.architecture = architecture
            .with_activation(Activation::Crelu)
            .with_king_buckets(KingBuckets::new(map, true).unwrap());
        config.micro_batch_size = Some(4096);
        config.steps_per_epoch = NonZeroU64::new(6104);
        config.rate_schedule = RateSchedule::Cosine { last: 0.01 };
        config.last_result_weight = Some(0.75);
        config.order = Order::Blocks { window: 64 };
        config.checkpoint_steps = NonZeroU64::new(100);
        config.threads = NonZeroUsize::new(2);
        config.loader_threads = Some(0);
        config.weight_limit = 1.5;
        config.optimizer = Optimizer::RAdam;
        config.loss = Loss::new(2.5).unwrap();
        config.factoriser = true;
        #[cfg(feature = "gpu")]
        {
            let name = Some("M1".into());
            config.device = Device::Gpu { name };
        }
        let text = toml::to_string(&config).unwrap();
        assert_eq!(read(&text), Ok(config), "{text}");
    }

    #[test]
    fn devices_have_names() {
        let device = |text: &str| {
            let read = read(&format!("device = {text}\n{SMALLEST}"));
            read.map(|config| config.device)
        };
        assert_eq!(device(r#""cpu""#), Ok(Device::Cpu));
        assert!(device(r#""tpu""#).is_err() && device("{ gpu = { size = 1 } }").is_err());
        #[cfg(feature = "gpu")]
        assert_eq!(device("{ gpu = {} }"), Ok(Device::Gpu { name: None }));
    }

    #[test]
    fn schedules_and_orders_have_names() {
        let with = |line: &str| read(&format!("{line}\n{SMALLEST}")).unwrap();
        let schedule = |text: &str| with(&format!("rate_schedule = {text}")).rate_schedule;
        assert_eq!(schedule("\"constant\""), RateSchedule::Constant);
        let step = schedule("{ step = { factor = 0.1, at = [0.75] } }");
        assert_eq!(step, RateSchedule::default());
        assert_eq!(with("optimizer = \"radam\"").optimizer, Optimizer::RAdam);
        assert_eq!(with("order = \"sequential\"").order, Order::Sequential);
    }

    #[test]
    fn mistakes_are_named() {
        let text = |line: &str| read(&format!("{line}\n{SMALLEST}")).unwrap_err();
        assert!(text("epoch = 3").starts_with("unknown field `epoch`, expected one of"));
        assert_eq!(text("epochs = 0"), "0 epochs, expected 1 or more");
        assert_eq!(
            text("batch_size = 0"),
            "batch size 0, expected 1 to 16777216"
        );
        assert_eq!(text("loss_power = 5.0"), "loss power 5, expected 1 to 4");
        assert_eq!(text("threads = 257"), "257 threads, expected at most 256");
        assert_eq!(
            text("order = { blocks = { window = 0 } }"),
            "the order of the samples: window is 0 blocks, expected at least 1"
        );
        let schedule = text("rate_schedule = { linear = { last = 0.5, first = 1.0 } }");
        assert!(schedule.contains("first"), "{schedule}");
        let shape = |text: &str| read(&format!("[architecture]\n{text}")).unwrap_err();
        assert_eq!(shape("hidden = 16"), "missing field `eval_scale`");
        assert_eq!(
            shape("hidden = 17\neval_scale = 115"),
            "hidden size 17, expected a multiple of 16 from 16 to 4096"
        );
        assert_eq!(
            shape("hidden = 16\neval_scale = 115\nking_buckets = [0, 1]"),
            "2 king buckets, expected one for each of the 64 squares"
        );
    }
}
