//! What a run is to be: the configuration as a file has it.

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use chess_nnue::train::TrainConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::filter::Filter;
use super::source::{HeldOut, HeldOutBy, Source};
use crate::Outcome;

/// A configuration. [`Spec::read`] reads it from a file; the file `resolved.toml` of a run is one, in
/// which nothing is left open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "configuration")]
pub(crate) struct Spec {
    /// The run's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) out: Option<PathBuf>,
    /// Every so many steps there is a line in the metrics.
    pub(crate) metrics_steps: NonZeroU64,
    pub(crate) data: Data,
    pub(crate) filter: Filter,
    /// The fields of a [`TrainConfig`] but for its architecture.
    pub(crate) training: Table,
    /// The fields of its architecture; here the eval scale may be `fit`, or not be there.
    pub(crate) architecture: Table,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "data")]
pub(crate) struct Data {
    pub(crate) held_out_by: HeldOutBy,
    pub(crate) held_out: HeldOut,
    pub(crate) training: Vec<Source>,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            out: None,
            metrics_steps: Self::METRICS_STEPS,
            data: Data::default(),
            filter: Filter::default(),
            training: Table::new(),
            architecture: Table::new(),
        }
    }
}

impl Spec {
    const METRICS_STEPS: NonZeroU64 = NonZeroU64::new(10).unwrap();
    const HIDDEN: i64 = 256;

    /// Reads a file and gives its text too; relative paths in it start where it stands.
    pub(crate) fn read(path: &Path) -> Outcome<(Self, String)> {
        let shown = path.display();
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read {shown}: {error}"))?;
        let spec: Self = toml::from_str(&text).map_err(|error| {
            let line = line_of(&text, &error);
            format!("{shown}{line}: {}", error.message())
        })?;
        let path = std::path::absolute(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok((spec.within(folder), text))
    }

    /// This configuration, its paths relative to `folder` unless absolute.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.out = self.out.map(|out| folder.join(out));
        let within = |sources: Vec<Source>| -> Vec<Source> {
            let sources = sources.into_iter();
            sources.map(|source| source.within(folder)).collect()
        };
        self.data.training = within(self.data.training);
        if let HeldOut::Files(files) = self.data.held_out {
            self.data.held_out = HeldOut::Files(within(files));
        }
        self
    }

    /// All files of samples.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Source> {
        let held_out = self.data.held_out.files();
        self.data.training.iter().chain(held_out)
    }

    pub(crate) fn to_toml(&self) -> Outcome<String> {
        let text = toml::to_string(self);
        Ok(text.map_err(|error| format!("the configuration cannot be written down: {error}"))?)
    }

    /// The eval scale asked for; `None` means that it is to be fitted.
    pub(crate) fn eval_scale(&self) -> Outcome<Option<i32>> {
        match self.architecture.get("eval_scale") {
            None => Ok(None),
            Some(Value::String(fit)) if fit == "fit" => Ok(None),
            Some(Value::Integer(scale)) if i32::try_from(*scale).is_ok() => {
                Ok(i32::try_from(*scale).ok())
            }
            Some(other) => Err(format!(
                "[architecture]: eval_scale is {other}, expected \"fit\" or a whole number of \
                 centipawns"
            )
            .into()),
        }
    }

    /// The trainer's configuration with this eval scale.
    pub(crate) fn config(&self, eval_scale: i32) -> Outcome<TrainConfig> {
        if self.training.contains_key("architecture") {
            return Err(
                "[training]: the architecture has a table of its own, [architecture]".into(),
            );
        }
        self.check_device()?;
        let mut architecture = self.architecture.clone();
        architecture.insert("eval_scale".into(), i64::from(eval_scale).into());
        let hidden = architecture.entry("hidden");
        hidden.or_insert(Self::HIDDEN.into());
        let mut training = self.training.clone();
        training.insert("architecture".into(), architecture.into());
        let config = training.try_into::<TrainConfig>();
        config
            .map_err(|error| format!("[training] and [architecture]: {}", with_key(&error)).into())
    }

    /// Refuses a GPU where there is no code for it, and one that is not as the trainer writes it.
    fn check_device(&self) -> Outcome {
        let (is_word, is_gpu) = match self.training.get("device") {
            Some(Value::String(name)) => (true, name == "gpu"),
            Some(Value::Table(fields)) => (false, fields.contains_key("gpu")),
            _ => (false, false),
        };
        match is_gpu {
            true if !cfg!(feature = "gpu") => Err("[training]: device is a GPU, and this program \
                                                   was built without the feature gpu"
                .into()),
            true if is_word => Err(
                "[training]: device is \"gpu\", expected \"cpu\", { gpu = {} } \
                                    or { gpu = { name = \"part of its name\" } }"
                    .into(),
            ),
            _ => Ok(()),
        }
    }

    /// This configuration with everything that the trainer's says.
    pub(crate) fn resolved(&self, config: &TrainConfig) -> Outcome<Self> {
        let mut training = Table::try_from(config)?;
        let architecture = match training.remove("architecture") {
            Some(Value::Table(architecture)) => architecture,
            _ => return Err("the configuration has no architecture".into()),
        };
        Ok(Self {
            training,
            architecture,
            ..self.clone()
        })
    }

    /// Sets a field of `[training]`, or of `[architecture]` by `architecture.field`.
    pub(crate) fn set(&mut self, assignment: &str) -> Outcome {
        let expected =
            || format!("{assignment:?} sets nothing, expected KEY=VALUE or architecture.KEY=VALUE");
        let mut given: Table = toml::from_str(assignment)
            .or_else(|error| unquoted(assignment).ok_or(error))
            .map_err(|_| expected())?;
        if given.len() != 1 || assignment.trim_start().starts_with('[') {
            return Err(expected().into());
        }
        match given.remove("architecture") {
            Some(Value::Table(fields)) => self.architecture.extend(fields),
            Some(_) => return Err(expected().into()),
            None => self.training.extend(given),
        }
        Ok(())
    }
}

/// A word as value needs no quotation marks: shells take them away.
fn unquoted(assignment: &str) -> Option<Table> {
    let (key, word) = assignment.split_once('=')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !word.chars().all(is_word) {
        return None;
    }
    toml::from_str(&format!("{key}=\"{word}\"")).ok()
}

/// What is wrong, and with which key: the error tells that only at the end of its text.
fn with_key(error: &toml::de::Error) -> String {
    let (message, text) = (error.message(), error.to_string());
    let key = text.trim_end().strip_prefix(message);
    match key.and_then(|key| key.trim().strip_prefix("in ")) {
        Some(key) => format!("{key}: {message}"),
        None => message.to_owned(),
    }
}

/// Where in a file an error is.
fn line_of(text: &str, error: &toml::de::Error) -> String {
    match error.span() {
        Some(span) if span.start <= text.len() => {
            let lines = text.as_bytes()[..span.start].iter();
            let line = 1 + lines.filter(|&&byte| byte == b'\n').count();
            format!(" line {line}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Spec, String> {
        toml::from_str(text).map_err(|error| error.message().to_string())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = "out = \"runs/first\"\n\
                    [data]\nheld_out = [\"h.viri\"]\n\
                    training = [\"a.marlin\", { path = \"b.zdat\", weight = 2, score = \"none\" }]\n\
                    [filter]\nmin_men = 4\n\
                    [training]\nepochs = 3\nrate_schedule = { cosine = { last = 0.01 } }\n\
                    [architecture]\nhidden = 16\neval_scale = \"fit\"\n";
        let spec = read(text).unwrap();
        assert_eq!(read(&spec.to_toml().unwrap()), Ok(spec.clone()));
        assert_eq!(spec.eval_scale().unwrap(), None);
        let config = spec.config(115).unwrap();
        assert_eq!((config.epochs, config.architecture.hidden()), (3, 16));
        let resolved = spec.resolved(&config).unwrap();
        let again = read(&resolved.to_toml().unwrap()).unwrap();
        assert_eq!(again.eval_scale().unwrap(), Some(115));
        assert_eq!(again.config(115).unwrap(), config);
        let absolute = spec.within(Path::new("/there"));
        assert_eq!(absolute.out, Some("/there/runs/first".into()));
        assert_eq!(absolute.data.training[1].path, Path::new("/there/b.zdat"));
    }

    #[test]
    fn fields_are_set_one_by_one() {
        let mut spec = Spec::default();
        for assignment in [
            "epochs=7",
            "optimizer=radam",
            "rate_schedule={linear={last=0.5}}",
            "architecture.output_buckets=8",
            "architecture.activation=crelu",
        ] {
            spec.set(assignment).unwrap();
        }
        let config = spec.config(100).unwrap();
        assert_eq!(
            (config.epochs, config.architecture.output_buckets()),
            (7, 8)
        );
        assert_eq!(config.architecture.hidden(), 256);
        for assignment in [
            "epochs",
            "[training]",
            "a=1\nb=2",
            "architecture=3",
            "a=b c",
        ] {
            let text = spec.set(assignment).unwrap_err().to_string();
            assert!(
                text.ends_with("expected KEY=VALUE or architecture.KEY=VALUE"),
                "{text}"
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        let unknown = read("[data]\nfiles = []").unwrap_err();
        assert!(
            unknown.starts_with("unknown field `files`, expected one of"),
            "{unknown}"
        );
        let unknown = read("[data]\ntraining = [{ path = \"a\", wait = 2 }]").unwrap_err();
        assert!(unknown.starts_with("unknown field `wait`"), "{unknown}");
        let text = |text: &str| read(text).unwrap().config(100).unwrap_err().to_string();
        let unknown = text("[training]\nepoch = 3");
        let start = "[training] and [architecture]: unknown field `epoch`, expected one of";
        assert!(unknown.starts_with(start), "{unknown}");
        let unknown = text("[architecture]\nhiden = 16");
        assert!(unknown.contains("unknown field `hiden`"), "{unknown}");
        for (wrong, start) in [
            (
                "[training]\nepochs = -1",
                "`epochs`: invalid value: integer `-1`",
            ),
            (
                "[architecture]\nhidden = \"big\"",
                "`architecture.hidden`: invalid type: string \"big\"",
            ),
        ] {
            let (found, before) = (text(wrong), "[training] and [architecture]: ");
            assert!(found.starts_with(&format!("{before}{start}")), "{found}");
        }
        #[cfg(not(feature = "gpu"))]
        for gpu in ["\"gpu\"", "{ gpu = {} }", "{ gpu = { name = \"M1\" } }"] {
            assert_eq!(
                text(&format!("[training]\ndevice = {gpu}")),
                "[training]: device is a GPU, and this program was built without the feature gpu"
            );
        }
        #[cfg(feature = "gpu")]
        assert_eq!(
            text("[training]\ndevice = \"gpu\""),
            "[training]: device is \"gpu\", expected \"cpu\", { gpu = {} } or { gpu = { name = \
             \"part of its name\" } }"
        );
        assert_eq!(
            text("[training.architecture]\nhidden = 16"),
            "[training]: the architecture has a table of its own, [architecture]"
        );
        let scale = read("[architecture]\neval_scale = 1.5").unwrap();
        assert_eq!(
            scale.eval_scale().unwrap_err().to_string(),
            "[architecture]: eval_scale is 1.5, expected \"fit\" or a whole number of centipawns"
        );
    }
}
